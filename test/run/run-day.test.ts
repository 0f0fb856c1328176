import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runOrganizations } from '../support/run-model.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function invoice(id: number, dueBy: string): string {
  const customer = { name: 'Roble' };
  const kind = { documentType: 33, status: 'PENDING' };
  const amounts = { currency: 'CLP', totalAmount: 100, amountToBePaid: 100 };
  const issuer = { name: 'Alerce' };
  const facts = { id, number: id, date: '2024-12-01', dueBy, receiverFiscalId: '1-9', customer, issuer };
  return JSON.stringify({ ...facts, ...kind, ...amounts });
}

/** Due before, on and after 2025-01-10, and in the month of the tests. */
const INVOICES = ['2025-01-05', '2025-01-10', '2025-01-20', '2026-11-19'].map((due, at) =>
  invoice(at + 1, due),
);

/** A folder with books of two organizations, which were read in January 2025 and asked about in November 2026. */
function books() {
  const folder = temporaryFolder();
  const records = { issued: INVOICES, received: INVOICES };
  const organizations = { lago: { records }, rio: { records } };
  const run = (line: string, day = '2026-11-20') =>
    runOrganizations(line, { organizations, folder, clock: { now: Date.parse(`${day}T12:00:00Z`) } });
  const done = async (line: string, day: string): Promise<void> => {
    expect(await run(line, day)).toMatchObject({ code: 0, stderr: '' });
  };
  return { folder, run, done, file: (name: string) => join(folder, name) };
}

async function synced() {
  const all = books();
  await all.done('sync FOLDER/books.db issued received --profile lago -q', '2025-01-10');
  return all;
}

async function exported(flags = '') {
  const all = books();
  await all.done(`issued --profile lago -o FOLDER/issued.jsonl --receipt beside${flags}`, '2025-01-10');
  return all;
}

const OVERDUE = '--columns number --no-header --format csv';

/** Questions that mean the day of the records, and what they answer of January 10. */
const QUESTIONS: readonly (readonly [line: string, answer: string | RegExp])[] = [
  [`issued --overdue ${OVERDUE}`, '1\n'],
  [`issued --where dueBy>=today ${OVERDUE}`, '2\n3\n4\n'],
  [`issued --where dueBy<-4d ${OVERDUE}`, '1\n'],
  ['issued --since -60d --count', '4\n'],
  ['issued --since -30d --count', '0\n'],
  ['issued --overdue --format table', /2025-01-05/],
  ['issued --overdue --sum open --no-header --format csv', /^CLP,1,100,/],
  ['aging --format jsonl', /"not due":300,"1 to 30":100,/],
  ['statement --all --format json', /"asOf": "2025-01-10"[^]*"overdue": 100,/],
  ['statement --customer-fiscal-id 1-9 --format html --lang en', /As of January 10, 2025/],
  ['report --format json', /"asOf": "2025-01-10",\s*"balancesOf": "2025-01-10"/],
  ['report --period last-month --format json', /"asOf": "2024-12-31"[^]*"name": "2024-12"/],
];

