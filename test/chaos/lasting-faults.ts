import * as faults from '../support/faults.ts';
import type { FaultScript } from '../support/faults.ts';
import type { ModelPage, ModelRecords } from '../support/model-service.ts';

type Random = (below: number) => number;

/** What a service does in every call of a run: nothing amiss in most runs, else one of the oddities that last. */
export function lastingFaults(random: Random, listing: keyof ModelRecords): FaultScript {
  if (listing === 'customers' || random(3) > 0) return () => undefined;
  const amount = 1 + random(30);
  const oddities: FaultScript[] = [
    (_, page) => told(page, amount),
    (_, page) => told(page, -amount),
    (_, page) => (page.records.length > amount ? faults.records((all) => all.slice(0, amount)) : undefined),
  ];
  if (listing === 'received') {
    oddities.push(
      (_, page) => (page.records.length > amount ? faults.status(502) : undefined),
      (_, page) => (page.records.length > amount ? faults.after(29_200, faults.status(502)) : undefined),
      (_, page) => (holds(page, amount) ? faults.status(502) : undefined),
    );
  }
  return oddities[random(oddities.length)]!;
}

function told(page: ModelPage, change: number): faults.Fault {
  return faults.members({ total: `${Math.max(0, Number(page.members['total']) + change)}` });
}

/** Whether the record with this id is on the page. */
function holds({ records }: ModelPage, id: number): boolean {
  return records.some((record) => record.startsWith(`{"id":${id},`));
}
