import { expect, it } from 'vitest';
import { runOrganizations } from '../support/run-model.ts';

it.each([
  ['received', 'received', 'issuerFiscalId'],
  ['received', 'received', 'supplierFiscalId'],
  ['funds documents 1', 'documents', 'issuerFiscalId'],
] as const)(
  'documents of several issuers with one number are told apart where the listing moves: %s',
  async (words, listing, column) => {
    const records = [1, 2, 3].flatMap((number) =>
      ['1-9', '2-7', '3-5'].map((issuer) => `{"number":${number},"documentType":33,"${column}":"${issuer}"}`),
    );
    const there = [...records];
    let requests = 0;
    const { code, stdout } = await runOrganizations(`${words} --profile north --page-size 3 --format jsonl`, {
      organizations: { north: { records: { [listing]: records } } },
      onRequest: () => {
        if (++requests === 2) records.unshift(`{"number":9,"documentType":33,"${column}":"1-9"}`);
      },
    });
    expect(code).toBe(0);
    const [added = ''] = records;
    expect(stdout.trimEnd().split('\n').toSorted()).toEqual([...there, added].toSorted());
  },
);
