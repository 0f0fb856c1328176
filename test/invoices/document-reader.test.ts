import { describe, expect, it } from 'vitest';
import {
  type ColumnNames,
  AMOUNT_ROLES,
  fieldsOfColumns,
  mapFields,
  type Role,
} from '../../src/invoices/fields.ts';
import { DocumentReader } from '../../src/invoices/document-reader.ts';
import { issued } from '../../src/resources/issued.ts';
import { batchOf } from '../support/records.ts';

const usual = fieldsOfColumns(issued.columns);
const mapped = mapFields(usual, { currency: '=CLP', due: 'pay', open: 'rest' });
const north = mapFields(mapped, { open: 'left' });
const names: ColumnNames = {
  fields: { usual: mapped, byProfile: new Map([['north', north]]) },
  headings: new Map<string, Role | readonly string[]>([
    ['to pay', 'open'],
    ['who', ['customer.name', 'name']],
  ]),
};

/** What is read of each record. */
function readAll<T>(
  reader: DocumentReader,
  records: readonly object[],
  take: (document: DocumentReader) => T,
): T[] {
  const taken: T[] = [];
  reader.fold(batchOf(...records), () => taken.push(take(reader)));
  return taken;
}

function ofRoles(...roles: Role[]): DocumentReader {
  return new DocumentReader({ fields: { usual } }, { roles });
}

/** The texts of the cells by these names, of each record. */
function textsBy(wanted: readonly string[], ...records: object[]) {
  const reader = new DocumentReader(names, { roles: [], names: wanted });
  return readAll(reader, records, () => reader.namedCells().map((cell) => cell?.text));
}

describe('the roles of a document', () => {
  it('are in the first of their columns that has a value', () => {
    const record = {
      totalAmount: null,
      total: '',
      amount: 7,
      dueDate: '2026-01-01',
      customer: { fiscalId: '--' },
    };
    const roles = ['total', 'due', 'open', 'counterpartyName', 'counterpartyFiscalId'] as const;
    expect(
      readAll(ofRoles(...roles), [record], (one) => [
        ...[one.columnOf('total'), one.cell('total'), one.text('due'), one.cell('open'), one.counterparty],
      ]),
    ).toEqual([
      [
        'amount',
        { kind: 'number', text: '7' },
        '2026-01-01',
        undefined,
        { name: undefined, fiscalId: undefined },
      ],
    ]);
    expect(() => ofRoles('open').cell('due')).toThrow('the role due is not read');
    const amounts = { amountDue: 1, amountPaid: 2, total: 3, netAmount: 4, exemptAmount: 5, taxAmount: 6 };
    expect(
      readAll(ofRoles(...AMOUNT_ROLES), [amounts], (one) => AMOUNT_ROLES.map((role) => one.text(role))),
    ).toEqual([['1', '2', '3', '4', '5', '6']]);
  });

  it('are read by the fields of its profile, where there are several', () => {
    const south = { ...usual, columns: { ...usual.columns, currency: ['=CLP'], total: ['sum'] } };
    const fields = { usual, byProfile: new Map([['south', south]]) };
    const reader = new DocumentReader({ fields }, { roles: ['total', 'currency'] });
    const records = [
      { _profile: 'south', totalAmount: 1, sum: 2, currency: 'USD' },
      { _profile: 'north', totalAmount: 1, sum: 2, currency: ' usd' },
      { totalAmount: 1, sum: 2 },
    ];
    expect(readAll(reader, records, (one) => [one.profile, one.text('total'), one.currency])).toEqual([
      ['south', '2', 'CLP'],
      ['north', '1', 'USD'],
      [undefined, '1', undefined],
    ]);
    expect(reader.columnsOf('total')).toEqual(['totalAmount', 'total', 'amount', 'sum']);
  });

  it('are refused where no record has one, unless its column is there, be it in a record that is not read', () => {
    const reader = ofRoles('total', 'currency', 'due');
    readAll(reader, [{ totalAmount: 1, due: null }], () => undefined);
    expect((['total', 'currency', 'open'] as const).map((role) => reader.has(role))).toEqual([
      true,
      false,
      false,
    ]);
    expect(() => reader.refuseWithout(['total', 'currency'], 'no figures')).toThrow(
      expect.objectContaining({
        message: 'no figures: no record has a currency in currency or currencyCode',
        hint: expect.stringContaining('--field currency==CLP'),
      }),
    );
    reader.sample(batchOf({ currencyCode: '' }));
    expect(() => reader.refuseWithout(['total', 'currency'], 'no figures')).not.toThrow();
  });
});

describe('cells by the names that people have for them', () => {
  it('are those of the column with the name, or of the first that it stands for and that has a value', () => {
    expect(
      textsBy(
        ['open', 'to pay', 'due', 'who', 'currency', 'a'],
        { rest: 5, pay: '2026-01-02', name: 'b', customer: { name: '' } },
        { rest: 6, name: 'b', customer: { name: 'a' }, a: 'x' },
        { _profile: 'north', left: 1, rest: 2 },
        { _profile: 'south', left: 1, rest: 2 },
      ),
    ).toEqual([
      ['5', '5', '2026-01-02', 'b', 'CLP', undefined],
      ['6', '6', undefined, 'a', 'CLP', 'x'],
      ['1', '1', undefined, undefined, 'CLP', undefined],
      ['2', '2', undefined, undefined, 'CLP', undefined],
    ]);
  });

  it('are refused where records have a column of the name, and one that it stands for', () => {
    const clash = expect.objectContaining({
      message: 'open can mean two columns: the records have one of that name, and it also stands for rest',
      hint: 'Write rest for that one. For the other, say that it is meant with --field <field>=open.',
    });
    expect(() => textsBy(['open'], { open: 1, rest: 2 })).toThrow(clash);
    expect(() => textsBy(['open'], { open: 1 }, { rest: 2 })).toThrow(clash);
    expect(textsBy(['open'], { open: 1 }, { open: 2 })).toEqual([['1'], ['2']]);
    expect(textsBy(['who'], { who: null, name: 'x' })).toEqual([['x']]);
  });
});
