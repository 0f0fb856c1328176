import * as faults from '../support/faults.ts';
import type { Fault, FaultScript } from '../support/faults.ts';
import type { ModelPage, ModelRecords } from '../support/model-service.ts';

type Random = (below: number) => number;

/** One call in so many is disturbed. */
const ONE_IN = 5;
/** One fault in so many is of a kind that ends a run at once. */
const ENDS_ONE_IN = 40;

const PASSING: readonly Fault[] = [
  ...[faults.reset, faults.cut, faults.drip, faults.silence, faults.html, faults.jsonCutShort],
  ...[faults.truncatedGzip, faults.gzipWithoutEnd, faults.wrongCrc],
  ...[408, 425, 429, 500, 502, 503, 504].map((code) => faults.status(code)),
  faults.status(429, { 'retry-after': '7' }),
  faults.status(503, { 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }),
  faults.status(429, { 'retry-after': 'soon' }),
  faults.after(29_500, faults.status(502)),
  ...['[]', 'null', '"no"', '{"total":0,"errors":[]}'].map((text) => faults.body(text)),
  faults.records(() => ['"record"']),
  faults.members({ errors: '[{"_type":"Busy"' }),
];

const ENDING: readonly Fault[] = [
  ...[400, 401, 403, 404].map((code) => faults.status(code)),
  faults.status(302, { location: 'https://elsewhere.example/' }),
  faults.status(429, { 'retry-after': '86400' }),
];

/** A fault in one call of five, of every kind; after it the service is as it was. */
export function randomFaults(random: Random): FaultScript {
  return (_, page) => {
    if (random(ONE_IN) > 0) return undefined;
    if (random(ENDS_ONE_IN) === 0) return ENDING[random(ENDING.length)]!;
    const kinds = page.recordsIn === 'data' ? PASSING : [...PASSING, ...lyingPages(random, page)];
    return kinds[random(kinds.length)]!;
  };
}

/** A fault that another try gets past. */
export const passingFault = (random: Random): Fault => PASSING[random(PASSING.length)]!;

/** What a service does in every call of a run: nothing amiss in most runs, else one of the oddities that last. */
export function lastingFaults(random: Random, listing: keyof ModelRecords): FaultScript {
  if (listing === 'customers' || random(3) > 0) return () => undefined;
  const amount = 1 + random(30);
  const oddities: FaultScript[] = [
    (_, page) => withTotal(page, amount),
    (_, page) => withTotal(page, -amount),
    (_, page) => (page.records.length > amount ? faults.records((all) => all.slice(0, amount)) : undefined),
  ];
  if (listing === 'received') {
    oddities.push(
      (_, page) => (page.records.length > amount ? faults.status(502) : undefined),
      (_, page) => (page.records.length > amount ? faults.after(29_200, faults.status(502)) : undefined),
      (_, page) => (hasRecord(page, amount) ? faults.status(502) : undefined),
    );
  }
  return oddities[random(oddities.length)]!;
}

/** Pages that are well formed and still not what the service should have sent. */
function lyingPages(random: Random, page: ModelPage): Fault[] {
  return [
    withTotal(page, 1 + random(40)),
    withTotal(page, -1 - random(40)),
    faults.records((records) => records.slice(0, random(records.length + 1))),
    faults.records(() => []),
  ];
}

function withTotal(page: ModelPage, change: number): Fault {
  return faults.members({ total: `${Math.max(0, Number(page.members['total']) + change)}` });
}

/** Whether the record with this id is on the page. */
function hasRecord({ records }: ModelPage, id: number): boolean {
  return records.some((record) => record.startsWith(`{"id":${id},`));
}
