import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../src/profiles/store-document.ts';
import { randomRuns } from '../support/random-runs.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('findJsonFault', () => {
  it.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a": 1}\n}', 2, 1],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": tru}', 1, 7],
    ['["a\nb"]', 1, 2],
    ['[01]', 1, 3],
    ['{a: 1}', 1, 2],
    ["{'a': 1}", 1, 2],
    ['{"a" 1}', 1, 6],
    ['[1 2]', 1, 4],
    ['[1}', 1, 3],
  ])('finds the fault of %j in line %i, column %i', (text, line, column) => {
    expect(findJsonFault(text)).toEqual({ line, column });
  });

  it('agrees with the runtime about what is JSON', () => {
    const damaged = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '0', 'null', '\\', '\u0001', ' '),
      )
      .map(([text, at, piece]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + (at % 2));
      });
    fc.assert(
      fc.property(damaged, (text) => {
        expect(findJsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: randomRuns(3_000) },
    );
  });

  it('survives what is as long or as deep as a store may be', () => {
    expect(findJsonFault(`["${'a'.repeat(1_000_000)}`)).toEqual({ line: 1, column: 2 });
    expect(findJsonFault('['.repeat(1_000_000))).toEqual({ line: 1, column: 1_000_001 });
  });
});
