import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** A certificate for these hosts that signs itself and ends after so many days. */
export async function makeCertificate(
  hosts: readonly string[] = ['127.0.0.1', '::1', 'localhost'],
  days = 30,
) {
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: 'folio sandbox' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // An hour back, for a client whose clock is behind.
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + days * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) > 0 ? { type: 7, ip: host } : { type: 2, value: host })),
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
