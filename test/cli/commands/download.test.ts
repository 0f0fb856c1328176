import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it, describe } from 'vitest';
import type { TransportRequest } from '../../../src/api/transport.ts';
import { openUndiciTransport } from '../../../src/api/undici-transport.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { fakeTransport } from '../../support/fake-transport.ts';
import {
  fileAt,
  runAgainstService,
  SERVICE_TOKEN,
  startInvoiceService,
  type ListedInvoice,
} from '../../support/invoice-service.ts';
import { jsonWebToken } from '../../support/json-web-token.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

/** The names of the files, with a # for each hash. */
const filesIn = (folder: string): string[] => readdirSync(folder).map(unhashed).toSorted();

const unhashed = (text: string): string => text.replaceAll(/-[0-9a-f]{8}(?=[-.])/g, '-#');

/** The only file in the folder whose name begins so. */
function fileIn(folder: string, start: string): string {
  const names = readdirSync(folder).filter((name) => name.startsWith(start));
  expect(names).toHaveLength(1);
  return join(folder, names[0]!);
}

const invoiceAt = (at: number) => ({ id: `id-${at}`, number: at + 1, files: [`/files/${at + 1}.pdf`] });

const invoices = (count: number): ListedInvoice[] => Array.from({ length: count }, (_, at) => invoiceAt(at));

type Service = Awaited<ReturnType<typeof startInvoiceService>>;
type RunOptions = Parameters<typeof runAgainstService>[2];

/** Downloads into the folder, and returns beside the outcome which files were asked for. */
async function download(
  service: Service,
  folder: string,
  flags: readonly string[] = [],
  options?: RunOptions,
) {
  service.requests.length = 0;
  const argv = ['issued', 'download', folder, '--no-header', ...flags];
  const run = await runAgainstService(argv, service, options);
  const targets = service.requests.map(({ target }) => target).filter((target) => !target.startsWith('/v1/'));
  return { ...run, says: unhashed(run.stdout), targets };
}

