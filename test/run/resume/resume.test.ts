import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/output/formats.ts';
import { where } from '../../support/fault-script.ts';
import { members, status } from '../../support/faults.ts';
import { modelRecord, modelRecords, ModelService } from '../../support/model-service.ts';
import { TRIES_ALL } from '../../support/random-runs.ts';
import { ResumeSite, TOKEN } from './resume-site.ts';

/** Records whose columns come one by one, some without an id, equal ones among them, some with white space. */
function motley(count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    if (at % 7 === 3) return '{"note":"no id, and like the others"}';
    if (at % 5 === 4) return `{ "id" : ${at} , "late${at}" : [ ${at}.10, null ] }`;
    return modelRecord(at);
  });
}

/** Where the page of a request begins, in records. */
function offsetOf(url: string): number {
  const { searchParams } = new URL(url, 'https://api.example.com');
  return Number(searchParams.get('options_page')) * Number(searchParams.get('options_pageSize'));
}

function siteOf(count: number): ResumeSite {
  return new ResumeSite(new ModelService({ issued: modelRecords(count), customers: motley(count) }));
}

const FORMATS = [...formats, 'csv --delimiter tab --no-header', 'csv --excel'];
const ISSUED = 'issued --page-size 3 --concurrency 2';

describe('a run that is stopped at any page and gone on with', () => {
  const lines = [
    'issued --page-size 3 --concurrency 3',
    'issued --page-size 3 --limit 17',
    'issued --page-size 4 --columns number,net',
    'issued --page-size 4 --columns Folio=number,Neto=net',
    'issued --page-size 4 --expand lines --limit 20',
    'received --page-size 4 --concurrency 1',
    'customers --page-size 3',
    'customers --page-size 3 --limit 20',
    'funds documents 1 --page-size 5',
  ];
  it.each(lines)('%s: writes what an unbroken one does', async (line) => {
    const mixed = motley(23);
    const received = mixed.map((text, at) => text.replace(/^{"note"/, `{"id":${at},"note"`));
    const documents = modelRecords(23);
    const issued = documents.map((text, at) =>
      at % 3 === 0 ? text : text.replace(/}$/, `,"lines":[{"a":${at}},{"late${at}":0}]}`),
    );
    const site = new ResumeSite(new ModelService({ issued, received, customers: mixed, documents }));
    // Of the stops of a line every second, the others with the next line.
    const [first, step] = TRIES_ALL ? [1, 1] : [1 + (lines.indexOf(line) % 2), 2];
    for (let stopAt = first; stopAt < 9; stopAt += step) {
      const format = FORMATS[stopAt % FORMATS.length]!;
      await site.run(`${line} --format ${format} -o FOLDER/whole`);
      const command = `${line} --format ${format} -o FOLDER/out --resume`;
      await site.run(command, { stopAt });
      expect(await site.run(command)).toMatchObject({ code: 0, stderr: '' });
      expect(site.read('out')).toBe(site.read('whole'));
      expect(site.names).toEqual(['out', 'whole']);
    }
  });

  it('goes on after one stop after the other', async () => {
    const site = siteOf(40);
    await site.run(`${ISSUED} -o FOLDER/whole.csv`);
    let stops = 0;
    // Each stop comes two pages after the one that is read again.
    while ((await site.run(`${ISSUED} -o FOLDER/out.csv --resume`, { stopAt: 4 })).code === 130) stops++;
    expect(stops).toBeGreaterThan(2);
    expect(site.read('out.csv')).toBe(site.read('whole.csv'));
  });

  it('asks again for the first and the last page, and for none between them', async () => {
    const site = siteOf(130);
    const line = 'issued --page-size 20 --concurrency 1 -o FOLDER/out.csv --resume';
    const { asked: before } = await site.run(line, { stopAt: 4 });
    const { asked } = await site.run(line);
    // The last one that it asked for did not come.
    expect(asked.slice(0, 2).map(offsetOf)).toEqual([0, offsetOf(before.at(-2)!)]);
    expect(asked.map(offsetOf)).toEqual(asked.map(offsetOf).toSorted((a, b) => a - b));
  });
});

