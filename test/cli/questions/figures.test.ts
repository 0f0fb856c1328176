import { parse as parseCsv } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLosslessNumber, parse } from 'lossless-json';
import { beforeAll, describe, expect, it } from 'vitest';
import { atMidday, middayToday } from '../../support/midday.ts';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * The figures of the built program, beside others from the same records: read by another library, added as big integers
 * of thousandths, dated by the runtime. No code is shared.
 */
interface Invoice {
  readonly number: string;
  readonly type: string;
  readonly status: string;
  readonly currency: string;
  readonly fiscalId: string;
  /** In thousandths. */
  readonly open: bigint;
  readonly total: bigint;
  /** In days since 1970-01-01; undefined for none. */
  readonly due: number | undefined;
}

atMidday();

let file: string;
let invoices: readonly Invoice[];

beforeAll(async () => {
  file = join(temporaryFolder(), 'issued.jsonl');
  const { code, stderr } = await runHere(['issued', '--sandbox', '-o', file, '--receipt', 'beside']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  invoices = readFileSync(file, 'utf8').trimEnd().split('\n').map(invoiceOf);
});

function invoiceOf(line: string): Invoice {
  const record = parse(line) as Record<string, unknown>;
  const text = (name: string): string => {
    const value = record[name];
    return isLosslessNumber(value) ? value.value : (value as string);
  };
  return {
    number: text('number'),
    type: text('documentType'),
    status: text('status'),
    currency: text('currency'),
    fiscalId: text('receiverFiscalId'),
    open: thousandths(text('amountToBePaid')),
    total: thousandths(text('totalAmount')),
    due: record['dueBy'] ? Date.parse(text('dueBy').slice(0, 10)) / 86_400_000 : undefined,
  };
}

function thousandths(literal: string): bigint {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(\d+))?$/.exec(
    literal,
  )!;
  const digits = 3 + Number(exponent);
  expect(fraction.length).toBeLessThanOrEqual(digits);
  return BigInt(`${sign}${whole}${fraction.padEnd(digits, '0')}`);
}

/** The answer of the built program, a row of cells for each line behind the header. */
async function rows(...args: string[]): Promise<string[][]> {
  const { code, stdout, stderr } = await runHere([...args, '--from', file, '--format', 'csv'], {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parseCsv(stdout, { from: 2 });
}

describe('figures of the built program', () => {
  it('--overdue are those with an open amount and a due date before today', async () => {
    const overdue = invoices.filter(
      ({ type, status, open, due }) =>
        type === 'INVOICE' && status !== 'NULLIFIED' && open > 0n && due !== undefined && due < middayToday(),
    );
    expect(overdue.length).toBeGreaterThan(5);
    expect((await rows('issued', '--overdue', '--columns', 'number')).flat()).toEqual(
      overdue.map(({ number }) => number),
    );
  });

  it('--sum is the sum of each currency', async () => {
    const sums = new Map<string, bigint>();
    for (const { currency, total, type } of invoices) {
      const worth = type === 'CREDIT_NOTE' && total > 0n ? -total : total;
      sums.set(currency, (sums.get(currency) ?? 0n) + worth);
    }
    const answer = await rows('issued', '--sum', 'totalAmount', '--columns', 'currency,totalAmount');
    expect(new Map(answer.map(([currency, total]) => [currency, thousandths(total!)]))).toEqual(sums);
    const grouped = await rows('issued', '--sum', 'totalAmount', '--group-by', 'currency');
    expect(grouped.map(([currency, , total]) => [currency, total])).toEqual(answer);
  });

  it('aging has each open amount in the bucket of its days', async () => {
    const model = new Map<string, bigint[]>();
    for (const { open, due, currency, fiscalId, type, status } of invoices) {
      if (open === 0n || status === 'NULLIFIED') continue;
      const days = middayToday() - (due ?? middayToday());
      const bucket = days <= 0 ? 0 : days <= 30 ? 1 : days <= 60 ? 2 : days <= 90 ? 3 : 4;
      const key = `${fiscalId} ${currency}`;
      const amounts = model.get(key) ?? [0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n];
      const signed = type === 'CREDIT_NOTE' && open > 0n ? -open : open;
      const place = signed < 0n ? 6 : due === undefined ? 5 : bucket;
      for (const at of [place, 7]) amounts[at] = amounts[at]! + signed;
      model.set(key, amounts);
    }
    expect(model.size).toBeGreaterThan(10);
    const answer = await rows('aging');
    const aged = answer
      .filter(([, , , count]) => count !== '0')
      .map(([, fiscalId, currency, , ...amounts]) => {
        return [`${fiscalId} ${currency}`, amounts.slice(0, 8).map((amount) => thousandths(amount))] as const;
      });
    expect(new Map(aged)).toEqual(model);
    expect(aged).toHaveLength(model.size);
  });
});
