import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FolioExit } from '../../support/run-folio.ts';
import { runHere } from '../../support/run-here.ts';
import { runOrganizations, type Organization } from '../../support/run-organizations.ts';
import { pageOf, runStub, type Answer, type ScriptedExit } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let number = 0;

function invoice(name: string | undefined, fiscalId: string | undefined, fields: object = {}): string {
  number++;
  return JSON.stringify({
    ...{ id: number, number, documentType: 'INVOICE', date: '2026-10-01', dueBy: '2026-11-10' },
    ...{ totalAmount: 119, amountToBePaid: 100, currency: 'CLP', issuerFiscalId: '9-9' },
    ...{ receiverFiscalId: fiscalId, customer: { name } },
    ...fields,
  });
}

const ROBLE = invoice('Roble', '1-9');
const LAGO = invoice('Lago', '2-7');
const paid = (record: string): string => record.replace('"amountToBePaid":100', '"amountToBePaid":0');

class Folder {
  readonly path = join(temporaryFolder(), 'statements');

  run(records: readonly string[] | Answer, ...flags: readonly string[]): Promise<ScriptedExit> {
    const isAnswer = typeof records === 'string' || typeof records[0] === 'number';
    const answer = isAnswer ? (records as Answer) : pageOf(records as readonly string[]);
    const line = ['statement', '--all', '--retries', '0', '--output-dir', this.path, ...flags];
    return runStub(line, { issued: answer, received: answer }, { env: { LC_ALL: 'en_US.UTF-8' } });
  }

  get files(): readonly string[] {
    return readdirSync(this.path)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  write(name: string, text: string): void {
    mkdirSync(this.path, { recursive: true });
    writeFileSync(join(this.path, name), text);
  }

  shown(name: string): string {
    return join(this.path, name);
  }
}

const OK = { code: 0, stdout: '', stderr: '' };

describe('a folder of statements', () => {
  it('has a page for everyone with an open amount or a credit, and an index', async () => {
    const folder = new Folder();
    const records = [
      ...[ROBLE, LAGO, paid(invoice('Settled', '3-5'))],
      invoice('Credit', '4-3', { documentType: 'CREDIT_NOTE' }),
    ];
    expect(await folder.run(records, '--organization', 'Norte SpA', '--note', 'Pay')).toMatchObject(OK);
    expect(folder.files).toEqual(['1-9 Roble.html', '2-7 Lago.html', '4-3 Credit.html', 'index.html']);
    const roble = folder.read('1-9 Roble.html');
    expect(roble).toMatch(/Norte SpA[^]*Roble[^]*Pay/);
    expect(roble).not.toMatch(/Lago|2-7|Credit\b|https?:|<script/);
    const index = folder.read('index.html');
    expect(index).toContain('<a href="./1-9%20Roble.html"');
    expect(index).toContain('Norte SpA');
    expect(index).not.toMatch(/Settled<|<script|https?:/);
    // Twice is once.
    const before = folder.files.map((name) => folder.read(name));
    expect(await folder.run(records, '--organization', 'Norte SpA', '--note', 'Pay')).toMatchObject(OK);
    expect(folder.files.map((name) => folder.read(name))).toEqual(before);
  });

  it('gives each a name that every system can hold, and none that another one has', async () => {
    const folder = new Folder();
    const shared = ['sol', 'SOL', 'So/l', 'So?l', '../../x', '', '<b>', 'a\u202eb'];
    const records = [
      ...shared.map((name) => invoice(name === '' ? undefined : name, '55555555-5')),
      ...['CON', 'index', 'INDEX', '.hidden', '-rf', 'nul.txt', 'Ñandú S.A.', 'x'.repeat(400), '\u0000'].map(
        (name) => invoice(name, undefined),
      ),
      invoice(undefined, undefined),
    ];
    expect(await folder.run(records)).toMatchObject(OK);
    const { files } = folder;
    expect(files).toHaveLength(records.length + 1);
    expect(new Set(files.map((name) => name.normalize('NFKC').toLowerCase())).size).toBe(files.length);
    for (const name of files) {
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150);
      expect(name).toMatch(/^[^.\-\s/\\<>:"|?*\p{C}][^/\\<>:"|?*\p{C}]*\.html$/u);
      expect(name).not.toMatch(/^(?:con|nul)\b/i);
    }
    expect(files).toEqual(
      expect.arrayContaining([
        '55555555-5 sol.html',
        '55555555-5 SOL-2.html',
        '_CON.html',
        'index-2.html',
        'INDEX-3.html',
      ]),
    );
    // Each link of the index leads to a page of the folder.
    const links = [...folder.read('index.html').matchAll(/href="\.\/([^"]+)"/g)].map(([, link]) =>
      decodeURIComponent(link!),
    );
    expect(links.toSorted()).toEqual(files.filter((name) => name !== 'index.html'));
  });

