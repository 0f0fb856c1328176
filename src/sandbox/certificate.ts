import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** Where the certificate lies for `NODE_EXTRA_CA_CERTS`; the key is never written. */
  readonly file: string;
  /** Removes the file. */
  remove(): Promise<void>;
}

/** A certificate for this machine's loopback addresses that signs itself and ends after a month. */
export async function makeCertificate(now: number): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: 'folio sandbox' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // An hour back, for a client whose clock is behind.
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + 30 * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
          { type: 2, value: 'localhost' },
        ],
      },
    ],
  });
  // The folder is new, with mode 0700: nobody else can have put a link there.
  const folder = await mkdtemp(join(tmpdir(), 'folio-sandbox-'));
  const file = join(folder, 'certificate.pem');
  await writeFile(file, made.cert, { mode: 0o600, flag: 'wx' });
  return {
    key: made.private,
    cert: made.cert,
    file,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
