import { describe, expect, it } from 'vitest';
import { contentToHash, withoutSignatures } from '../../../src/query/changes/record-key.ts';

describe('withoutSignatures', () => {
  it.each([
    ['[{"fileUrl":"https://a.example/f/1?sig=x"}]', '[{"fileUrl":"/f/1"}]'],
    [
      '[{"fileUrl":"https://b.example:8080/f/1?sig=\\"y"},{"fileUrl":"http://b/f/2"}]',
      '[{"fileUrl":"/f/1"},{"fileUrl":"/f/2"}]',
    ],
    ['{"note":"https://a.example/?sig=x"}', '{"note":"https://a.example/?sig=x"}'],
    ['{"fileUrl":null}', '{"fileUrl":null}'],
  ])('%s', (json, cut) => {
    expect(withoutSignatures(json)).toBe(cut);
    expect(contentToHash(Buffer.from(json)).toString()).toBe(cut);
  });
});
