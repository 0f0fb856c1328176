import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomRuns } from '../../support/random-runs.ts';
import { oracle, type OracleDocument, type OracleQuestion } from './oracle.ts';
import { runReconcile } from './run-reconcile.ts';

/** Few values, so that documents meet. */
const document = (types: readonly string[], more = {}): fc.Arbitrary<OracleDocument> =>
  fc.record({
    number: fc.constantFrom('1', '2', '3', 'A-7'),
    type: fc.constantFrom(...types),
    party: fc.constantFrom('761234567', '77000111K', '555555555'),
    total: fc.constantFrom(100, 101, 200, -100),
    net: fc.constantFrom(undefined, 80, 81),
    date: fc.constantFrom(
      '',
      ...'2026-08-30 2026-08-31 2026-10-01 2026-10-31 2026-12-01 2026-12-02'.split(' '),
    ),
    currency: fc.constantFrom('', 'CLP', 'CLP', 'USD', '$'),
    ...more,
  });

const OF_SERVICE = {
  rate: fc.constantFrom(undefined, undefined, 1000, 1005, 2000),
  status: fc.constantFrom(...([undefined, undefined, undefined, 'VOID', 'NULLIFIED'] as const)),
};

const TYPES = ['33', '34', '61', '56', '39', '52', '914', '999', 'INVOICE', 'CREDIT_NOTE', 'FOO', ''];

const question: fc.Arbitrary<OracleQuestion> = fc.record({
  against: fc.constantFrom('issued', 'received'),
  tolerance: fc.constantFrom(0, 1),
  month: fc.constant('2026-10'),
  list: fc.array(document([...TYPES, '33', '33']), { maxLength: 16 }),
  service: fc.array(document([...TYPES, 'INVOICE', 'DEBIT_NOTE', 'RECEIPT', 'DELIVERY_GUIDE'], OF_SERVICE), {
    maxLength: 16,
  }),
});

const HEADINGS = 'n,ty,id,name,t,net,d,c';
const MATCH =
  'number=n,documentType=ty,counterpartyFiscalId=id,counterpartyName=name,total=t,net=net,date=d,currency=c';

/** What the program says, in the oracle's words: the names of parties tell which document it is. */
async function said({ against, tolerance, month, list, service }: OracleQuestion): Promise<string[]> {
  const lines = list.map(({ number, type, party, total, net, date, currency }, at) =>
    [number, type, party, `L${at}`, total, net ?? '', date, currency].join(','),
  );
  const records = service.map(({ number, type, party, total, net, date, currency, rate, status }, at) => ({
    number,
    documentType: type === '' ? null : type,
    [against === 'issued' ? 'receiverFiscalId' : 'issuerFiscalId']: party,
    [against === 'issued' ? 'customer' : 'issuer']: { name: `S${at}` },
    totalAmount: total,
    netAmount: net ?? null,
    date: date === '' ? null : `${date}T00:00:00Z`,
    currency: currency === '' ? null : currency,
    exchangeRate: rate === undefined ? null : rate / 1000,
    status: status ?? 'PAID',
  }));
  const flags = ['--against', against, '--match', MATCH, '--period', month, '--tolerance', String(tolerance)];
  const files = { 'list.csv': [HEADINGS, ...lines, ''].join('\n') };
  const { code, rows, stderr } = await runReconcile(files, records, [...flags, '--all']);
  const isSame = rows.every((row) => row['_match'] === 'same');
  expect({ code, stderr }).toMatchObject({ code: isSame ? 0 : 7 });
  return rows.map((row) => {
    const one = row['list.row'] === '' ? '' : Number(row['list.row']) - 2;
    const name = row['counterpartyName'] ?? '';
    return `${row['_match']} | ${one} | ${name.startsWith('S') ? name.slice(1) : ''} | ${row['differs']}`;
  });
}

it('says of random lists and books what a second reading of the rules says', async () => {
  await fc.assert(
    fc.asyncProperty(question, async (books) => {
      expect((await said(books)).toSorted()).toEqual(oracle(books).toSorted());
    }),
    { numRuns: randomRuns(150) },
  );
});
