import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere } from '../../support/run-here.ts';
import { runOrganizations, type Organization } from '../../support/run-model.ts';
import { pageOf, runStub, type Answer, type ScriptedExit } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectRefused } from '../../support/expect-exit.ts';

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

class Folder {
  readonly path = join(temporaryFolder(), 'statements');

  /** What stands beside it. */
  get around(): readonly string[] {
    return readdirSync(dirname(this.path));
  }

  run(records: readonly string[] | Answer, ...flags: readonly string[]): Promise<ScriptedExit> {
    const isAnswer = typeof records === 'string' || typeof records[0] === 'number';
    const answer = isAnswer ? (records as Answer) : pageOf(records as readonly string[]);
    const line = ['statement', '--all', '--retries', '0', '--output-dir', this.path, ...flags];
    return runStub(line, { issued: answer, received: answer }, { env: { LC_ALL: 'en_US.UTF-8' } });
  }

  get files(): readonly string[] {
    return readdirSync(this.path).toSorted();
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  write(name: string, text: string): void {
    mkdirSync(this.path, { recursive: true });
    writeFileSync(join(this.path, name), text);
  }
}

const OK = { code: 0, stdout: '', stderr: '' };

describe('a folder of statements', () => {
  it('has a page for everyone with an open amount or a credit, and an index', async () => {
    const folder = new Folder();
    const records = [
      ...[ROBLE, LAGO, invoice('Settled', '3-5', { amountToBePaid: 0 })],
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
    expect(folder.around).toEqual(['statements']);
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

  it('says in its receipt which pages it wrote', async () => {
    const folder = new Folder();
    expect(await folder.run([ROBLE], '--receipt', 'beside')).toMatchObject(OK);
    const receipt = readFileSync(`${folder.path}.receipt.json`, 'utf8');
    const facts = JSON.parse(receipt) as { files: readonly object[] };
    expect(facts).toMatchObject({ output: folder.path, format: 'html', statements: 1, complete: true });
    expect(facts.files).toEqual(
      folder.files.map((name) => ({
        name,
        bytes: Buffer.byteLength(folder.read(name)),
        sha256: createHash('sha256').update(folder.read(name)).digest('hex'),
      })),
    );
  });

  it('appears, and says so, where not everything could be read', async () => {
    const short = new Folder();
    expect(await short.run(pageOf([LAGO], { total: 5 }))).toMatchObject({ code: 6 });
    expect(short.files).toEqual(['2-7 Lago.html', 'index.html']);
    expect(short.read('2-7 Lago.html')).toContain('This statement is not whole');
    expect(short.read('index.html')).toContain('Not everything could be read.');
    const unreadable = new Folder();
    const record = ROBLE.replace('"amountToBePaid":100', '"amountToBePaid":"N/A"');
    expect(await unreadable.run([LAGO, record])).toMatchObject({ code: 6 });
    expect(unreadable.read('2-7 Lago.html')).not.toContain('not whole');
    expect(unreadable.read('index.html')).toContain('Not everything could be read.');
  });

  it('is not there where nothing could be read, and stays where it was empty', async () => {
    const folder = new Folder();
    const receipt = `${folder.path}.receipt.json`;
    expect(await folder.run([403, '{"Message":"no"}'], '--receipt', 'beside')).toMatchObject({ code: 3 });
    expect(folder.around).toEqual(['statements.receipt.json']);
    expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ complete: false, bytes: 0 });
    mkdirSync(folder.path);
    expect(await folder.run([403, '{"Message":"no"}'])).toMatchObject({ code: 3 });
    expect(folder.files).toEqual([]);
    expect(await folder.run([ROBLE])).toMatchObject(OK);
    expect(folder.files).toEqual(['1-9 Roble.html', 'index.html']);
  });

  it('is refused before anything is asked where something is in it: pages of another organization, a hidden file', async () => {
    const folder = new Folder();
    const [ofNorth, ofSouth] = ['north', 'south'].map((name) => ({
      env: { FOLIO_TOKEN: `the-token-of-${name}`, FOLIO_BASE_URL: `https://${name}.example.com` },
    }));
    const line = ['statement', '--all', '--output-dir', folder.path];
    expect(await runStub(line, { issued: pageOf([ROBLE, LAGO]) }, ofNorth)).toMatchObject({ code: 0 });
    const before = folder.files.map((name) => folder.read(name));
    const refused = {
      code: 2,
      stdout: '',
      stderr:
        `folio: --output-dir ${folder.path} is not empty\n` +
        '  Each run writes a folder of its own: name a new one, such as statements/2026-11.\n',
      asked: [],
    };
    const other = pageOf([invoice('Roble', '1-9', { issuerFiscalId: '8-8' })]);
    for (const options of [ofSouth, ofNorth]) {
      expect(await runStub(line, { issued: other }, options)).toEqual(refused);
      expect(folder.files.map((name) => folder.read(name))).toEqual(before);
    }
    expect(folder.around).toEqual(['statements']);
    const hidden = new Folder();
    hidden.write('.there', 'mine');
    expect(await hidden.run([ROBLE])).toMatchObject({ code: 2, asked: [] });
    expect(hidden.files).toEqual(['.there']);
  });

  it.each([
    [['--receipt', 'FOLDER/r.json'], '--receipt FOLDER/r.json is one file, and --output-dir writes several'],
    [['--output-dir', 'FOLDER/file'], 'cannot write FOLDER/file: '],
  ])('is refused before anything is asked with %j', async (flags, message) => {
    const folder = temporaryFolder();
    const inFolder = (text: string): string => text.replaceAll('FOLDER', folder);
    if (flags.includes('FOLDER/file')) writeFileSync(join(folder, 'file'), 'mine');
    const line = ['statement', '--all', '--output-dir', folder, ...flags.map(inFolder)];
    const { code, stderr, asked } = await runStub(line, {});
    expect([code, asked]).toEqual([flags.includes('FOLDER/file') ? 1 : 2, []]);
    expect(stderr).toContain(inFolder(message));
    expect(readdirSync(folder)).toEqual(flags.includes('FOLDER/file') ? ['file'] : []);
  });

  it('does not take the place of the folder in which somebody works', async () => {
    const cwd = temporaryFolder();
    await expectRefused(
      runHere(['--sandbox', 'statement', '--all', '--output-dir', '.'], { cwd }),
      '--output-dir . is the folder that folio runs in',
    );
    expect(readdirSync(cwd)).toEqual([]);
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
    expect(folder.read('north.1-9 Roble.html')).toMatch(/>9-9<(?![^]*8-8)/);
    expect(folder.read('index.html')).toMatch(/>north<[^]*>south</);
    const alone = new Folder();
    const line = `statement --all --output-dir FOLDER --profile south`;
    await runOrganizations(line, { organizations, folder: alone.path });
    expect(alone.files).toEqual(['1-9 Roble.html', 'index.html']);
  });

  it('has pages of its own for each profile, where invoices of two have one fiscal ID as their issuer', async () => {
    const folder = new Folder();
    const record = (profile: string, amountToBePaid: number): string =>
      invoice('Roble', '1-9', { _profile: profile, amountToBePaid });
    const file = fileOf(`${record('north', 111)}\n${record('south', 222)}\n`, 'both.jsonl');
    const line = ['statement', '-q', '--from', file, '--all-profiles', '--all', '--output-dir', folder.path];
    expect(await runHere(line, { env: { LC_ALL: 'en_US.UTF-8' } })).toMatchObject({ code: 0, stderr: '' });
    expect(folder.files).toEqual(['index.html', 'north.1-9 Roble.html', 'south.1-9 Roble.html']);
    expect(folder.read('north.1-9 Roble.html')).toMatch(/\b111\b/);
    expect(folder.read('south.1-9 Roble.html')).toMatch(/\b222\b/);
  });
});
