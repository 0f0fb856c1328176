import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import { postgresForTests } from '../support/databases.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { needing } from '../support/programs.ts';
import { runHere } from '../support/run-here.ts';
import { fileOf, temporaryFolder } from '../support/temporary-folder.ts';

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
    const [own, other] = [await makeCertificate(['books.test']), await makeCertificate(['books.test'])];
    ownAuthority = fileOf(own.cert, 'own.pem');
    otherAuthority = fileOf(other.cert, 'other.pem');
    encrypted = await startPostgres(own);
  });
  afterAll(() => encrypted.stop());

  const ask = async (server: PostgresServer, query: string, env: Record<string, string> = {}) => {
    const address = `postgres://books@127.0.0.1:${server.port}/postgres`;
    const args = ['--sandbox', 'sync', `${address}${query}`, 'funds', '--plan', '--format', 'json'];
    const { code, stderr } = await runHere(args, { env });
    return [code, stderr];
  };

  const [OWN, OTHER] = ['<own>', '<other>'];
  /** What was asked, with the names of files in place of their marks. */
  const named = (text: string): string => text.replace(OWN, ownAuthority).replace(OTHER, otherAuthority);
  /** The environment; HOME says in which authority the home folder trusts. */
  const envOf = (env: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(env).map(([name, value]) => {
        const home = name === 'HOME' && (value === '' ? temporaryFolder() : homeWith(named(value)));
        return [name, home || named(value)];
      }),
    );
  const NO_AUTHORITY = /verify-ca needs the certificates.*\n.*sslrootcert=FILE.*PGSSLROOTCERT.*root\.crt/;
  const OTHER_NAME = /cannot be trusted: .*ERR_TLS_CERT_ALTNAME_INVALID\)\n.*sslmode=verify-ca/;
  const UNKNOWN = /^folio: postgres:.* cannot be trusted: .*\n.*sslrootcert=FILE.*PGSSLROOTCERT\.\n$/;

  it.each([
    // Encrypted, whoever signed; and where the authority is named, with verify-ca under any host name.
    ['?sslmode=require', {}, 0, /^$/],
    ['?sslmode=prefer', {}, 0, /^$/],
    [`?sslmode=verify-ca&sslrootcert=${OWN}`, {}, 0, /^$/],
    ['?sslmode=verify-ca', { PGSSLROOTCERT: OWN }, 0, /^$/],
    [`?sslrootcert=${OWN}`, { PGSSLMODE: 'require' }, 0, /^$/],
    // The authorities in ~/.postgresql/root.crt, as with libpq.
    ['?sslmode=verify-ca', { HOME: OWN }, 0, /^$/],
    ['?sslmode=require', { HOME: OWN }, 0, /^$/],
    ['?sslmode=prefer', { HOME: OTHER }, 0, /^$/],
    ['?sslmode=verify-ca', { HOME: OTHER }, 5, UNKNOWN],
    ['?sslmode=require', { HOME: OTHER }, 5, UNKNOWN],
    ['?sslmode=require', { HOME: OWN, PGSSLROOTCERT: OTHER }, 5, UNKNOWN],
    ['?sslmode=verify-full', { HOME: OWN }, 5, OTHER_NAME],
    ['?sslmode=verify-ca', { HOME: '' }, 2, NO_AUTHORITY],
    // An unknown authority, another name, what is not encrypted, and what makes no sense.
    ['?sslmode=verify-full', {}, 5, UNKNOWN],
    ['?sslmode=verify-ca', { PGSSLROOTCERT: OTHER }, 5, UNKNOWN],
    ['?sslmode=require', { PGSSLROOTCERT: OTHER }, 5, UNKNOWN],
    [`?sslmode=verify-full&sslrootcert=${OWN}`, {}, 5, OTHER_NAME],
    ['?sslmode=disable', {}, 2, /does not let folio in: .*no encryption\n  It requires .*sslmode=require/],
    // The public authorities alone, whoever else is trusted here.
    ['?sslrootcert=system', { HOME: OWN }, 5, UNKNOWN],
    ['?sslmode=verify-ca&sslrootcert=/no/ca.pem', {}, 2, /cannot read the certificates in \/no\/ca/],
    ['?sslmode=allow', {}, 2, /sslmode=allow\n  It may be disable, prefer, require/],
    ['', { PGSSLMODE: 'allow' }, 2, /PGSSLMODE is allow\n  It may be disable, prefer, require/],
  ] as const)('with %s and %j is what libpq makes of it', async (query, env, code, says) => {
    expect(await ask(encrypted, named(query), envOf(env))).toEqual([code, expect.stringMatching(says)]);
  });

  it('is made unencrypted where the server offers nothing else and nobody asks for more', async () => {
    expect(await ask(plain(), '?sslmode=prefer')).toEqual([0, '']);
    expect(await ask(plain(), '')).toEqual([0, '']);
    expect(await ask(plain(), '?sslmode=require')).toEqual([
      2,
      expect.stringMatching(/offers no encrypted connection\n.*sslmode=disable/),
    ]);
  });
});
