import { IncompleteError } from '../errors.ts';
import type { WalkAccount } from '../paging/walk-account.ts';
import { count } from './count.ts';

/** Places named in a message, at most. */
const PLACES = 20;

/**
 * Throws IncompleteError where something that was asked for was not delivered, after what there was has been.
 *
 * @param unknown fiscal IDs that matched nobody, where that is not to be let pass
 */
export function checkComplete(account: WalkAccount, unknown: readonly string[]): void {
  const lacks = [...unreadable(account), ...inDoubt(account)];
  if (unknown.length > 0) lacks.push(`${count(unknown.length, 'unknown fiscal ID')}: ${unknown.join(', ')}`);
  if (lacks.length === 0) return;
  throw new IncompleteError(
    `delivered ${count(account.records, 'record')}, but not all: ${lacks.join('; ')}`,
    {
      hint: account.complete
        ? 'leave the unknown IDs out, or --strict'
        : 'run it again when the service is quieter',
    },
  );
}

function unreadable({ unreadable: offsets }: WalkAccount): string[] {
  if (offsets.size === 0) return [];
  const places = [...offsets].slice(0, PLACES).map((offset) => offset + 1);
  const more = offsets.size > PLACES ? ', …' : '';
  return [`the service does not serve number ${places.join(', ')}${more} of the listing, even alone`];
}

function inDoubt({ inDoubt: doubtful, drift, totalAtEnd }: WalkAccount): string[] {
  if (doubtful === 0) return [];
  const why = drift
    ? 'the listing kept changing while it was read'
    : 'it names a higher total than it serves';
  const of =
    totalAtEnd === undefined ? count(doubtful, 'record') : `${doubtful} of the ${totalAtEnd} records`;
  const named = totalAtEnd === undefined ? 'or more' : 'that the service names';
  return [`${of} ${named} are in doubt: ${why}`];
}
