import { describe, expect, it } from 'vitest';
import { formatDecimal } from '../../src/json/decimal.ts';
import { mapFields, fieldsOfColumns, type Fields } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/issued.ts';
import { hasReferences, ReferenceLooks } from '../../src/invoices/references.ts';
import { batchOf } from '../support/records.ts';

const fields = mapFields(fieldsOfColumns(issued.columns), { reference: 'of' });

/** What the documents that each record refers to leave of its open amount; undefined where nothing limits it. */
function limitsOf(
  records: readonly (string | object)[],
  byProfile?: ReadonlyMap<string, Fields>,
): (string | undefined)[] {
  const looks = new ReferenceLooks({ usual: fields, byProfile });
  // In two batches, since places go on over them.
  const batches = [batchOf(...records.slice(0, 1)), batchOf(...records.slice(1))];
  for (const batch of batches) looks.collect(batch);
  for (const batch of batches) looks.look(batch);
  const limits = looks.limits();
  return records.map((_, index) => {
    const limit = limits.of(index + 1);
    return limit && formatDecimal(limit);
  });
}

const cancelled = { documentType: '33', status: 'ANNULLED' };
/** A cancelled invoice of which 30 were paid, and the limit of a credit note of it that refers to it so. */
function limitOf(of: unknown, invoice: object = {}, note: object = {}): string | undefined {
  const document = { id: 'd-1', number: 10001, paidAmount: 30, ...cancelled, ...invoice };
  return limitsOf([document, { documentType: '61', number: 7, of, ...note }])[1];
}

describe('a credit note of a cancelled invoice', () => {
  it.each([
    'd-1',
    ' d-1 ',
    10001,
    '10001',
    '33 10001',
    '033-10001',
    'Invoice #10001',
    'exempt invoice: 10001',
    ['d-1'],
    { id: 'd-1' },
    { documentId: 'd-1', number: 99 },
    { number: 10001 },
    { folio: '10001', type: 33 },
    { documentNumber: 10001, documentType: 'INVOICE' },
    { id: '', number: '10001', code: '033' },
    { id: 'unknown', number: '10001' },
    { id: {}, documentId: null, number: '10001' },
    [null, 'd-1', {}, ''],
    '["d-1"]',
    '[{"type":33,"number":10001}]',
  ])('is a credit up to what was paid of it, where it refers to it by %j', (of) => {
    expect(limitOf(of)).toBe('30');
  });

  it.each([
    null,
    '',
    ' ',
    true,
    [],
    {},
    'd-2',
    10002,
    '34 10001',
    'Receipt 10001',
    'UNKNOWN 10001',
    '33 10001 ',
    { type: 33 },
    { number: 10001, type: '34' },
    { number: 10001, code: 34 },
    { number: 10001, type: 'DEBIT_NOTE' },
    { number: '' },
    [[]],
  ])('has no limit where it refers to %j', (of) => {
    expect(limitOf(of)).toBe(of === '33 10001 ' ? '30' : undefined);
  });

  it('may refer to it by a number of several words', () => {
    expect(limitOf('A 10001', { number: 'A 10001' })).toBe('30');
  });

  it('has none where the invoice is not cancelled, or of another counterparty by its number', () => {
    expect(limitOf('d-1', { status: 'PAID' })).toBeUndefined();
    expect(limitOf('d-1', { status: 'VOID' })).toBeUndefined();
    const [ada, eva] = [{ customer: { fiscalId: '1-9' } }, { customer: { fiscalId: '2-7' } }];
    expect([limitOf(10001, ada, ada), limitOf(10001, ada, eva), limitOf('d-1', ada, eva)]).toEqual([
      ...['30', undefined, '30'],
    ]);
  });

  it('has that of an amount without its sign, and of none that cannot be read', () => {
    expect(limitOf('d-1', { paidAmount: -12.5 })).toBe('12.5');
    expect([limitOf('d-1', { paidAmount: 'x' }), limitOf('d-1', { paidAmount: null })]).toEqual(['0', '0']);
  });

  it('knows a type in words by what it means, and a type in codes by its code', () => {
    expect(limitOf('33 10001', { documentType: 'INVOICE' })).toBe('30');
    expect(limitOf('Invoice 10001', { documentType: '34' })).toBe('30');
    expect(limitOf('33 10001', { documentType: '34' })).toBeUndefined();
    expect(limitOf('33 10001', { documentType: undefined })).toBeUndefined();
  });

  it('has the sum of all that it refers to, if all of them are cancelled', () => {
    const others = [
      { id: 1, paidAmount: 10, ...cancelled },
      { id: 2, paidAmount: 2.5, ...cancelled },
      { id: 3, paidAmount: 1, documentType: '33' },
    ];
    const note = (...of: number[]): object => ({ documentType: '61', of });
    expect(limitsOf([...others, note(1, 2), note(1, 2, 3), note(2, 9)]).slice(3)).toEqual([
      ...['12.5', undefined, '2.5'],
    ]);
  });

  it('has none where several may be meant, and never means itself', () => {
    const [one, other] = [
      { id: 'a', number: 5, paidAmount: 1, ...cancelled },
      { id: 'a', number: 5, paidAmount: 2, ...cancelled, documentType: '34' },
    ];
    const notes = ['a', 5, '34 5'].map((of) => ({ documentType: '61', of }));
    expect(limitsOf([one, other, ...notes]).slice(2)).toEqual([undefined, undefined, '2']);
    const own = { id: 'n', number: 8, documentType: '61', status: 'ANNULLED', of: ['n', 8] };
    expect(limitsOf([own])).toEqual([undefined]);
    expect(limitsOf([own, { id: 'n', paidAmount: 3, ...cancelled }])).toEqual(['3', undefined]);
  });

  it('refers to documents of its own profile alone', () => {
    const document = { _profile: 'north', id: 'd-1', number: 5, paidAmount: 30, ...cancelled };
    const notes = ['north', 'south'].flatMap((profile) =>
      ['d-1', 5].map((of) => ({ _profile: profile, documentType: '61', of })),
    );
    const profiles = new Map([
      ['north', fields],
      ['south', fields],
    ]);
    expect(limitsOf([document, ...notes], profiles)).toEqual([
      ...[undefined, '30', '30', undefined, undefined],
    ]);
  });
});

