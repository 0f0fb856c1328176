import { describe, expect, it } from 'vitest';
import { status, where } from '../support/faults.ts';
import { modelRecords, pageBody, type ModelPage } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

/** What a response may weigh (spec 8). */
const LIMIT = 6_000_000;

/** Records of which those with these ids have so many bytes more. */
function heavyRecords(count: number, from: number, to: number, bytes: number): string[] {
  return modelRecords(count).map((record, at) =>
    at >= from && at < to ? record.replace('}', `,"pad":"${'x'.repeat(bytes)}"}`) : record,
  );
}

const isTooLarge = (page: ModelPage): boolean => pageBody(page).length > LIMIT;
const holds37 = ({ records }: ModelPage): boolean => records.some((record) => record.startsWith('{"id":37,'));

/** Reads received invoices where pages of which this is so are refused, and counts the refused calls. */
async function read(
  isRefused: (page: ModelPage) => boolean,
  received: readonly string[],
  ...flags: string[]
) {
  let refused = 0;
  const script = where((page) => isRefused(page) && ++refused > 0, status(502));
  const args = ['received', '--format', 'jsonl', ...flags];
  const { code, text, stderr, requests } = await runAgainst({
    ...{ records: { received: [...received] }, script, args },
  });
  return { code, text, stderr, requests: requests.length, refused };
}

describe.concurrent('pages that the service does not serve', () => {
  it.each<
    readonly [
      string,
      (page: ModelPage) => boolean,
      records: () => string[],
      string[],
      refused: number,
      requests: number,
    ]
  >([
    ['too large: 3,100 of 11 KB', isTooLarge, () => heavyRecords(3_100, 0, 3_100, 10_900), ['1000'], 2, 11],
    // Which of several pages comes first is not the same in each run: up to 131 requests were seen.
    ['over 40 records', ({ records }) => records.length > 40, () => modelRecords(3_100), [], 24, 140],
    // 13 pages of up to 500, and what the stretch takes.
    ['a heavy stretch', isTooLarge, () => heavyRecords(6_000, 2_000, 2_100, 100_900), [], 6, 13 + 18],
  ])(
    '%s: the records come, with few refused calls',
    async (_, isRefused, records, size, refused, requests) => {
      const received = records();
      const run = await read(isRefused, received, ...size.flatMap((one) => ['--page-size', one]));
      expect({ code: run.code, whole: run.text === lines(received) }).toEqual({ code: 0, whole: true });
      expect(run.refused).toBeLessThanOrEqual(refused);
      expect(run.requests).toBeLessThanOrEqual(requests);
    },
  );

  it('a record that cannot be read even alone is named by its place, the others are delivered', async () => {
    const received = modelRecords(120);
    const run = await read(holds37, received, '--page-size', '100', '--retries', '1');
    expect(run).toMatchObject({ code: 6, text: lines(received.toSpliced(37, 1)) });
    expect(run.stderr).toContain('the service does not serve number 38 of the listing, even alone');
  });

  it('are no reason for ever smaller pages where the service is down', async () => {
    const run = await read(() => true, modelRecords(120), '--retries', '1');
    expect(run).toMatchObject({ code: 5, text: '' });
    expect(run.requests).toBeLessThan(40);
  });
});
