import { describe, expect, it } from 'vitest';
import { listing } from './try-sync.ts';

describe('a listing put aside', () => {
  it('names two records of one key', async () => {
    await expect(listing(['{"id":1}', '{"id":2}', '{"id":1,"a":2}'])).rejects.toMatchObject({
      message: 'the records 1 and 3 of the issued invoices have the same id: 1',
    });
    await expect(
      listing(['{"n":"a","m":1}', '{"n":"a","m":2}', '{"n":"a","m":1}'], ['n', 'm']),
    ).rejects.toMatchObject({
      message: 'the records 1 and 3 of the issued invoices have the same n, m: ["a","1"]',
    });
  });

  it('names a record without a key', async () => {
    await expect(listing(['{"id":1}', '{"number":"x"}'])).rejects.toMatchObject({
      message: 'record 2 of the issued invoices has no id: {"number":"x"}…',
      hint: 'Nothing was written. Name the columns that tell records apart with the setting key.<listing>, as in folio config set key.issued number,documentType.',
    });
  });
});
