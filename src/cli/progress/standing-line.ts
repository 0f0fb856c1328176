import type { GroupDigits } from '../../output/table/group-digits.ts';
import { count } from '../count.ts';
import type { Standing } from './standing.ts';

/** Milliseconds of work before there is a guess of how much is left. */
const GUESS_AFTER = 2_000;

/** A standing in words: `4,000 of 12,345 · 3 pages · 4 in flight · 1 retry · 12 s left`. */
export function standingLine(standing: Standing, now: number, group: GroupDigits): string {
  const { records, goal, pages, inFlight, retries, shrinks, rereads, state } = standing;
  const of = goal === undefined ? '' : ` of ${group(String(goal))}`;
  const parts = pages === 0 ? [] : [`${group(String(records))}${of}`, count(pages, 'page')];
  if (retries > 0) parts.push(retries === 1 ? '1 retry' : `${retries} retries`);
  if (shrinks > 0) parts.push(`${count(shrinks, 'page')} too large`);
  if (state !== 'running') return [...parts, state].join(' · ');
  const wait = standing.waitsUntil - now;
  if (inFlight > 0) parts.push(`${inFlight} in flight`);
  else if (wait > 0) parts.push(`waits ${duration(wait)}`);
  if (rereads > 0) parts.push('reading again what moved');
  else if (records > 0 && goal !== undefined) parts.push(...timeLeft(standing, goal, now));
  return parts.join(' · ');
}

function timeLeft({ records, startedAt }: Standing, goal: number, now: number): string[] {
  const spent = now - startedAt;
  if (spent < GUESS_AFTER || records >= goal) return [];
  return [`${duration((spent / records) * (goal - records))} left`];
}

/** Milliseconds as `45 s`, `3 min` or `2 h 5 min`, rounded up. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
