import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startInvoiceService } from '../support/invoice-service.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FILES = 40;
const CONTENT = `%PDF-${'whole '.repeat(20_000)}`;

it('a download that is killed leaves whole files only, and the next one goes on', async () => {
  const invoices = Array.from({ length: FILES }, (_, at) => ({
    id: at,
    number: at,
    files: [`/f/${at}.pdf`],
  }));
  let asked = 0;
  let kill = (): void => {};
  const service = await startInvoiceService(invoices, (_request, response) => {
    // Now and then a body stops halfway, so that there are halves when the kill comes.
    if (++asked % 5 !== 0) response.end(CONTENT);
    else
      response
        .writeHead(200, { 'content-length': CONTENT.length })
        .write(CONTENT.slice(0, 60_000), () => kill());
  });
  const folder = temporaryFolder();
  const args = ['issued', 'download', folder, '--base-url', service.origin, '--retry-delay', '1'];
  const ends: (string | null)[] = [];
  for (let round = 0; round < 3; round++) {
    const { process, exit } = startFolio(args);
    let halves = 0;
    kill = () => void (++halves === 2 && process.kill('SIGKILL'));
    ends.push((await exit).signal);
    for (const name of readdirSync(folder).filter((name) => !name.startsWith('.'))) {
      expect(readFileSync(`${folder}/${name}`, 'utf8') === CONTENT, name).toBe(true);
    }
  }
  expect(ends).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
  asked = Number.NEGATIVE_INFINITY;
  const { code, stdout } = await runFolio(args);
  expect(code).toBe(0);
  expect(stdout.toString().match(/,there$/gm)!.length).toBeGreaterThan(0);
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(FILES);
});
