import { quoteUnlessCode } from '../json/cells.ts';
import { meaningOf, PLAIN_MEANINGS } from '../invoices/fields.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { runCooperatively, type CooperativeTask } from '../json/cooperative-task.ts';
import { RecordSpool } from '../output/spool.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import { missingColumns, refuseLists, refuseMissing } from './missing-columns.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Question, Sorting } from './questions.ts';

/** Values such as dates and statuses repeat: up to this many different texts are kept once and shared. */
const MAX_TEXTS = 10_000;
/** Bytes of records that are kept in memory before the spool uses a file. */
const MEMORY = 4 * 1024 * 1024;

/**
 * The question of --sort: sorts all records by one or more columns: numbers by exact value, fiscal IDs whatever their
 * spelling, then text by its characters, then records without a value (also when descending). Amounts of different currencies
 * are never compared: they are sorted within each currency. Equal records keep their order. The records wait in a spool; memory
 * holds their keys, about 100 bytes for each record and column.
 */
export function sortQuestion(
  keys: readonly SortColumn[],
  signal: AbortSignal,
  { what, meanings = PLAIN_MEANINGS, currencyOf }: Sorting = {},
): Question {
  const reader = new DocumentReader(meanings, {
    roles: ['currency'],
    names: keys.map(({ column }) => column),
  });
  const ofKeys = keys.map(({ column }) => meaningOf(column, meanings));
  const amountAt = ofKeys.findIndex(({ type }) => type === 'money');
  const isByCurrency = ofKeys.slice(0, amountAt + 1).some(({ roles }) => roles.includes('currency'));
  /** The index of the first key that is an amount, unless a key before it is the currency. */
  const firstAmount = isByCurrency ? -1 : amountAt;
  const orders = keys.map((): (string | undefined)[] => []);
  /** The currency of every record, where an amount is a key. */
  const currencies: (string | undefined)[] = [];
  const texts = new Map<string, string>();
  const shared = (order: string | undefined): string | undefined => {
    if (order === undefined) return undefined;
    const known = texts.get(order);
    if (known === undefined && texts.size < MAX_TEXTS) texts.set(order, order);
    return known ?? order;
  };
  const addOrders = (): void => {
    for (const [key, ofKey] of orders.entries())
      ofKey.push(shared(orderOf(reader.named(key), ofKeys[key]!.hasFiscalIds)));
    if (firstAmount !== -1)
      currencies.push(shared((currencyOf ?? (() => reader.currency))(currencies.length)));
  };
  const compare = (a: number, b: number): number => {
    for (let key = 0; key < keys.length; key++) {
      const ofKey = orders[key]!;
      const order =
        (key === firstAmount && compareOrders(currencies[a], currencies[b])) ||
        compareOrders(ofKey[a], ofKey[b], keys[key]!.descending);
      if (order !== 0) return order;
    }
    return a - b;
  };
  return {
    sample: (batch) => reader.sample(batch),
    async *answer(records) {
      const collected = new RecordSpool({ anyOrder: true, memory: MEMORY });
      try {
        for await (const batch of records) {
          reader.fold(batch, addOrders);
          await collected.add(batch);
        }
        refuseLists(reader, '--sort');
        refuseMissing(reader, '--sort', { what });
        yield* collected.inOrder(await runCooperatively(sortedNumbers(collected.count, compare), signal));
      } finally {
        await collected.close();
      }
    },
    findings: () => {
      const found = missingColumns(reader, '--sort', { what });
      const all = [...new Set(currencies)].toSorted((left, right) => compareOrders(left, right));
      if (all.length < 2) return found;
      const within = all.map((one) => (one === undefined ? 'none' : quoteUnlessCode(one))).join(', ');
      const text = `--sort: ${keys[firstAmount]!.column} is in order within each currency: ${within}`;
      return [...found, { level: 'warning', text }];
    },
  };
}

/** How many numbers are sorted or merged in one step, which takes a few milliseconds. */
const STEP = 8_192;

/** The whole numbers from 0 up to, not including, `count`, in order: short runs are sorted, then merged by twos. */
export function* sortedNumbers(
  count: number,
  compare: (a: number, b: number) => number,
): CooperativeTask<Uint32Array> {
  let from = Uint32Array.from({ length: count }, (_, index) => index);
  for (let start = 0; start < count; start += STEP) {
    from.subarray(start, start + STEP).sort(compare);
    yield;
  }
  let to = new Uint32Array(count);
  for (let run = STEP; run < count; run *= 2) {
    for (let start = 0; start < count; start += 2 * run) {
      const middle = Math.min(start + run, count);
      const end = Math.min(middle + run, count);
      let [left, right] = [start, middle];
      for (let at = start; at < end; at++) {
        if (at % STEP === 0) yield;
        const isLeft = right === end || (left < middle && compare(from[left]!, from[right]!) <= 0);
        to[at] = isLeft ? from[left++]! : from[right++]!;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
