/** Names farther away than this are no slip of the keys. */
const FARTHEST = 3;
const MOST_NAMES = 3;

/** The names that `wanted` may be a misspelling of, nearest first, at most three: by case, last part, or a few letters. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const lower = wanted.toLowerCase();
  return names
    .map((name) => ({ name, distance: distance(lower, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.min(FARTHEST, Math.max(1, Math.floor(wanted.length / 3))))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST_NAMES)
    .map(({ name }) => name);
}

function distance(wanted: string, name: string): number {
  const lastPart = name.slice(name.lastIndexOf('.') + 1);
  return lastPart === wanted ? Math.min(1, name.length - wanted.length) : editDistance(wanted, name);
}

/** How many letters must be put in, left out or replaced to make `b` of `a` (Levenshtein). */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > FARTHEST) return FARTHEST + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** What somebody who typed `wanted` may have meant; where nothing is near, what there is. */
export function nearestHint(wanted: string, names: readonly string[]): string {
  const near = nearestNames(wanted, names);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The names are ${names.join(', ')}.`;
}