describe('the day of a run', () => {
  const sources: readonly (readonly [what: string, file: string, make: () => ReturnType<typeof synced>])[] = [
    ['a database', 'books.db', synced],
    ['an export with its receipt', 'issued.jsonl', exported],
  ];
  it.each(sources)('is that of the records of %s, and said', async (_, file, make) => {
    const { run } = await make();
    for (const [line, answer] of QUESTIONS) {
      const question = `${line} --from FOLDER/${file}`;
      const { code, stdout, stderr } = await run(question);
      expect([line, code]).toEqual([line, 0]);
      expect([line, stdout]).toEqual([line, expect.stringMatching(answer)]);
      expect(stderr).toMatch(
        /^warning: \S+ has the issued invoices as of 2025-01-10 12:00, not as of today\n/,
      );
      expect(stderr).toContain('warning: days count from 2025-01-10, when the records were read\n');
      expect((await run(`${question} -q`)).stderr).toBe('');
      // It is what was answered on the day itself, when there was nothing to say.
      expect(await run(question, '2025-01-10')).toMatchObject({ stdout, stderr: '' });
    }
    const { stderr } = await run(`issued --from FOLDER/${file} --since 2024-12 --count`);
    expect(stderr).not.toContain('days count');
  });

  it('is the oldest of several, each said', async () => {
    const { folder, run, done } = await synced();
    await done('sync FOLDER/books.db issued --profile rio -q', '2025-01-12');
    const { stdout, stderr } = await run('issued --from FOLDER/books.db --all-profiles --overdue --count');
    expect(stdout).toBe('2\n');
    expect(stderr).toMatch(
      /^warning: \S+ has the issued invoices of lago as of 2025-01-10 .*\nwarning: \S+ has the issued invoices of rio as of 2025-01-12 .*\nwarning: days count from 2025-01-10, when the oldest records were read\n$/,
    );
    await run('issued --from FOLDER/books.db --all-profiles --output-dir FOLDER/out --receipt beside');
    const days = ['lago', 'rio'].map((name) => {
      const receipt = readFileSync(join(folder, 'out', `${name}.issued.csv.receipt.json`), 'utf8');
      return (JSON.parse(receipt) as { readAt: string }).readAt;
    });
    expect(days).toEqual(['2025-01-10T12:00:00.000Z', '2025-01-12T12:00:00.000Z']);
    await done('received --profile lago -o FOLDER/received.jsonl --receipt beside', '2025-01-14');
    await done('issued --profile lago -o FOLDER/issued.jsonl --receipt beside', '2025-01-12');
    const both = '--from FOLDER/issued.jsonl --from FOLDER/received.jsonl';
    const report = await run(`report ${both} --format json`);
    expect(JSON.parse(report.stdout)).toMatchObject({ asOf: '2025-01-12', notes: ['newer'] });
    expect((await run(`report ${both} --lang es`)).stdout).toContain('se leyó después de la fecha indicada');
  });

  it('is today where nothing says when the records were read, and said where days count', async () => {
    const { run, file } = await exported();
    const lines = ['aging', 'statement --all --format json', 'report --format json', 'issued --overdue'];
    const plain = readFileSync(file('issued.jsonl'), 'utf8');
    for (const content of [plain, plain.replace('"id":1,', '"id":7,')]) {
      writeFileSync(file('copy.jsonl'), content);
      // A receipt of another file says nothing, be that one of the same size.
      if (content !== plain)
        writeFileSync(file('copy.jsonl.receipt.json'), readFileSync(file('issued.jsonl.receipt.json')));
      for (const line of lines) {
        const named = line.startsWith('report') ? 'issued=FOLDER' : 'FOLDER';
        const { stderr } = await run(`${line} --from ${named}/copy.jsonl`);
        expect(stderr).toMatch(/but it is unknown when they were read, .*: days count from 2026-11-20\n$/);
      }
    }
    const page = await run('statement --customer-fiscal-id 1-9 --from FOLDER/copy.jsonl --format html');
    expect(page.stdout).toContain('It is unknown when these records were read');
    for (const line of ['--sum open', '--since 2024 --count', '--where dueBy<2025-01-06 --count'])
      expect((await run(`issued --from FOLDER/copy.jsonl ${line}`)).stderr).not.toContain(
        'it is unknown when',
      );
  });

  const COMMANDS = ['aging', 'statement --all', 'issued --overdue'];
  it.each(COMMANDS)('is not mentioned where no record can be read: %s', async (line) => {
    const { run, file } = await exported();
    writeFileSync(file('issued.csv'), 'number,dueBy,amountToBePaid\n1,2025-01-05,100\n');
    const { code, stderr } = await run(`${line} --from FOLDER/issued.csv`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^folio: .*issued\.csv is csv, .*\n.*\n$/)]);
  });

  it('is the last of a period that is over, of a report, whatever nothing says', async () => {
    const { run, file } = await exported();
    writeFileSync(file('issued-copy.jsonl'), readFileSync(file('issued.jsonl'), 'utf8'));
    const report = (period: string) =>
      run(`report --format json --from FOLDER/issued-copy.jsonl --period ${period}`);
    for (const [period, day] of Object.entries({ '2025-01': '2025-01-31', '2026-11': '2026-11-20' })) {
      const { stdout, stderr } = await report(period);
      expect(stdout).toContain(`"asOf": "${day}"`);
      expect(stderr).toContain(`: days count from ${day}\n`);
    }
  });

  it('may be another, and then later payments are not undone', async () => {
    const { run } = await synced();
    const page = 'statement --customer-fiscal-id 1-9 --format html';
    for (const [asOf, says] of [
      ['2025-01-07', 'The balances are those of January 10, 2025. What was paid after the day above'],
      ['2025-01-31', 'The balances are those of January 10, 2025. What was issued or paid since is not'],
    ] as const) {
      const from = `--from FOLDER/books.db --as-of ${asOf}`;
      for (const line of [page, 'report']) {
        const { stdout, stderr } = await run(`${line} ${from}`);
        expect(stdout).toContain(says);
        const lack = asOf < '2025-01-10' ? 'later payments are not undone' : 'what came since is not in them';
        expect(stderr).toContain(`counts to ${asOf} with balances of 2025-01-10: ${lack}\n`);
      }
      expect((await run(`statement --all --format json ${from}`)).stdout).toContain(`"asOf": "${asOf}"`);
      expect((await run(`aging ${from}`)).stdout).toContain(',balances of 2025-01-10: ');
    }
  });

  it.each([
    ['aging --period this-month --format jsonl', /"invoices":4,/],
    ['aging --where date>=-30d --format jsonl', /"invoices":4,/],
    ['aging --where due>=today --format jsonl', /"invoices":4,/],
    ['statement --all --period this-month --format json', /"onlyPeriod": "2024-12",[^]*"amountDue": 400,/],
    ['statement --customer-fiscal-id 1-9 --period this-month --format html', /period are shown: 2024-12\./],
    ['report --format json', /"asOf": "2024-12-20"[^]*"name": "2024-12"/],
    ['report --period last-month --format json', /"asOf": "2024-12-20"[^]*"name": "2024-11"/],
  ])('may be another, and is the one that all other days count from: %s', async (line, answer) => {
    const { run } = await synced();
    const { code, stdout } = await run(`${line} --from FOLDER/books.db --as-of 2024-12-20 -q`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(answer)]);
  });
});