it('an id within a list or an object is known by all its digits, as one that stands alone is', () => {
  const id = '9007199254740993';
  const others = ['{"id":9007199254740992}', `{"id":${id},"documentType":33,"status":"ANNULLED"}`];
  for (const of of [id, `[${id}]`, `{"id":${id}}`, `[{"id":${id},"type":33}]`])
    expect(limitsOf([...others, `{"documentType":61,"of":${of}}`]), of).toEqual([undefined, undefined, '0']);
});

describe('a debit note', () => {
  it('is not open where it cancels a credit note that was cancelled, and only then', () => {
    const notes = [
      { id: 'c', documentType: '61', status: 'ANNULLED', paidAmount: 9 },
      { id: 'v', documentType: '61' },
      { id: 'i', ...cancelled, paidAmount: 9 },
      ...['c', 'v', 'i', ['c', 'i'], 'x'].map((of) => ({ documentType: '56', of })),
      { documentType: '33', of: 'c' },
    ];
    expect(limitsOf(notes).slice(3)).toEqual(['0', ...Array<undefined>(5).fill(undefined)]);
  });
});

it('there are references where a setting says where they are, of any profile', () => {
  const usual = fieldsOfColumns(issued.columns);
  expect(hasReferences({ usual })).toBe(false);
  expect(hasReferences({ usual: fields })).toBe(true);
  expect(hasReferences({ usual, byProfile: new Map([['north', fields]]) })).toBe(true);
  expect(hasReferences({ usual, byProfile: new Map([['north', usual]]) })).toBe(false);
});