  it('names who has settled, and replaces the page by one that says so, once', async () => {
    const folder = new Folder();
    await folder.run([ROBLE, LAGO]);
    const { code, stderr } = await folder.run([paid(ROBLE), LAGO]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: ${folder.shown('1-9 Roble.html')}: nothing is open any more, and the page says so now\n`,
    });
    const page = folder.read('1-9 Roble.html');
    expect(page).toContain('Nothing is open.');
    expect(page).toContain('<bdi>Roble</bdi>');
    expect(page).not.toContain('CLP');
    expect(folder.read('index.html')).toMatch(/Settled since an earlier statement[^]*1-9%20Roble\.html/);
    // Gone from the listing, too: nothing further is said.
    expect(await folder.run([LAGO])).toMatchObject(OK);
    expect(folder.read('1-9 Roble.html')).toBe(page);
    expect(await folder.run([ROBLE, LAGO])).toMatchObject(OK);
    expect(folder.read('1-9 Roble.html')).toContain('Amount due');
    expect(folder.read('index.html')).not.toContain('Settled since');
  });

  it('says in its receipt which pages it wrote', async () => {
    const folder = new Folder();
    const receipt = join(temporaryFolder(), 'receipt.json');
    expect(await folder.run([ROBLE], '--receipt', receipt)).toMatchObject(OK);
    const facts = JSON.parse(readFileSync(receipt, 'utf8')) as { files: readonly object[] };
    expect(facts).toMatchObject({ output: folder.path, format: 'html', statements: 1, complete: true });
    expect(facts.files).toEqual(
      folder.files.map((name) => ({
        name,
        bytes: Buffer.byteLength(folder.read(name)),
        sha256: createHash('sha256').update(folder.read(name)).digest('hex'),
      })),
    );
  });

  it('does not make again the page of one who settled, which was removed', async () => {
    const folder = new Folder();
    await folder.run([ROBLE, LAGO]);
    rmSync(folder.shown('1-9 Roble.html'));
    expect(await folder.run([LAGO])).toMatchObject(OK);
    expect(folder.files).toEqual(['2-7 Lago.html', 'index.html']);
    expect(await folder.run([ROBLE])).toMatchObject({ code: 0 });
    expect(folder.files).toContain('1-9 Roble.html');
  });

  it('takes nobody for settled where not everything could be read', async () => {
    const folder = new Folder();
    await folder.run([ROBLE, LAGO]);
    const before = folder.read('1-9 Roble.html');
    const short = await folder.run(pageOf([LAGO], { total: 5 }));
    expect(short.code).toBe(6);
    expect(short.stderr).toContain(`${folder.shown('1-9 Roble.html')} stays as it was`);
    expect(folder.read('1-9 Roble.html')).toBe(before);
    expect(folder.read('2-7 Lago.html')).toContain('This statement is not whole');
    expect(folder.read('index.html')).toContain('Not everything could be read.');
    const unreadable = ROBLE.replace('"amountToBePaid":100', '"amountToBePaid":"N/A"');
    const other = await folder.run([LAGO, unreadable]);
    expect(other.code).toBe(6);
    expect(other.stderr).toContain(`${folder.shown('1-9 Roble.html')} stays as it was`);
    expect(folder.read('1-9 Roble.html')).toBe(before);
    expect(folder.read('2-7 Lago.html')).not.toContain('not whole');
  });

  it('leaves everything where nothing could be read', async () => {
    const folder = new Folder();
    await folder.run([ROBLE]);
    const before = folder.files.map((name) => folder.read(name));
    expect(await folder.run([403, '{"Message":"no"}'])).toMatchObject({ code: 3 });
    expect(folder.files.map((name) => folder.read(name))).toEqual(before);
  });

  it('never replaces what is not its own, nor what was changed since', async () => {
    const folder = new Folder();
    folder.write('1-9 Roble.html', 'mine');
    expect(await folder.run([ROBLE])).toMatchObject(OK);
    expect(folder.read('1-9 Roble.html')).toBe('mine');
    expect(folder.read('1-9 Roble-2.html')).toContain('Amount due');
    expect(await folder.run([ROBLE])).toMatchObject(OK);
    expect(folder.files).toEqual(['1-9 Roble-2.html', '1-9 Roble.html', 'index.html']);
    appendFileSync(folder.shown('1-9 Roble-2.html'), '<!-- a word of mine -->');
    const { code, stderr } = await folder.run([ROBLE]);
    expect(code).toBe(0);
    expect(stderr).toContain(`${folder.shown('1-9 Roble-2.html')} is not as folio wrote it`);
    expect(folder.read('1-9 Roble-2.html')).toContain('a word of mine');
    expect(folder.files).toContain('1-9 Roble-3.html');
  });

  it('names the page of one who settled, which was changed since, and leaves it', async () => {
    const folder = new Folder();
    await folder.run([ROBLE, LAGO]);
    appendFileSync(folder.shown('1-9 Roble.html'), '<!-- mine -->');
    const { code, stderr } = await folder.run([LAGO]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: ${folder.shown('1-9 Roble.html')} is not as folio wrote it, and stays as it is: nothing open was read of it\n`,
    });
    expect(folder.read('1-9 Roble.html')).toContain('mine');
    expect(await folder.run([LAGO])).toMatchObject(OK);
  });

  it('is refused before anything is asked where its index is not folio’s', async () => {
    const folder = new Folder();
    folder.write('index.html', 'mine');
    const { code, stderr, asked } = await folder.run([ROBLE]);
    expect({ code, stderr, asked }).toEqual({
      code: 2,
      stderr:
        `folio: ${folder.shown('index.html')} is no index of folio's, or was changed since, and stays as it is\n` +
        '  Move it away, or name another folder with --output-dir.\n',
      asked: [],
    });
    expect(folder.files).toEqual(['index.html']);
    expect(folder.read('index.html')).toBe('mine');
  });

  it('is for customers or for suppliers', async () => {
    const folder = new Folder();
    await folder.run([ROBLE]);
    const { code, stderr, asked } = await folder.run([ROBLE], '--payable');
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(stderr).toContain(
      'has the statements of customers\n  Name another folder for those of suppliers.',
    );
  });

  it('leaves the pages of another organization alone', async () => {
    const folder = new Folder();
    await folder.run([ROBLE, LAGO]);
    const other = invoice('Roble', '1-9', { issuerFiscalId: '8-8' });
    expect(await folder.run([other])).toMatchObject(OK);
    expect(folder.files).toEqual(['1-9 Roble-2.html', '1-9 Roble.html', '2-7 Lago.html', 'index.html']);
    expect(folder.read('2-7 Lago.html')).toContain('Amount due');
  });

  it('survives a list of pages that was cut, or is of somebody else', async () => {
    const folder = new Folder();
    await folder.run([ROBLE]);
    const list = folder.shown('.folio-pages.jsonl');
    const lines = readFileSync(list, 'utf8');
    const evil = lines
      .replaceAll('1-9 Roble.html', '../outside.html')
      .replaceAll('[\\\\"id\\\\"', '[\\\\"evil\\\\"');
    writeFileSync(list, `${lines}${evil}{"key":"x","file":"1-9`);
    expect(await folder.run([paid(ROBLE)])).toMatchObject({ code: 0 });
    expect(folder.read('1-9 Roble.html')).toContain('Nothing is open.');
    expect(existsSync(join(folder.path, '../outside.html'))).toBe(false);
    writeFileSync(list, 'nonsense');
    // Then nothing there is known to be folio's.
    expect(await folder.run([ROBLE])).toMatchObject({ code: 2, asked: [] });
  });

  it('has the pages of several organizations apart', async () => {
    const organizations: Record<string, Organization> = {
      north: { records: { issued: [ROBLE] } },
      south: { records: { issued: [invoice('Roble', '1-9', { issuerFiscalId: '8-8' })] } },
    };
    const folder = new Folder();
    const run = (line: string) =>
      runOrganizations(`statement --all --output-dir FOLDER ${line}`, { organizations, folder: folder.path });
    expect(await run('--all-profiles')).toMatchObject({ code: 0, stderr: '' });
    expect(folder.files).toEqual(['index.html', 'north.1-9 Roble.html', 'south.1-9 Roble.html']);
    expect(folder.read('north.1-9 Roble.html')).toContain('north');
    expect(folder.read('north.1-9 Roble.html')).not.toContain('south');
    // One of them alone keeps the name of its page.
    expect(await run('--profile south')).toMatchObject({ code: 0, stderr: '' });
    expect(folder.files).toEqual(['index.html', 'north.1-9 Roble.html', 'south.1-9 Roble.html']);
  });

  it('has pages of its own for each profile, where invoices of two have one fiscal ID as their issuer', async () => {
    const folder = new Folder();
    folder.write('.there', '');
    const record = (profile: string, amountToBePaid: number): string =>
      invoice('Roble', '1-9', { _profile: profile, amountToBePaid });
    const file = join(temporaryFolder(), 'both.jsonl');
    const save = (...records: readonly string[]): void => writeFileSync(file, `${records.join('\n')}\n`);
    const run = (): Promise<FolioExit> =>
      runHere(['statement', '--from', file, '--all-profiles', '--all', '--output-dir', folder.path], {
        env: { LC_ALL: 'en_US.UTF-8' },
      });
    save(record('north', 111), record('south', 222));
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(folder.files).toEqual(['index.html', 'north.1-9 Roble.html', 'south.1-9 Roble.html']);
    expect(folder.read('north.1-9 Roble.html')).toMatch(/\b111\b/);
    expect(folder.read('south.1-9 Roble.html')).toMatch(/\b222\b/);
    save(record('north', 111), record('south', 0));
    expect(await run()).toMatchObject({
      code: 0,
      stderr: `warning: ${folder.shown('south.1-9 Roble.html')}: nothing is open any more, and the page says so now\n`,
    });
    expect(folder.read('north.1-9 Roble.html')).toMatch(/\b111\b/);
  });

  it.each([
    [['--customer-fiscal-id', '1-9', '--output-dir', 'x'], '--output-dir is for a page for everyone'],
    [
      ['--all', '--output-dir', 'x', '-o', 'x.html'],
      '--output-dir and --output do not go together: it has a page for each',
    ],
    [['--all', '--output-dir', 'x', '--format', 'csv'], '--output-dir writes pages, not csv'],
    [['--all', '--output-dir', 'x', '--excel'], '--output-dir writes pages, not csv'],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr, asked } = await runStub(['statement', ...flags], {});
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(stderr).toContain(message);
    expect(existsSync('x')).toBe(false);
  });
});