describe('folio issued download', () => {
  it('puts every file into the folder and says so, a record each, in the order of the listing', async () => {
    const service = await startInvoiceService([
      { id: 'a', number: 'F-1', files: ['/files/1.pdf', '/files/2.xml?signature=x'] },
      { id: 'b', number: 7 },
      { id: 'c', number: 8, files: [] },
      { id: 'd', number: 9, files: ['/files/3.pdf'] },
    ]);
    const folder = join(temporaryFolder(), 'new', 'folder');
    const { code, stdout, stderr } = await runAgainstService(['issued', 'download', folder], service);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(unhashed(stdout)).toBe(
      'invoice,file,bytes,status\nF-1,F-1-a-#.pdf,17,saved\nF-1,F-1-a-#.xml,29,saved\n9,9-d-#.pdf,17,saved\n',
    );
    expect(filesIn(folder)).toEqual(['9-d-#.pdf', 'F-1-a-#.pdf', 'F-1-a-#.xml']);
    const xml = readdirSync(folder).find((name) => name.endsWith('.xml'))!;
    expect(readFileSync(join(folder, xml), 'utf8')).toBe('<xml /files/2.xml?signature=x');
    // The name is made of the organization, the document and the path, and so the same wherever it is downloaded.
    expect(stdout).toContain(xml);
  });

  it('leaves no folder that it made where it puts nothing into it', async () => {
    const parent = temporaryFolder();
    const service = await startInvoiceService([{ id: 'b', number: 7 }]);
    const { code } = await download(service, join(parent, 'new', 'folder'));
    expect([code, readdirSync(parent)]).toEqual([0, []]);
  });

  it('sends no credentials to where the files are, be it the same origin', async () => {
    const service = await startInvoiceService(invoices(3));
    const { targets } = await download(service, temporaryFolder());
    expect(targets).toHaveLength(3);
    const plain = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];
    for (const { target, headers } of service.requests) {
      if (target.startsWith('/v1/')) continue;
      expect(Object.keys(headers).sort()).toEqual(plain);
      expect(JSON.stringify(headers)).not.toContain(SERVICE_TOKEN);
    }
  });

  it('does not fetch again what is there, with whatever ending, and fetches what was deleted', async () => {
    const service = await startInvoiceService(invoices(3));
    const folder = temporaryFolder();
    await download(service, folder);
    const second = fileIn(folder, '2-');
    renameSync(second, second.replace('.pdf', '.PDF'));
    rmSync(fileIn(folder, '3-'));
    const { says, targets } = await download(service, folder);
    expect(says).toBe('1,1-id-0-#.pdf,17,there\n2,2-id-1-#.PDF,17,there\n3,3-id-2-#.pdf,17,saved\n');
    expect(targets).toEqual(['/files/3.pdf']);
    expect(filesIn(folder)).toEqual(['1-id-0-#.pdf', '2-id-1-#.PDF', '3-id-2-#.pdf']);
  });

  const invoice = { id: 'invoice', number: 5, files: ['/files/invoice.pdf'] };
  const creditNote = { id: 'credit-note', number: 5, files: ['/files/credit-note.pdf'] };
  const withoutId = ({ number, files }: typeof invoice): ListedInvoice => ({ number, files });
  it.each<[what: string, ...rounds: [listed: ListedInvoice[], says: string][]]>([
    [
      'two invoices of one number, also when a later run asks for one of them alone',
      [[invoice], '5,5-invoice-#.pdf,23,saved\n'],
      [[creditNote], '5,5-credit-note-#.pdf,27,saved\n'],
      [[creditNote, invoice], '5,5-credit-note-#.pdf,27,there\n5,5-invoice-#.pdf,23,there\n'],
    ],
    [
      'an invoice and a credit note of one number, where no record has an id',
      [[withoutId(invoice)], '5,5-#.pdf,23,saved\n'],
      [[withoutId(creditNote), withoutId(invoice)], '5,5-#.pdf,27,saved\n5,5-#.pdf,23,there\n'],
    ],
    [
      'files of one document by their own paths, not by their places in the list',
      [[{ id: 'a', number: 7, files: ['/files/one.pdf?signature=1'] }], '7,7-a-#.pdf,31,saved\n'],
      [
        [{ id: 'a', number: 7, files: ['/files/other.pdf?signature=2', '/files/one.pdf?signature=3'] }],
        '7,7-a-#.pdf,33,saved\n7,7-a-#.pdf,31,there\n',
      ],
    ],
    [
      'files that nothing tells apart, in the order of the listing',
      [
        [
          { number: 7, files: ['/files/one.pdf'] },
          { number: 7, files: ['/files/one.pdf', '/files/one.pdf'] },
        ],
        '7,7-#.pdf,19,saved\n'.repeat(3),
      ],
    ],
  ])('keeps apart %s', async (_, ...rounds) => {
    const service = await startInvoiceService([]);
    const folder = temporaryFolder();
    let last = '';
    for (const [listed, expected] of rounds) {
      service.invoices = listed;
      const { says, stdout } = await download(service, folder);
      expect(says).toBe(expected);
      last = stdout;
    }
    const again = await download(service, folder);
    expect([again.stdout, again.targets]).toEqual([last.replaceAll('saved', 'there'), []]);
    const files = service.invoices.flatMap((each) => each.files ?? []);
    const names = [...last.matchAll(/[^,\n]+\.pdf/g)].flat();
    const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').split('?')[0]);
    expect(texts).toEqual(files.map((path) => `%PDF-${path.split('?')[0]}`));
  });

  it('keeps apart two organizations in one folder, though ids and paths are the same', async () => {
    const service = await startInvoiceService(invoices(1));
    const folder = temporaryFolder();
    const as = (organizationId: string) =>
      download(service, folder, [], { env: { FOLIO_TOKEN: jsonWebToken({ organizationId }) } });
    const [north, south] = [await as('north'), await as('south')];
    for (const { says } of [north, south]) expect(says).toBe('1,1-id-0-#.pdf,17,saved\n');
    expect(filesIn(folder)).toHaveLength(2);
    await expectAnswer(as('north'), north.stdout.replace('saved', 'there'));
    await expectAnswer(as('south'), south.stdout.replace('saved', 'there'));
  });

  it('gives no document the file of another once their links are renewed', async () => {
    let ended = true;
    const service = await startInvoiceService(
      [
        { number: 7, files: ['/files/invoice.pdf?signature=1'] },
        { number: 7, files: ['/files/credit-note.pdf?signature=1'] },
      ],
      (request, response) => {
        if (ended)
          service.invoices = service.invoices.map(({ number, files }) => ({
            number: number!,
            files: files!.map((path) => path.replace(/=1$/, '=2')),
          }));
        const isOld = request.url?.endsWith('=1') === true;
        response.statusCode = isOld ? 403 : 200;
        ended = false;
        response.end(fileAt(request.url ?? ''));
      },
    );
    const folder = temporaryFolder();
    const { code, stdout } = await download(service, folder);
    expect(code).toBe(0);
    const texts = [...stdout.matchAll(/7-[^,]+/g)].map(([name]) => readFileSync(join(folder, name), 'utf8'));
    expect(texts).toEqual(['%PDF-/files/invoice.pdf?signature=2', '%PDF-/files/credit-note.pdf?signature=2']);
  });

  it('fetches only the kinds that are wanted, and asks anew what kind the others are', async () => {
    const files = ['/files/1.pdf', '/files/opaque'];
    const service = await startInvoiceService([{ id: 'a', number: 1, files }], (request, response) => {
      const type = request.url === '/files/opaque' ? 'text/xml' : 'application/pdf';
      response.setHeader('content-type', type).end(type === 'text/xml' ? '<xml>' : '%PDF-');
    });
    const folder = temporaryFolder();
    const only = ['--only', '.PDF', '--only', 'png'];
    expect((await download(service, folder, only)).says).toBe('1,1-a-#.pdf,5,saved\n');
    expect(filesIn(folder)).toEqual(['1-a-#.pdf']);
    expect((await download(service, folder, only)).targets).toEqual(['/files/opaque']);
    expect((await download(service, folder)).says).toBe('1,1-a-#.pdf,5,there\n1,1-a-#.xml,5,saved\n');
  });

  it('names what failed, exit 6, with everything else there', async () => {
    const service = await startInvoiceService(invoices(4), (request, response) => {
      if (request.url === '/files/2.pdf') response.writeHead(404).end();
      else if (request.url === '/files/3.pdf') response.writeHead(500).end();
      else response.end('%PDF-');
    });
    service.invoices.push({ id: 'no-link', number: 'N', files: [''] });
    const folder = temporaryFolder();
    const argv = ['issued', 'download', folder, '--format', 'jsonl', '--retries', '1'];
    const { code, stdout, stderr } = await runAgainstService(argv, service);
    expect(code).toBe(6);
    expect(stdout.split('\n')[1]).toBe('{"invoice":2,"file":null,"bytes":null,"status":"failed"}');
    const host = service.origin.slice('http://'.length);
    expect(stderr).toBe(
      `folio: 3 of 5 files could not be downloaded: 2-1 (${host} has no such file (404)); ` +
        `3-1 (${host} does not hand over the file (500); gave up after 2 tries); ` +
        'N-1 (the service names the file but gives no link to it)\n' +
        '  Run the same command again: what is there is not fetched again.\n',
    );
    expect(filesIn(folder)).toEqual(['1-id-0-#.pdf', '4-id-3-#.pdf']);
  });

  it('does not advise to fetch again what is refused for good', async () => {
    const refuses = await startInvoiceService(
      invoices(1),
      (_, response) => void response.writeHead(403).end(),
    );
    const { code, stderr } = await runAgainstService(['issued', 'download', temporaryFolder()], refuses);
    expect([code, stderr]).toEqual([6, expect.stringContaining('\n  Running it again will hardly help: ')]);
  });

  it('retries a file that is cut short, and leaves no half', async () => {
    let tries = 0;
    const service = await startInvoiceService(invoices(1), (_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      if (tries++ < 2) response.write('half', () => response.socket?.resetAndDestroy());
      else response.end('%PDF-56789');
    });
    const folder = temporaryFolder();
    const { code, context } = await download(service, folder);
    expect({ code, tries, waits: context.clock.sleeps.length }).toEqual({ code: 0, tries: 3, waits: 2 });
    expect(readFileSync(fileIn(folder, '1-'), 'utf8')).toBe('%PDF-56789');
    expect(filesIn(folder)).toEqual(['1-id-0-#.pdf']);
  });

  it('follows no link to plain http elsewhere, to a user, or from a redirect', async () => {
    const links = [
      ...['http://files.example.com/1.pdf', 'https://user:secret@files.example.com/1.pdf'],
      ...['file:///etc/passwd', 'nonsense', '/to-http', '/round'],
    ];
    const service = await startInvoiceService([{ id: 1, number: 1, files: links }], (request, response) => {
      const location = request.url === '/round' ? '/round' : 'http://files.example.com/x?signature=s3cret';
      response.writeHead(302, { location }).end();
    });
    const { code, stderr } = await download(service, temporaryFolder());
    expect(code).toBe(6);
    expect(stderr).toContain('1-1 (the link to files.example.com is http:// and not https://: it is not');
    expect(stderr).toContain('1-2 (the link to files.example.com names a user');
    expect(stderr).toContain('1-3 (the link is file:// and not https://');
    expect(stderr).toContain('1-4 (the link is not an address');
    expect(stderr).toContain('1-5 (the link to files.example.com is http://');
    expect(stderr).toContain('redirects more than 5 times');
    expect(stderr).not.toContain('secret');
    expect(service.requests.filter(({ target }) => target === '/round')).toHaveLength(6);
  });

  it('asks once more for a link that has ended, with its neighbours', async () => {
    let now = Date.UTC(2026, 10, 20, 12);
    const sandbox = await startSandbox({ now: () => now, issued: 30 });
    const folder = temporaryFolder();
    try {
      const service = { origin: sandbox.baseUrl.slice(0, -'/v1'.length) };
      let answers = 0;
      const { code, stderr } = await runAgainstService(['issued', 'download', folder], service, {
        env: { FOLIO_TOKEN: sandbox.tokens[0] },
        prepare: ({ clock }) => clock.advance(now - clock.now()),
        openTransport: async (options) => {
          const transport = await openUndiciTransport(options);
          if (options.origin === undefined) return transport;
          const open: typeof transport.open = async (request) => {
            const response = await transport.open(request);
            // Two days pass between the first page and the first file.
            if (answers++ === 0) now += 48 * 60 * 60 * 1000;
            return response;
          };
          return { ...transport, open };
        },
      });
      expect({ code, stderr, answers }).toEqual({ code: 0, stderr: '', answers: 2 });
      expect(filesIn(folder).length).toBeGreaterThan(20);
    } finally {
      await sandbox.close();
    }
  });

  it('gives up on a link that stays refused after it was asked for anew', async () => {
    let listed = 0;
    const service = await startInvoiceService(invoices(1), (_request, response) =>
      response.writeHead(403).end(),
    );
    Object.defineProperty(service, 'invoices', {
      get: () => [{ id: 'a', number: 1, files: [`/files/1?signature=${listed++}`] }],
    });
    const { code, stderr, targets } = await download(service, temporaryFolder());
    expect(code).toBe(6);
    expect(stderr).toContain('refuses the link (403)');
    expect(targets).toHaveLength(2);
  });

  it('goes on where the listing fails when a link is asked for anew', async () => {
    const service = await startInvoiceService(invoices(2), (request, response) =>
      request.url === '/files/1.pdf' ? response.writeHead(403).end() : response.end('%PDF-whole'),
    );
    let listed = 0;
    const folder = temporaryFolder();
    const { code, stderr } = await download(service, folder, [], {
      openTransport: async (options) => {
        const transport = await openUndiciTransport(options);
        const refusing = fakeTransport({ status: 502 });
        const isListing = ({ url }: TransportRequest): boolean => url.pathname.endsWith('/issued');
        return {
          ...transport,
          open: (request) => (isListing(request) && listed++ > 0 ? refusing : transport).open(request),
        };
      },
    });
    expect([code, filesIn(folder)]).toEqual([6, ['2-id-1-#.pdf']]);
    expect(stderr).toContain('failed on /v1/invoices/issued (502)');
  });

  it('stops at once, leaving whole files only', async () => {
    const service = await startInvoiceService(invoices(20), (request, response) => {
      if (request.url === '/files/1.pdf') response.end('%PDF-whole');
      else response.writeHead(200, { 'content-length': 100 }).write('half');
      if (request.url === '/files/9.pdf') setImmediate(() => stop('SIGINT'));
    });
    let stop: (signal: 'SIGINT') => void = () => {};
    const folder = temporaryFolder();
    const { code } = await download(service, folder, [], { prepare: (context) => (stop = context.stop) });
    expect(code).toBe(130);
    expect(filesIn(folder)).toEqual(['1-id-0-#.pdf']);
  });

  it('refuses a file where the folder should be, before anything is asked', async () => {
    const service = await startInvoiceService(invoices(1));
    const file = fileOf('', 'file');
    await expectRefused(download(service, file), `cannot write ${file}`, 1);
    expect(service.requests).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  it('fetches no more than eight at once, while the listing is walked on', async () => {
    let most = 0;
    const open = new Set<ServerResponse>();
    const service = await startInvoiceService(invoices(60), (_request, response) => {
      open.add(response);
      most = Math.max(most, open.size);
      // The first eight wait for each other: were there fewer, none would ever be answered.
      if (most < 8) return;
      for (const each of open) each.end('%PDF-');
      open.clear();
    });
    const flags = ['--page-size', '5', '--concurrency', '1'];
    const { code } = await download(service, temporaryFolder(), flags);
    expect({ code, most }).toEqual({ code: 0, most: 8 });
    const order = service.requests.map(({ target }) => (target.startsWith('/v1') ? 'page' : 'file'));
    expect(order.indexOf('file')).toBeLessThan(order.lastIndexOf('page'));
  });

  it('takes the invoices for which a condition holds, as many as the limit says', async () => {
    const service = await startInvoiceService(invoices(30));
    const folder = temporaryFolder();
    for (const pages of ['--page-size 4', '--page 0 --page-size 30']) {
      const where = `--where number>=10 --limit 3 ${pages}`;
      const { says } = await download(service, folder, where.split(' '));
      expect(says).toMatch(/^10,10-id-9-#.pdf,18,(.*)\n11,11-id-10-#.pdf,18,\1\n12,12-id-11-#.pdf,18,\1\n$/);
    }
  });

  it('prints the columns of its records without fetching anything', async () => {
    const service = await startInvoiceService(invoices(1));
    const { stdout } = await download(service, '/nonexistent', ['--list-columns']);
    expect(stdout).toBe('invoice\nfile\nbytes\nstatus\n');
    expect(service.requests).toEqual([]);
  });
});
