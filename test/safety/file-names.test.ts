import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostileNames } from '../output/hostile-names.ts';
import { startInvoiceService } from '../support/invoice-service.ts';
import { countFigure } from '../support/random-runs.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a server may say of the file, in its address and its headers. */
const ENDINGS = 'x.pdf ..%2f..%2fx.sh x.exe x.pdf%00.sh x.desktop x %2e%2e x.p/../../y.lnk'.split(' ');
const TYPES = [
  ...['application/pdf', 'application/x-sh', '../../x', 'text/html; name=../x', ''],
  'application/x-msdownload',
];

describe('files of a hostile server', () => {
  it('stay in the folder, each under a name of its own', async () => {
    const names = hostileNames();
    const invoices = names.map((number, id) => {
      return { id, number, files: [`/files/${ENDINGS[id % ENDINGS.length]}?${id}`] };
    });
    const { baseUrl } = await startInvoiceService(invoices, (request, response) => {
      const id = Number(/\?(\d+)$/.exec(request.url ?? '')?.[1]);
      response.setHeader('content-type', TYPES[id % TYPES.length]!);
      response.setHeader('content-disposition', 'attachment; filename="../../../x.sh"');
      response.end(`%PDF-${id}`);
    });
    const outer = temporaryFolder();
    const folder = join(outer, 'a', 'b', 'files');
    const args = ['issued', 'download', folder, '--format', 'jsonl', '--base-url', baseUrl];
    expect(await runHere(args)).toMatchObject({ code: 0, stderr: '' });
    const found = readdirSync(outer, { recursive: true, encoding: 'utf8' }).map((path) => join(outer, path));
    const outside = found.filter(
      (path) => !path.startsWith(`${folder}/`) && !`${folder}/`.startsWith(`${path}/`),
    );
    countFigure({ what: 'names of files', ran: names.length, leaked: outside.length });
    expect(outside).toEqual([]);
    const files = readdirSync(folder).filter((name) => !name.startsWith('.folio'));
    // All of them are plain files, none with an ending that a desktop would run, and every content is there once.
    const isPlain = (name: string): boolean => {
      const stats = lstatSync(join(folder, name));
      return stats.isFile() && (stats.mode & 0o111) === 0 && /\.(?:pdf|html|bin|x)$/.test(name);
    };
    expect(files.filter((name) => !isPlain(name))).toEqual([]);
    const contents = new Set(files.map((name) => readFileSync(join(folder, name), 'utf8')));
    expect([files.length, contents.size]).toEqual([names.length, names.length]);
  });
});
