import { distance as levenshtein } from 'fastest-levenshtein';

const MAX_DISTANCE = 3;
const MAX_NAMES = 3;

/** The names that `wanted` may be a misspelling of, nearest first, at most three: by case, last part, or a few letters. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const lower = wanted.toLowerCase();
  return names
    .map((name) => ({ name, distance: distance(lower, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.min(MAX_DISTANCE, Math.max(1, Math.floor(wanted.length / 3))))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function distance(wanted: string, name: string): number {
  const lastPart = name.slice(name.lastIndexOf('.') + 1);
  return lastPart === wanted ? Math.min(1, name.length - wanted.length) : editDistance(wanted, name);
}

/** How many letters are wrong, too many or missing. Two letters in each other's place are one mistake. */
function editDistance(wanted: string, name: string): number {
  const first = [...wanted].findIndex((letter, at) => letter !== name[at]);
  const [a = '', b = ''] = wanted.slice(first, first + 2);
  const isSwap = wanted.slice(0, Math.max(first, 0)) + b + a + wanted.slice(first + 2) === name;
  return isSwap ? 1 : levenshtein(wanted, name);
}

/** A hint with the names that `wanted` may be a misspelling of; where there are none, with all names. */
export function nearestHint(wanted: string, names: readonly string[]): string {
  const near = nearestNames(wanted, names);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The names are ${names.join(', ')}.`;
}