describe('what a stopped run leaves', () => {
  it('is the journal alone, which only its owner can read, and a word on how to go on', async () => {
    const site = siteOf(30);
    const { code, stderr } = await site.run(`${ISSUED} -o FOLDER/out.csv --resume`, { stopAt: 5 });
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /^warning: kept \d+ records beside .*out\.csv: the same command goes on from there\n/,
    );
    expect(site.names).toEqual(['.out.csv.folio-resume']);
    expect(statSync(site.path('.out.csv.folio-resume')).mode & 0o777).toBe(0o600);
    expect(site.read('.out.csv.folio-resume')).not.toContain(TOKEN);
  });

  it('is nothing without --resume', async () => {
    const site = siteOf(30);
    expect(await site.run(`${ISSUED} -o FOLDER/out.csv`, { stopAt: 5 })).toMatchObject({ code: 130 });
    expect(site.names).toEqual([]);
  });

  it('is discarded by a run without --resume, which says so', async () => {
    const site = siteOf(30);
    await site.run(`${ISSUED} -o FOLDER/out.csv --resume`, { stopAt: 5 });
    const { code, stderr, asked } = await site.run('issued -o FOLDER/out.csv --limit 2');
    expect([code, asked.length]).toEqual([0, 1]);
    expect(stderr).toContain('warning: discarded what a stopped run had kept');
    expect(site.names).toEqual(['out.csv']);
  });

  it('is discarded by a command for one body or record, too', async () => {
    const site = siteOf(30);
    for (const line of ['get /invoices/issued -o FOLDER/out.csv', 'funds get 1 -o FOLDER/out.csv']) {
      await site.run(`${ISSUED} -o FOLDER/out.csv --resume`, { stopAt: 5 });
      const { code, stderr } = await site.run(line);
      expect([code, stderr]).toEqual([0, expect.stringContaining('discarded what a stopped run had kept')]);
      expect(site.names).toEqual(['out.csv']);
    }
  });

  it('stays when the service fails, and serves when it is back', async () => {
    const site = siteOf(30);
    const line = `${ISSUED} --retries 0 -o FOLDER/out.csv --resume`;
    const failing = where(({ records }) => records.includes(modelRecord(20)), status(500));
    const failed = await site.run(line, { script: failing });
    expect(failed.code).toBe(5);
    expect(failed.stderr).toContain('warning: kept');
    const withReceipt = `${line} --receipt FOLDER/receipt.json`;
    expect(await site.run(withReceipt)).toMatchObject({ code: 0, stderr: '' });
    const receipt = JSON.parse(site.read('receipt.json')) as Record<string, number>;
    expect(receipt).toMatchObject({
      records: 30,
      recordsRead: 30,
      total: 30,
      totalAtStart: 30,
      complete: true,
    });
    expect(receipt['recordsTakenOver']).toBeGreaterThan(10);
  });
});

describe('what the run that goes on must know', () => {
  it('names the records that the stopped run could not read', async () => {
    const site = new ResumeSite(new ModelService({ received: modelRecords(60) }));
    const line = 'received --page-size 4 --concurrency 1 --retries 0 -o FOLDER/out.csv --resume';
    const script = where(({ records }) => records.includes(modelRecord(5)), status(502));
    expect(await site.run(line, { script, stopAt: 12 })).toMatchObject({ code: 130 });
    const { code, stderr } = await site.run(line);
    expect(code).toBe(6);
    expect(stderr).toContain('number 6 of the listing');
    expect(stderr).toContain('delivered 59 records');
  });

  it('names the fiscal IDs that matched nobody', async () => {
    const site = siteOf(30);
    const line = `${ISSUED} --customer-fiscal-id 1-9,2-7 --strict -o FOLDER/out.csv --resume`;
    const missing =
      '[{"_type":"EmptyResponseError","requestName":"byFiscalId","requestParams":{"fiscalId":"27"}}]';
    const fault = members({ errors: missing });
    await site.run(line, { stopAt: 5, script: ({ number }) => (number === 0 ? fault : undefined) });
    const { code, stderr } = await site.run(line);
    expect(code).toBe(6);
    expect(stderr).toContain('2-7');
  });

  it.each([
    [59, /^$/],
    [
      60,
      /^warning: \d+ records are as the run of \S+ read them: only its first and last page were compared\n$/,
    ],
    [25 * 60, /^warning: \d+ records are as .* were compared; signed links in them no longer work\n$/],
  ])('says after %i minutes what is as it was', async (minutes, expected) => {
    const site = siteOf(30);
    const line = `${ISSUED} -o FOLDER/out.csv --resume`;
    const now = Date.UTC(2026, 10, 20, 12);
    await site.run(line, { stopAt: 5, now });
    expect((await site.run(line, { now: now + minutes * 60_000 })).stderr).toMatch(expected);
  });
});
