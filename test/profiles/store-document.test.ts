import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../src/profiles/store-document.ts';

describe('a store that is not JSON', () => {
  it.each([
    ['{', 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a": 1}\n}', 2, 1],
    ['{\n  "ñ": 1\n  "b": 2\n}', 3, 3],
    ['{"á": tru}', 1, 10],
    ['["a\nb"]', 1, 4],
    ['{a: 1}', 1, 2],
    ['[1 2]', 1, 4],
  ])('is told with the place of the fault: %j, line %i, column %i', (text, line, column) => {
    const place = `the configuration f cannot be used: it is not JSON (line ${line}, column ${column})`;
    expect(() => parseDocument(text, 'f')).toThrow(place);
  });

  it('may be as long or as deep as a store can be', () => {
    expect(() => parseDocument(`["${'a'.repeat(1_000_000)}`, 'f')).toThrow('line 1, column 1000003');
    expect(() => parseDocument('['.repeat(1_000_000), 'f')).toThrow('it is not JSON (line 1, column ');
  });
});
