import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../support/http-service.ts';
import { runFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Has every name of .example mean this machine, as a name server of the attacker's would. */
const NAMES_LEAD_HERE = `--import=data:text/javascript,${encodeURIComponent(
  "import dns from 'node:dns';import{syncBuiltinESMExports as s}from'node:module';const own=dns.lookup;" +
    "dns.lookup=(n,o,d)=>n.endsWith('.example')?d(null,o.all?[{address:'127.0.0.1',family:4}]:'127.0.0.1',4):own(n,o,d);s()",
)}`;

let server: HttpService;
let authority: string;
let host = '';

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'service' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'service.example' },
          { type: 2, value: 'files.example' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  authority = join(temporaryFolder(), 'authority.pem');
  writeFileSync(authority, cert);
  server = await startHttpService(
    (_, response, { target }) => {
      if (!target.startsWith('/v1/')) {
        response.end('%PDF-1.4');
        return;
      }
      const pageResults = [{ id: 1, number: 'A-1', files: [{ fileUrl: `https://${host}/1.pdf` }] }];
      response.end(JSON.stringify({ total: 1, page: 0, pageSize: 1, pageResults, errors: [] }));
    },
    { tls: { key, cert } },
  );
});

async function download(service: string, link: string) {
  const { port, requests } = server;
  host = `${link}:${port}`;
  requests.length = 0;
  const folder = join(temporaryFolder(), 'files');
  const env = {
    FOLIO_BASE_URL: `https://${service}:${port}/v1`,
    NODE_EXTRA_CA_CERTS: authority,
    NODE_OPTIONS: NAMES_LEAD_HERE,
  };
  const { code, stderr } = await runFolio(['issued', 'download', folder, '--retries', '0'], { env });
  const kept = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  const fetched = requests.map(({ target }) => target).filter((target) => !target.startsWith('/v1/'));
  return { code, stderr, kept, fetched };
}

describe('a service elsewhere', () => {
  it.each(['127.0.0.1', '0', '2130706433', '[::ffff:127.0.0.1]', '[::]', 'localhost', 'files.example'])(
    'has no file fetched from this machine by a link to %s',
    async (link) => {
      const run = await download('service.example', link);
      expect(run).toMatchObject({ code: 6, kept: [], fetched: [] });
      expect(run.stderr).toMatch(/leads to this machine, where the service is not: it is not followed/);
    },
  );
});

describe('a service on this machine', () => {
  it.each(['127.0.0.1', 'files.example'])('has files fetched from it by a link to %s', async (link) => {
    const run = await download('127.0.0.1', link);
    expect(run).toMatchObject({ code: 0, kept: ['A-1-1.pdf'], fetched: ['/1.pdf'] });
  });
});
