import type { Finding } from '../../src/findings.ts';

/** What was found, as lines such as `warning: no record has …`, without what is for the receipt alone. */
export function told(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ level, text }) => (level === 'fact' ? [] : [`${level}: ${text}`]));
}
