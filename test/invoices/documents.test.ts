import { describe, expect, it } from 'vitest';
import type { Cell } from '../../src/json/cells.ts';
import { nameOfCell, readAmount } from '../../src/invoices/open-items.ts';
import { SpecialDocuments, Unreadable } from '../../src/invoices/left-out.ts';
import { familyOf, validityOf } from '../../src/invoices/document-types.ts';
import { ROLES, fieldsOfColumns, type FieldsOf } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/issued.ts';
import {
  counterpartyKey,
  foldFiscalId,
  isChileanFiscalId,
  isFiscalId,
} from '../../src/invoices/fiscal-ids.ts';
import { DocumentReader } from '../../src/invoices/document-reader.ts';
import { RecordBatch } from '../../src/json/records.ts';
import { batchOf } from '../support/records.ts';

/** A record of issued invoices, by what its columns mean. */
function invoiceOf(
  record: object | string,
  fields: FieldsOf = { usual: fieldsOfColumns(issued.columns) },
  place = 1,
): DocumentReader {
  const reader = new DocumentReader({ fields }, { roles: ROLES });
  reader.fold(new RecordBatch({ ...batchOf(record), places: Int32Array.of(place) }), () => {});
  return reader;
}

describe('the type of a document', () => {
  it.each([
    ['invoice', ['30', '32', '33', '34', '40', '43', '45', '46', '101', '110', '0033', ' 33 ']],
    ['invoice', ['INVOICE', 'ExemptInvoice', 'exempt-invoice', 'invoice (export)']],
    ['credit note', ['60', '61', '106', '112', 'CREDIT_NOTE', 'creditNote', 'Credit note of invoice']],
    ['debit note', ['55', '56', '104', '111', 'DEBIT_NOTE', 'export debit note']],
    ['fee note', ['70', '71', 'FEE_NOTE', 'feeInvoice', 'FEE RECEIPT', 'Boleta de honorarios']],
    ['receipt', ['35', '38', '39', '41', '48', 'Receipt']],
    ['guide', ['50', '52', 'GUIDE', 'delivery note']],
    ['import declaration', ['914', 'importDeclaration']],
    ['quote', ['QUOTE', 'quotation']],
    ['order', ['801', 'Purchase order']],
    [
      'credit note',
      [
        'Nota de crédito',
        'NOTA DE CRÉDITO',
        'nota_de_credito',
        'notaDeCrédito',
        'Nota de crédito de factura',
      ],
    ],
    ['debit note', ['Nota de débito', 'NOTA DE DEBITO']],
    ['invoice', ['Factura', 'FACTURA_EXENTA', 'Liquidación factura']],
    ['receipt', ['Boleta', 'boleta exenta']],
    ['guide', ['Guía de despacho', 'GUIA_DE_DESPACHO']],
    ['quote', ['Cotización', 'COTIZACION', 'Presupuesto']],
    ['order', ['Orden de compra']],
    ['unknown', ['', '0', '99', '00033', '3 3', 'INVOICES', 'PREORDER', 'NOTE', 'CREDIT']],
  ])('%s is told by %j', (family, types) => {
    expect(types.map(familyOf)).toEqual(types.map(() => family));
    expect(types.map(familyOf)).toEqual(types.map(() => family));
  });

  it('is unknown where there is none, and told however many there are', () => {
    expect(familyOf(undefined)).toBe('unknown');
    for (let turn = 0; turn < 2; turn++)
      for (let at = 0; at < 1_100; at++) expect(familyOf(`INVOICE ${at}`)).toBe('invoice');
  });
});

describe('the status of a document', () => {
  it.each([
    [undefined, undefined, 'valid'],
    ['PAID', 'false', 'valid'],
    ['CANCELADA', '', 'valid'],
    ['nullified', undefined, 'cancelled'],
    [' Annulled ', undefined, 'cancelled'],
    ['ANULADA', 'false', 'cancelled'],
    ['anulado', undefined, 'cancelled'],
    ['CANCELLED', undefined, 'cancelled'],
    ['canceled', undefined, 'cancelled'],
    ['PAID', ' True ', 'cancelled'],
    [undefined, 'true', 'cancelled'],
    ['VOID', undefined, 'void'],
    ['voided', 'true', 'void'],
  ])('%s, with the mark %s, is %s', (status, mark, validity) => {
    expect(validityOf(status, mark)).toBe(validity);
  });
});

