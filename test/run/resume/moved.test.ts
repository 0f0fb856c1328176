import { describe, expect, it } from 'vitest';
import { status } from '../../support/faults.ts';
import { modelRecord, modelRecords, ModelService } from '../../support/model-service.ts';
import { ResumeSite } from './resume-site.ts';

const LINE = 'issued --page-size 3 --concurrency 2 -o FOLDER/out.jsonl --resume';

async function stoppedSite(line = LINE): Promise<ResumeSite> {
  const site = new ResumeSite(new ModelService({ issued: modelRecords(30), customers: modelRecords(30) }));
  expect(await site.run(line, { stopAt: 7 })).toMatchObject({ code: 130 });
  return site;
}

/** A record whose amount is another. */
function changed(record: string): string {
  return record.replace('.10', '.30');
}

function changeIn(records: string[], from: number, to: number) {
  return (record: string, at: number): void => {
    if (at >= from && at < to) records[at] = changed(record);
  };
}

function lines(records: readonly string[]): string {
  return records.map((record) => `${record}\n`).join('');
}

describe('a listing that changed between the stop and the next run', () => {
  it.each([
    ['has a new first record', (records: string[]) => records.unshift(modelRecord(99))],
    ['lost its first record', (records: string[]) => records.shift()],
    ['lost nearly everything', (records: string[]) => records.splice(1)],
    ['has a new record within the last page', (records: string[]) => records.splice(9, 0, modelRecord(99))],
    ['has another field in its first page', (records: string[]) => (records[1] = changed(records[1]!))],
    ['has another field in the last page', (records: string[]) => records.forEach(changeIn(records, 9, 18))],
    [
      'lost a record of its first page and has another there',
      (records: string[]) => records.splice(2, 0, modelRecord(99), ...records.splice(0, 1).slice(1)),
    ],
  ])('%s: is read anew, and said', async (_, change) => {
    const site = await stoppedSite();
    const { issued } = site.service.records;
    change(issued);
    const { code, stderr } = await site.run(LINE);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: begins .* anew instead of going on .*: the listing has changed before that place\n$/,
    );
    expect(site.read('out.jsonl')).toBe(lines(issued));
    expect(site.names).toEqual(['out.jsonl']);
  });

  it.each([
    ['has new records at its end', (records: string[]) => records.push(modelRecord(98), modelRecord(99))],
    ['lost its last record', (records: string[]) => records.pop()],
  ])('%s: is gone on with, and the receipt says that it changed', async (_, change) => {
    const site = await stoppedSite();
    const { issued } = site.service.records;
    change(issued);
    expect(await site.run(`${LINE} --receipt FOLDER/receipt.json`)).toMatchObject({ code: 0, stderr: '' });
    expect(site.read('out.jsonl')).toBe(lines(issued));
    const receipt = JSON.parse(site.read('receipt.json')) as object;
    expect(receipt).toMatchObject({
      totalAtStart: 30,
      totalAtEnd: issued.length,
      drift: true,
      complete: true,
    });
  });

  it('is gone on with when only the signed links changed, as they do every time', async () => {
    const linked = modelRecords(30).map((record) =>
      record.replace('}}', '},"file":"https://files.example/a?sig=1.10"}'),
    );
    const site = new ResumeSite(new ModelService({ issued: linked }));
    await site.run(LINE, { stopAt: 7 });
    const { issued } = site.service.records;
    const before = [...issued];
    for (const [at, record] of issued.entries()) issued[at] = record.replace('sig=1.10', 'sig=1.20');
    expect(await site.run(LINE)).toMatchObject({ code: 0, stderr: '' });
    const given = site.read('out.jsonl').split('\n').slice(0, -1);
    expect(given).toHaveLength(30);
    // Those that the stopped run had are as they were then.
    const first = given.findIndex((record) => record.includes('sig=1.20'));
    expect(first).toBeGreaterThan(5);
    expect(given).toEqual([...before.slice(0, first), ...issued.slice(first)]);
  });

  it.each([['its natural key', 'number', LINE]])(
    'gives a record that comes again in another form once: known by %s',
    async (_, column, line) => {
      const numbered = (at: number, amount: number): string =>
        `{"${column}":"F-${at}","documentType":"INVOICE","amount":${amount}.10}`;
      const issued = Array.from({ length: 30 }, (__, at) => numbered(at, 1));
      const site = new ResumeSite(new ModelService({ issued }));
      expect(await site.run(line, { stopAt: 7 })).toMatchObject({ code: 130 });
      const { records } = site.service;
      await site.run(line, {
        script: ({ number }) => {
          // After the first page and the last one were found as they were.
          if (number === 4)
            records.issued.splice(
              0,
              20,
              ...Array.from({ length: 20 }, (__, at) => numbered(at, 2)),
              numbered(30, 1),
            );
          return undefined;
        },
      });
      const numbers = Array.from(site.read('out.jsonl').matchAll(/F-(\d+)/g), ([, number]) => Number(number));
      const old = numbers.filter((number) => number < 30).toSorted((one, other) => one - other);
      expect(old).toEqual(Array.from({ length: 30 }, (__, at) => at));
    },
  );

  it('is read anew when the service does not take its cursor any more', async () => {
    const line = 'customers --page-size 3 -o FOLDER/out.jsonl --resume';
    const site = await stoppedSite(line);
    const { code, stderr } = await site.run(line, {
      script: ({ number }) => (number === 1 ? status(400) : undefined),
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('refuses to go on from there')]);
    expect(site.read('out.jsonl')).toBe(lines(site.service.records.customers));
  });
});
