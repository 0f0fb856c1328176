import { describe, expect, it } from 'vitest';
import { familyOf, validityOf } from '../../src/invoices/document-types.ts';
import {
  counterpartyKey,
  foldFiscalId,
  isChileanFiscalId,
  isFiscalId,
} from '../../src/invoices/fiscal-ids.ts';

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
    ['credit note', ['Nota de crédito', 'NOTA DE CRÉDITO', 'nota_de_credito', 'Nota de crédito de factura']],
    ['credit note', ['notaDeCrédito', 'NOTA_CREDITO', 'Nota cre\u0301dito electro\u0301nica']],
    ['debit note', ['Nota de débito', 'NOTA DE DEBITO', 'notaDebito']],
    ['invoice', ['Factura', 'FACTURA_EXENTA', 'Liquidación factura']],
    ['receipt', ['Boleta', 'boleta exenta']],
    ['guide', ['Guía de despacho', 'GUIA_DE_DESPACHO', 'guía despacho']],
    ['quote', ['Cotización', 'COTIZACION', 'Presupuesto']],
    ['order', ['Orden de compra', 'ORDEN_COMPRA']],
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

  const CHILEAN = ['12.345.678-5', '12345678-5', '11.111.111-1', '7.654.321-6', '123456-0', '20347878-K'];
  it.each(CHILEAN)('%s is one of Chile', (id) => {
    expect([isChileanFiscalId(id), isChileanFiscalId(id.toLowerCase())]).toEqual([true, true]);
  });

  const OTHERS = '12.345.678-4,12345678,123456785,12345-5,12.345678-5, 12345678-5,-0,cus_1';
  it.each(OTHERS.split(','))('%s is none of Chile', (id) => {
    expect(isChileanFiscalId(id)).toBe(false);
  });
});
