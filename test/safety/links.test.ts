import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import { runFolio } from '../support/run-folio.ts';
import { startHttpService, type HttpService } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What the attacker's name server answers, in the order of names: every name of .example means this machine. */
const ADDRESSES = ['127.0.0.1', '127.8.9.10', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '::1%lo'];
const NAMES_LEAD_HERE = `--import=data:text/javascript,${encodeURIComponent(
  "import dns from 'node:dns';import{syncBuiltinESMExports as s}from'node:module';const own=dns.lookup;" +
    `const all=${JSON.stringify(ADDRESSES)};` +
    "dns.lookup=(n,o,d)=>{if(!n.endsWith('.example'))return own(n,o,d);" +
    "if(n==='nobody.example')return d(Object.assign(new Error('unknown'),{code:'ENOTFOUND'}));" +
    "const a=all[/\\d*/.exec(n)[0]||0],f=a.includes(':')?6:4;d(null,o.all?[{address:a,family:f}]:a,f)};s()",
)}`;

let server: HttpService;
let authority: string;
/** The hosts to which the links of the invoices lead: one of each. */
let linked: readonly string[] = [];

beforeAll(async () => {
  const { key, cert } = await makeCertificate(['127.0.0.1', '::1', 'service.example', 'files.example']);
  authority = join(temporaryFolder(), 'authority.pem');
  writeFileSync(authority, cert);
  server = await startHttpService(
    (_, response, { target }) => {
      if (!target.startsWith('/v1/')) return void response.end('%PDF-1.4');
      const pageResults = linked.map((host, id) => {
        return { id, number: `A-${id}`, files: [{ fileUrl: `https://${host}:${server.port}/${id}.pdf` }] };
      });
      const total = linked.length;
      response.end(JSON.stringify({ total, page: 0, pageSize: total, pageResults, errors: [] }));
    },
    { tls: { key, cert } },
  );
});

async function download(service: string, links: readonly string[]) {
  const { port, requests } = server;
  linked = links;
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
  return { code, stderr, kept: kept.toSorted(), fetched: fetched.toSorted() };
}

describe('a link', () => {
  it('of a service elsewhere has no file fetched from this machine, however it is written', async () => {
    const numbers = '127.0.0.1 127.9.9.9 0.0.0.0 0 2130706433 0x7f000001 0177.0.0.1 127.1'.split(' ');
    const long = '::1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:0.0.0.0 ::127.0.0.1 0:0:0:0:0:0:0:1';
    const names = ['localhost', 'LOCALHOST.', 'x.localhost', ...ADDRESSES.map((_, at) => `${at}.example`)];
    for (const links of [[...numbers, ...long.split(' ').map((one) => `[${one}]`)], names]) {
      const { stderr, ...run } = await download('service.example', [...links, 'nobody.example']);
      expect(run).toEqual({ code: 6, kept: [], fetched: [] });
      const refused = /leads to this machine, where the service is not: it is not followed/g;
      expect(stderr.match(refused)).toHaveLength(links.length);
      expect(stderr).toMatch(/could not reach nobody\.example:\d+: its name is unknown \(DNS\)/);
    }
  });

  it('of a service on this machine to its number and to its name has files fetched from it', async () => {
    const names = [0, 1].map((at) => expect.stringMatching(new RegExp(`^A-${at}-.*\\.pdf$`)) as string);
    const run = await download('127.0.0.1', ['127.0.0.1', 'files.example']);
    expect(run).toMatchObject({ code: 0, kept: names, fetched: ['/0.pdf', '/1.pdf'] });
  });
});
