import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMORY, postgresForTests } from '../support/databases.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { needing } from '../support/programs.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A certificate that signs itself, for the name. */
async function certificateFor(name: string): Promise<{ key: string; cert: string }> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256' },
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** A home folder in which libpq would find the certificates. */
function homeWith(certificates: string): string {
  const home = temporaryFolder();
  mkdirSync(join(home, '.postgresql'));
  copyFileSync(certificates, join(home, '.postgresql', 'root.crt'));
  return home;
}

let encrypted: PostgresServer;
let ownAuthority: string;
let otherAuthority: string;

describe('the connection to PostgreSQL', needing('postgres'), () => {
  const plain = postgresForTests();
  beforeAll(async () => {
    const folder = temporaryFolder();
    const [own, other] = [await certificateFor('books.test'), await certificateFor('books.test')];
    ownAuthority = join(folder, 'own.pem');
    otherAuthority = join(folder, 'other.pem');
    writeFileSync(ownAuthority, own.cert);
    writeFileSync(otherAuthority, other.cert);
    encrypted = await startPostgres(MEMORY, own);
  });
  afterAll(() => encrypted.stop());

  const ask = async (server: PostgresServer, query: string, env: Record<string, string> = {}) => {
    const address = `postgres://books@127.0.0.1:${server.port}/postgres`;
    const args = ['--sandbox', 'sync', `${address}${query}`, 'funds', '--plan', '--format', 'json'];
    const { code, stderr } = await runHere(args, { env });
    return [code, stderr];
  };

  it.each(['?sslmode=require', '?sslmode=prefer'])('is made with %s, whoever signed', async (query) => {
    expect(await ask(encrypted, query)).toEqual([0, '']);
  });

  it('is made where the authority is named, and with verify-ca under any host name', async () => {
    expect(await ask(encrypted, `?sslmode=verify-ca&sslrootcert=${ownAuthority}`)).toEqual([0, '']);
    expect(await ask(encrypted, '?sslmode=verify-ca', { PGSSLROOTCERT: ownAuthority })).toEqual([0, '']);
    expect(await ask(encrypted, `?sslrootcert=${ownAuthority}`, { PGSSLMODE: 'require' })).toEqual([0, '']);
  });

  it('is made unencrypted where the server offers nothing else and nobody asks for more', async () => {
    expect(await ask(plain(), '?sslmode=prefer')).toEqual([0, '']);
    expect(await ask(plain(), '')).toEqual([0, '']);
    expect(await ask(plain(), '?sslmode=require')).toEqual([
      2,
      expect.stringMatching(/offers no encrypted connection\n.*sslmode=disable/),
    ]);
  });

  it('trusts the authorities in ~/.postgresql/root.crt, as libpq does', async () => {
    const [own, other] = [homeWith(ownAuthority), homeWith(otherAuthority)];
    expect(await ask(encrypted, '?sslmode=verify-ca', { HOME: own })).toEqual([0, '']);
    expect(await ask(encrypted, '?sslmode=require', { HOME: own })).toEqual([0, '']);
    expect(await ask(encrypted, '?sslmode=prefer', { HOME: other })).toEqual([0, '']);
    const refused = [5, expect.stringContaining('cannot be trusted')];
    expect(await ask(encrypted, '?sslmode=verify-ca', { HOME: other })).toEqual(refused);
    expect(await ask(encrypted, '?sslmode=require', { HOME: other })).toEqual(refused);
    expect(await ask(encrypted, '?sslmode=require', { HOME: own, PGSSLROOTCERT: otherAuthority })).toEqual(
      refused,
    );
    const [code, stderr] = await ask(encrypted, '?sslmode=verify-full', { HOME: own });
    expect([code, stderr]).toEqual([5, expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID')]);
  });

  it('trusts public authorities for whole names only', async () => {
    expect(await ask(encrypted, '?sslmode=verify-ca', { HOME: temporaryFolder() })).toEqual([
      2,
      expect.stringMatching(
        /verify-ca needs the certificates.*\n.*sslrootcert=FILE.*PGSSLROOTCERT.*root\.crt/,
      ),
    ]);
    expect(await ask(encrypted, '?sslmode=require&sslrootcert=system')).toEqual([
      2,
      expect.stringMatching(/sslrootcert=system does not go with sslmode=require\n.*verify-full/),
    ]);
    for (const query of ['?sslrootcert=system', '?sslmode=verify-full&sslrootcert=system']) {
      expect(await ask(encrypted, query, { HOME: homeWith(ownAuthority) })).toEqual([
        5,
        expect.stringMatching(/cannot be trusted.*DEPTH_ZERO_SELF_SIGNED_CERT/),
      ]);
    }
  });

  it.each([
    ['?sslmode=verify-full', {}],
    ['?sslmode=verify-ca', 'other'],
    ['?sslmode=require', 'other'],
  ])('is refused with %s where the authority is unknown', async (query, authority) => {
    const env = authority === 'other' ? { PGSSLROOTCERT: otherAuthority } : {};
    const [code, stderr] = await ask(encrypted, query, env);
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /^folio: postgres:.* cannot be trusted: .*\n.*sslrootcert=FILE.*PGSSLROOTCERT\.\n$/,
    );
  });

  it('is refused with verify-full where the certificate is of another name', async () => {
    const [code, stderr] = await ask(encrypted, `?sslmode=verify-full&sslrootcert=${ownAuthority}`);
    expect(code).toBe(5);
    expect(stderr).toMatch(/cannot be trusted: .*ERR_TLS_CERT_ALTNAME_INVALID\)\n.*sslmode=verify-ca/);
  });

  it('says what to do where the server wants it encrypted', async () => {
    const [code, stderr] = await ask(encrypted, '?sslmode=disable');
    expect(code).toBe(2);
    expect(stderr).toMatch(/does not let folio in: .*no encryption\n.*sslmode=require/);
  });

  it('is not tried with a file of authorities that cannot be read, or a mode that is none', async () => {
    const [code, stderr] = await ask(encrypted, '?sslmode=verify-ca&sslrootcert=/nonexistent/ca.pem');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/cannot read the certificates in \/nonexistent/),
    ]);
    expect(await ask(encrypted, '', { PGSSLMODE: 'perhaps' })).toEqual([
      2,
      expect.stringMatching(/PGSSLMODE is perhaps\n.*disable, prefer, require/),
    ]);
  });
});