describe('a fiscal ID', () => {
  it('is the same in any punctuation and case, and with zeros before what its check digit proves', () => {
    expect(['60.155.445-k', ' 60155445-K', '60 155 445 k'].map(foldFiscalId)).toEqual(
      Array<string>(3).fill('60155445K'),
    );
    const withZeros = [
      ...'005.126.663-3 05126663–3 05.126.663-4 012-K 0 000 0-0 X05126663-3 05126663-3X'.split(' '),
    ];
    expect(withZeros.map(foldFiscalId)).toEqual([
      ...['51266633', '51266633', '051266634', '012K', '0', '000', '00', 'X051266633', '051266633X'],
    ]);
    expect([undefined, '', ' - .', '-1', 'ñ'].map(isFiscalId)).toEqual([false, false, false, true, true]);
  });

  it('tells counterparties apart, but where many share it', () => {
    const shared = ['55555555-5'];
    const key = (fiscalId: string | undefined, name: string | undefined): string =>
      counterpartyKey({ fiscalId, name }, shared);
    expect(key('1.234-k', 'Ada')).toBe(key('1234-K', 'Eva'));
    expect(key('55.555.555-5', 'Ada')).toBe(key('555555555', 'Ada'));
    const others = [
      ...[key('1234-k', 'Ada'), key('1235-k', 'Ada'), key('55555555-5', 'Ada'), key('55555555-5', 'Eva')],
      ...[key(undefined, 'Ada'), key(undefined, undefined), key('55555555-5', undefined)],
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  it.each(['12.345.678-5', '12345678-5', '11.111.111-1', '7.654.321-6', '123456-0', '20347878-K'])(
    '%s is one of Chile',
    (id) => {
      expect([isChileanFiscalId(id), isChileanFiscalId(id.toLowerCase())]).toEqual([true, true]);
    },
  );

  it.each(['12.345.678-4', '12345678', '123456785', '12345-5', '12.345678-5', ' 12345678-5', '-0', 'cus_1'])(
    '%s is none of Chile',
    (id) => {
      expect(isChileanFiscalId(id)).toBe(false);
    },
  );
});

const cell = (kind: Cell['kind'], text: string): Cell => ({ kind, text });

describe('an amount', () => {
  it('is a number alone', () => {
    expect(readAmount(undefined)).toBe('absent');
    expect(readAmount(cell('string', ''))).toBe('absent');
    expect(readAmount(cell('number', '-1.50'))).toEqual({ coefficient: -150n, scale: 2 });
    for (const one of [cell('string', '1'), cell('boolean', 'true'), cell('array', '[1]')])
      expect(readAmount(one)).toBe('unreadable');
    expect(readAmount(cell('number', '1e9999'))).toBe('unreadable');
  });

  it.each([
    [cell('string', 'N/A'), 'the text "N/A"'],
    [cell('string', 'x'.repeat(41)), `the text "${'x'.repeat(40)}"`],
    [cell('boolean', 'true'), 'the boolean "true"'],
    [cell('array', '[1]'), 'the array "[1]"'],
    [cell('array', '{"a":1}'), 'the object "{\\"a\\":1}"'],
    [cell('string', '{}'), 'the text "{}"'],
    [cell('number', '12'), 'the number "12"'],
    [cell('number', '1e9999'), 'a number of more than 1,000 digits'],
    [cell('string', '1e9999'), 'the text "1e9999"'],
  ])('that cannot be read is named: %j', (one, name) => {
    expect(nameOfCell(one)).toBe(name);
  });
});

describe('what an answer counts', () => {
  const add = (counted: SpecialDocuments, record: object, changes = { sum: true, cancelled: true }): void =>
    counted.add(invoiceOf(record), changes);

  it('is told in clauses, and nothing of what there was none of', () => {
    const counted = new SpecialDocuments();
    expect(counted.clauses('open')).toEqual([]);
    add(counted, { documentType: '33' });
    add(counted, {});
    add(counted, { documentType: '61' });
    add(counted, { documentType: '61' }, { sum: false, cancelled: true });
    add(counted, { documentType: '33', status: 'ANNULLED' });
    add(counted, { documentType: '33', status: 'ANNULLED' }, { sum: true, cancelled: false });
    for (let at = 0; at < 2; at++) add(counted, { documentType: '52' });
    for (let at = 0; at < 1_000; at++) add(counted, { documentType: '52', status: 'VOID' });
    add(counted, { documentType: '801' });
    const clauses = (cancelled: string): string[] => [
      '1 credit note taken away',
      `1 cancelled document ${cancelled}`,
      '1,000 void documents in no sum',
      '2 guides in no sum',
      '1 order in no sum',
      '1 document without a type counted as invoice',
    ];
    expect(counted.clauses('open')).toEqual(clauses('not open'));
    expect(counted.clauses('other')).toEqual(clauses('counted, as the credit notes are that cancel them'));
    expect(counted.clauses('both')).toEqual(clauses('not open, but in the other sums'));
    add(counted, {});
    expect(counted.clauses('open').at(-1)).toBe('2 documents without a type counted as invoices');
  });

  it('is nothing of types where no document has one', () => {
    const counted = new SpecialDocuments();
    add(counted, {});
    expect(counted.clauses('both')).toEqual([]);
  });
});

describe('what cannot be read', () => {
  it('is counted by records, of which three are named', () => {
    const unreadable = new Unreadable();
    expect(unreadable.finding('--sum')).toEqual({ level: 'fact', text: '', missing: { unreadable: 0 } });
    unreadable.noteRole(invoiceOf({ number: 'F-1' }, undefined, 1), 'total');
    expect(unreadable.count).toBe(0);
    unreadable.noteRole(invoiceOf({ number: 'F-2', totalAmount: 'x' }, undefined, 2), 'total');
    unreadable.noteRole(invoiceOf({ totalAmount: 'the same record' }, undefined, 2), 'total');
    expect(unreadable.finding('--sum').text).toBe(
      '--sum: 1 record was left out, since it cannot be read: totalAmount of record 2 (number F-2) is the text "x"',
    );
    unreadable.noteRole(invoiceOf({ amount: true }, undefined, 3), 'total');
    for (let place = 4; place < 7; place++)
      unreadable.noteRole(invoiceOf({ total: 'x' }, undefined, place), 'total');
    expect(unreadable.count).toBe(5);
    expect(unreadable.finding('aging')).toMatchObject({
      ...{ level: 'failure', kind: 'incomplete', missing: { unreadable: 5 } },
      text:
        'aging: 5 records were left out, since they cannot be read: totalAmount of record 2 (number F-2) is the text "x"; ' +
        'amount of record 3 is the boolean "true"; total of record 4 is the text "x"; and 2 more',
      hint: expect.stringContaining('--field'),
    });
  });
});
