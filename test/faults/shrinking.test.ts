import { describe, expect, it } from 'vitest';
import { where, status, type FaultScript } from '../support/faults.ts';
import { modelRecords, pageBody, type ModelPage } from '../support/model-service.ts';
import type { SeenRequest } from '../support/servers.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const ARGS = ['received', '--format', 'jsonl'];
/** What a response may weigh (spec 8). */
const LIMIT = 6_000_000;

function heavyRecords(count: number, from: number, to: number): string[] {
  return modelRecords(count).map((record, at) => {
    return at >= from && at < to ? record.replace('}', `,"pad":"${'x'.repeat(10_900)}"}`) : record;
  });
}

const tooLarge = where((page) => pageBody(page).length > LIMIT, status(502));

/** Keeps count of what a script refused. */
function counted(script: FaultScript): { readonly script: FaultScript; readonly refused: SeenRequest[] } {
  const refused: SeenRequest[] = [];
  return {
    refused,
    script: (request, page) => {
      const fault = script(request, page);
      if (fault !== undefined) refused.push(request);
      return fault;
    },
  };
}

function holds({ records }: ModelPage, id: number): boolean {
  return records.some((record) => record.startsWith(`{"id":${id},`));
}

describe.concurrent('pages that the service does not serve', () => {
  it('too large: 3,100 records of 11 KB take at most 2 refused calls, and 11 in all', async () => {
    const received = heavyRecords(3_100, 0, 3_100);
    const { script, refused } = counted(tooLarge);
    const args = [...ARGS, '--page-size', '1000'];
    const { code, text, requests } = await runAgainst({ records: { received }, script, args });
    expect({ code, whole: text === lines(received) }).toEqual({ code: 0, whole: true });
    expect(refused.length).toBeLessThanOrEqual(2);
    expect(requests.length).toBeLessThanOrEqual(11);
  });

  it('over 40 records: at most 24 refused calls', async () => {
    const received = modelRecords(3_100);
    const { script, refused } = counted(where(({ records }) => records.length > 40, status(502)));
    const { code, text } = await runAgainst({ records: { received }, script, args: ARGS });
    expect({ code, whole: text === lines(received) }).toEqual({ code: 0, whole: true });
    expect(refused.length).toBeLessThanOrEqual(24);
  });

  it('a heavy stretch of 100 records: pages shrink there alone', async () => {
    const heavy = heavyRecords(6_000, 2_000, 2_100).map((record) =>
      record.replace('"pad":"', `"pad":"${'x'.repeat(90_000)}`),
    );
    const { script, refused } = counted(tooLarge);
    const args = [...ARGS];
    const { code, text, requests } = await runAgainst({ records: { received: heavy }, script, args });
    expect({ code, whole: text === lines(heavy) }).toEqual({ code: 0, whole: true });
    expect(refused.length).toBeLessThanOrEqual(6);
    // 13 pages of up to 500, and what the stretch takes.
    expect(requests.length).toBeLessThanOrEqual(13 + 18);
  });

  it('a record that cannot be read even alone is named by its place, the others are delivered', async () => {
    const received = modelRecords(120);
    const script = where((page) => holds(page, 37), status(502));
    const args = [...ARGS, '--page-size', '100', '--retries', '1'];
    const { code, text, stderr } = await runAgainst({ records: { received }, script, args });
    expect({ code, text }).toEqual({ code: 6, text: lines(received.toSpliced(37, 1)) });
    expect(stderr).toContain('the service does not serve number 38 of the listing, even alone');
  });

  it('are no reason for ever smaller pages where the service is down', async () => {
    const received = modelRecords(120);
    const script = where(() => true, status(502));
    const args = [...ARGS, '--retries', '1'];
    const { code, text, requests } = await runAgainst({ records: { received }, script, args });
    expect({ code, text }).toEqual({ code: 5, text: '' });
    expect(requests.length).toBeLessThan(40);
  });
});
