import { Draw, hash32 } from './data/hash.ts';
import type { Settings } from './options.ts';

/** When a call takes longer the gateway gives up and answers 502 (spec 4.2 rule 4). */
export const longestCall = 29_000;

/** Milliseconds that the nth call takes. */
export function chooseLatency(settings: Settings, call: number, isSlow: boolean): number {
  const draw = new Draw(hash32(settings.seed, call, 92));
  const [least, most] = settings.latency;
  const base = least + draw.below(most - least + 1);
  return settings.realistic && isSlow ? base + 10_000 + draw.below(15_001) : base;
}
