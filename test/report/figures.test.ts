import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'lossless-json';
import { atMidday } from '../support/midday.ts';
import { needing } from '../support/programs.ts';
import { randomRuns } from '../support/random-runs.ts';
import { runHere, withSandbox } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { browserForTests } from './browser.ts';

const SEEDS = randomRuns(20);
const AGES = ['Not due', '1–30 days', '31–60 days', '61–90 days', 'Over 90 days', 'No due date', 'Credits'];

/** Serves the data of a seed, and keeps in the folder what the report and the other commands say of the same exports. */
async function keepFigures(seed: number, folder: string): Promise<void> {
  const run = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Buffer> => {
    const { code, stdout, stderr } = await runHere(args, {
      env: { FOLIO_TOKEN: undefined, LC_ALL: 'en_US.UTF-8', ...env },
    });
    expect({ seed, args, code, stderr: withoutWarnings(stderr) }).toEqual({
      seed,
      args,
      code: 0,
      stderr: '',
    });
    return stdout;
  };
  const exportOf = (listing: string): string => join(folder, `${listing}.jsonl`);
  await withSandbox(['--seed', String(seed), '--issued', '150', '--received', '120'], async (printed) => {
    const { FOLIO_BASE_URL, FOLIO_TOKEN } = printed;
    for (const listing of ['issued', 'received', 'funds'])
      await run([listing, '-o', exportOf(listing)], { FOLIO_BASE_URL, FOLIO_TOKEN });
  });

  const from = ['issued', 'received', 'funds'].flatMap((listing) => ['--from', exportOf(listing)]);
  for (const name of ['report.html', 'report.json'])
    await run(['report', ...from, '--period', '2026-Q3', '-o', join(folder, name)]);
  const keep = async (name: string, args: readonly string[]): Promise<void> =>
    writeFileSync(join(folder, name), await run([...args, '--format', 'json']));
  const quarter = ['--since', '2026-07-01', '--until', '2026-09-30'];
  const sums = ['exempt', 'net', 'tax', 'total'].flatMap((name) => ['--sum', `${name}Amount`]);
  for (const listing of ['issued', 'received']) {
    const totals = [listing, '--from', exportOf(listing), ...quarter, ...sums, '--group-by', 'currency'];
    await keep(`${listing}.totals.json`, totals);
    await keep(`${listing}.types.json`, [...totals, '--group-by', 'documentType']);
  }
}

describe(`the figures of a report, for ${SEEDS} seeds,`, () => {
  const places: string[] = [];
  atMidday();
  beforeAll(async () => {
    const folder = temporaryFolder();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const place = join(folder, String(seed));
      mkdirSync(place);
      await keepFigures(seed, place);
      places.push(place);
    }
  }, 600_000);

  it('are those of --sum', () => places.forEach(compareWithSums));

  describe('and those of its page', needing('chromium'), () => {
    const open = browserForTests();

    it('are the same', async () => {
      for (const place of places) await compareWithPage(place, open);
    });
  });
});

/** Some open invoices have no due date, which questions say. */
function withoutWarnings(stderr: string): string {
  return stderr.replace(/^warning: .*\n(?: .*\n)*/gm, '');
}

type Row = Readonly<Record<string, unknown>>;
interface Direction {
  readonly open: string;
  readonly overdue: string;
  readonly invoices: number;
  readonly buckets: readonly string[];
}
interface PeriodOfOne {
  readonly inPeriod: string;
  readonly byType: readonly Readonly<
    Record<'exempt' | 'net' | 'tax' | 'total', string> & { type: string; documents: number }
  >[];
}
interface Section {
  readonly currency: string;
  readonly receivable: Direction;
  readonly payable: Direction;
  readonly net: string;
  readonly issued?: PeriodOfOne;
  readonly received?: PeriodOfOne;
}

function rowsIn(place: string, name: string): readonly Row[] {
  return parse(readFileSync(join(place, name), 'utf8')) as Row[];
}

function sectionsOf(place: string): readonly Section[] {
  const report = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8')) as {
    organizations: readonly { currencies: readonly Section[] }[];
  };
  return report.organizations[0]!.currencies;
}

function compareWithSums(place: string): void {
  const amountsIn = (row: Row | undefined): string[] =>
    ['exempt', 'net', 'tax', 'total'].map((name) => plain(String(row?.[`${name}Amount`] ?? 0)));
  for (const direction of ['issued', 'received'] as const) {
    const [totals, types] = ['totals', 'types'].map((name) => rowsIn(place, `${direction}.${name}.json`));
    for (const { currency, [direction]: figures } of sectionsOf(place)) {
      const total = totals!.find((row) => row['currency'] === currency);
      expect(plain(figures?.inPeriod ?? '0')).toBe(amountsIn(total).at(-1));
      const found = (figures?.byType ?? []).map(({ type, documents, exempt, net, tax, total: all }) =>
        [type, documents, ...[exempt, net, tax, all].map(plain)].join(' '),
      );
      const expected = types!
        .filter((row) => row['currency'] === currency)
        .map((row) => [row['documentType'], row['records'], ...amountsIn(row)].join(' '));
      expect(found.toSorted()).toEqual(expected.toSorted());
    }
  }
}

async function compareWithPage(place: string, open: ReturnType<typeof browserForTests>): Promise<void> {
  const { page, complaints } = await open(join(place, 'report.html'));
  const shown = await page.$$eval('section.currency', (sections) =>
    sections.map((section, at) => ({
      currency: section.querySelector('h3')!.textContent,
      // The month in each currency comes first, in the same order. Behind these figures stands the tax.
      cards: [...section.ownerDocument.querySelectorAll('.cards')[at]!.querySelectorAll('b')]
        .slice(0, 5)
        .map((figure) => figure.textContent),
      ageing: [...section.querySelectorAll('.ages')].map((strip) => ({
        label: strip.getAttribute('aria-label'),
        ages: [...strip.querySelectorAll('li')].map((age) =>
          ['span', 'b'].map((part) => age.querySelector(part)!.textContent),
        ),
      })),
    })),
  );
  const ungrouped = (texts: readonly (string | null)[]): string[] =>
    texts.map((text) => plain(text!.replaceAll(/[^\d.-]/g, '')));
  const expected = sectionsOf(place).map((section) => ({
    currency: section.currency ?? 'No currency',
    cards: [
      section.receivable.open,
      section.payable.open,
      section.net,
      section.issued?.inPeriod ?? '0',
      section.received?.inPeriod ?? '0',
    ].map(plain),
    // Without those in which nothing is open, and without zeros of what has no age.
    ageing: (['receivable', 'payable'] as const).flatMap((direction) => {
      const ages = section[direction].buckets.map((amount, at) => [AGES[at]!, plain(amount)]);
      if (ages.every(([, amount]) => amount === '0')) return [];
      return {
        label: direction === 'receivable' ? 'Receivable' : 'Payable',
        ages: ages.filter(([name, amount]) => amount !== '0' || !AGES.slice(-2).includes(name!)),
      };
    }),
  }));
  expect(
    shown.map(({ cards, ageing, ...one }) => ({
      ...one,
      cards: ungrouped(cards),
      ageing: ageing.map(({ label, ages }) => ({
        label,
        ages: ages.map(([name, amount]) => [name, ungrouped([amount!])[0]]),
      })),
    })),
  ).toEqual(expected);
  expect(complaints).toEqual([]);
}

function plain(text: string): string {
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}
