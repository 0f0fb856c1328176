import { nearestNames } from '../analysis/nearest-names.ts';

/** What somebody who typed `wanted` may have meant; where nothing is near, what there is. */
export function nearestHint(wanted: string, names: readonly string[]): string {
  const near = nearestNames(wanted, names);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there is: ${names.join(', ')}`;
}