it('a receipt of the future says nothing of when', async () => {
  const { run, file } = await exported();
  const receipt = readFileSync(file('issued.jsonl.receipt.json'), 'utf8');
  writeFileSync(file('issued.jsonl.receipt.json'), receipt.replaceAll('2025-01-10T', '2099-01-10T'));
  expect((await run('aging --from FOLDER/issued.jsonl')).stderr).toMatch(
    /unknown when they were read, since 2099-01-10 12:00 is in the future: .* from 2026-11-20\n$/,
  );
});

describe('an export of a part', () => {
  const flags = ['--limit 1', '--where number=2', '--customer-fiscal-id 1-9', '--page 0'];
  const narrowed = [...flags, '--since=2024', '--overdue', '--open', '--period=2024'];
  it.each(narrowed)('says so in aging, statements and reports: %s', async (flag) => {
    const { run, file } = await exported(` ${flag}`);
    const from = '--from FOLDER/issued.jsonl';
    const lines = ['aging', 'statement --all --format json', 'report --format json'];
    for (const line of lines) {
      const { code, stderr } = await run(`${line} ${from}`, '2025-01-10');
      const says = `but only a part of them: ${flag.replace('=2', ' 2').replace('number ', 'number=')}\n`;
      expect([line, code, stderr]).toEqual([line, 0, expect.stringContaining(says)]);
    }
    for (const line of ['statement --customer-fiscal-id 1-9 --format html', 'report']) {
      const { stdout, stderr } = await run(`${line} ${from} --lang es -q`, '2025-01-10');
      expect(stdout).toContain('Solo había una parte de los documentos');
      expect(stderr).toBe('');
    }
    await run(`statement --all ${from} --as-of 2025-01-09 --output-dir FOLDER/pages -q`, '2025-01-10');
    const index = readFileSync(file('pages/index.html'), 'utf8');
    expect(index).toMatch(/Only a part of the documents.*The balances are those of January 10, 2025/s);
    const json = await run(`report ${from} --format json -q`, '2025-01-10');
    expect(JSON.parse(json.stdout)).toMatchObject({ complete: false, notes: ['part'] });
    expect((await run(`issued ${from} --count`, '2025-01-10')).stderr).toBe('');
  });

  it('is none where there were fewer records than the limit', async () => {
    const { run } = await exported(' --limit 9');
    expect((await run('aging --from FOLDER/issued.jsonl', '2025-01-10')).stderr).toBe('');
  });

  it('hands its day and its scope on to what is made of it', async () => {
    const { run, done, file } = await exported(' --limit 2');
    await done('issued --from FOLDER/issued.jsonl -o FOLDER/next.jsonl --receipt beside -q', '2025-03-01');
    expect(JSON.parse(readFileSync(file('next.jsonl.receipt.json'), 'utf8'))).toMatchObject({
      readAt: '2025-01-10T12:00:00.000Z',
      only: ['--limit 2'],
      complete: true,
    });
    const { stderr } = await run('aging --from FOLDER/next.jsonl');
    expect(stderr).toMatch(
      /as of 2025-01-10 [^]*but only a part of them: --limit 2\n[^]*days count from 2025-01-10/,
    );
    // Of records without a day, nothing says it later either.
    writeFileSync(file('plain.jsonl'), readFileSync(file('issued.jsonl')));
    await done('issued --from FOLDER/plain.jsonl -o FOLDER/last.jsonl --receipt beside', '2025-03-01');
    expect((await run('aging --from FOLDER/last.jsonl')).stderr).toContain('unknown when they were read');
  });
});
