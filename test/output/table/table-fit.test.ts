import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../src/output/terminal/terminal-text.ts';
import { openTable } from '../../../src/output/table/table.ts';
import { leftOutNote } from '../../../src/output/table/table-fit.ts';
import type { Layout } from '../../../src/output/writer.ts';
import { batchOf } from '../../support/records.ts';
import { writeAll } from '../write-all.ts';

/**
 * What a terminal of so many cells shows of records: for each column its head and how wide its line is.
 *
 * @param columns `name:cells`, with a `#` behind those of numbers; ` / ` stands between two records, whose texts differ
 */
async function shown(columns: string, width: number, layout: Partial<Layout> = {}): Promise<string> {
  const records = columns.split(' / ').map((record, nth) => {
    const members = record.split(' ').map((text) => {
      const [, name, cells, isNumber] = /^(.*):(\d+)(#?)$/.exec(text)!;
      const value = (isNumber ? '1' : 'xy'[nth]!).repeat(Number(cells));
      return `${JSON.stringify(name)}:${isNumber ? value : JSON.stringify(value)}`;
    });
    return `{${members.join()}}`;
  });
  const table = await writeAll(openTable, [batchOf(...records)], { width, raw: true, ...layout });
  const [head = '', line = ''] = table.toString().split('\n');
  return [...line.matchAll(/─+/g)]
    .map(({ 0: { length }, index }) => `${head.slice(index, index + length).trim()}:${length}`)
    .join(' ');
}

const INVOICE =
  'number:6# status:23 date:20 dueBy:20 customer.name:30 totalAmount:12# taxAmount:12# currency:8 id:36 notes:60';

const KNOWN: Layout['known'] = [
  { names: ['number'], look: 'number', word: 'number', rank: 1 },
  { names: ['date'], look: 'date', word: 'date', rank: 7 },
  { names: ['dueBy'], look: 'due', word: 'due', rank: 9 },
  { names: ['customer.name'], look: 'party', word: 'customer', rank: 2 },
  { names: ['totalAmount'], look: 'amount', word: 'total', rank: 5 },
  { names: ['amountToBePaid'], look: 'open', word: 'open', rank: 3 },
  { names: ['currency'], look: 'currency', word: 'cur', rank: 6 },
  { names: ['status'], look: 'status', word: 'status', rank: 8 },
  { names: ['documentType'], look: 'document', word: 'type' },
];
const BOOK =
  'number:5# date:10 dueBy:10 customer.name:30 totalAmount:10# amountToBePaid:9# currency:3 status:14 documentType:7 payments:20';

describe('the columns of a table', () => {
  it('of which nothing is known are as many as fit', async () => {
    expect(await shown(INVOICE, 80)).toBe(
      'number:6 status:8 date:11 dueBy:11 customer.name:18 totalAmount:12 currency:8',
    );
    expect(await shown(INVOICE, 4)).toBe('num…:4');
  });

  it('that the user named come in their order, as far as they go', async () => {
    const chosen = { columns: ['notes', 'id', 'totalAmount'], isChosen: true };
    expect(await shown(INVOICE, 40, chosen)).toBe('notes:16 id:8 totalAmount:12');
    expect(await shown(INVOICE, 20, chosen)).toBe('notes:10 id:8');
  });

  it.each([
    [130, 'number:6 date:10 dueBy:10 customer.name:30 totalAmount:11 amountToBePaid:14 currency:8 status:14'],
    [100, 'number:6 date:10 dueBy:10 customer.name:30 total:10 open:9 cur:4 status:14'],
    [73, 'number:6 date:10 customer.name:21 total:10 open:9 cur:3 status:8'],
    [45, 'number:6 customer.name:13 total:10 open:9 cur:3'],
    [33, 'number:6 customer:12 open:9 cur:3'],
    [30, 'number:6 customer.name:23'],
  ])('keep what matters most, in %i cells', async (width, expected) => {
    expect(await shown(BOOK, width, { known: KNOWN })).toBe(expected);
  });

  it.each([
    [80, 'number:6 type:11 date:10 customer.name:16 total:10 open:9 cur:3 status:8'],
    [100, 'number:6 type:11 date:10 dueBy:10 customer.name:25 total:10 open:9 cur:3 status:8'],
  ])('keep types of documents whole, in %i cells', async (width, expected) => {
    const typed = BOOK.replace('Type:7', 'Type:11');
    expect(await shown(`${typed} / ${typed}`, width, { known: KNOWN })).toBe(expected);
  });

  it('never show an amount without its currency, nor lose one for what matters less', async () => {
    for (let width = 20; width < 200; width++) {
      const heads = (await shown(BOOK, width, { known: KNOWN })).replaceAll(/:\d+/g, '').split(' ');
      const ranks = KNOWN.map(({ names: [name], word, look, rank = Infinity }) => ({
        look,
        rank,
        isShown: heads.some((head) => head === name || head === word),
      })).filter(({ look }) => look !== 'currency');
      if (ranks.some(({ look, isShown }) => isShown && /amount|open/.test(look)))
        expect(heads.some((head) => head.startsWith('cur'))).toBe(true);
      const last = Math.max(...ranks.filter(({ isShown }) => isShown).map(({ rank }) => rank));
      for (const { rank, isShown } of ranks) if (!isShown) expect(rank).toBeGreaterThanOrEqual(last);
    }
  });
});

describe('leftOutNote', () => {
  const MANY = Array.from({ length: 2_000 }, (_, n) => `c${n}`);
  it.each([
    [[], 80, ''],
    [['id', 'files'], 80, 'Not shown: id, files · --columns, --wide'],
    [['id', 'files'], 38, 'Not shown: id, files'],
    [['id', 'a.very.long.name', '漢字'], 45, 'Not shown: id and 2 more · --columns, --wide'],
    [['a.very.long.name', '漢字'], 12, 'Not shown: …'],
    [MANY, 60, 'Not shown: c0, c1, c2, c3 and 1996 more · --columns, --wide'],
  ])('is one line that names as many as it can %#', (names, width, line) => {
    expect(leftOutNote(names, width, 'narrow')).toBe(line);
    expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });
});
