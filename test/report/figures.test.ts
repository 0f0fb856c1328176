import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atMidday } from '../support/midday.ts';
import { needing } from '../support/programs.ts';
import { randomRuns } from '../support/random-runs.ts';
import { runHere, withSandbox } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { browserForTests } from './browser.ts';

const SEEDS = randomRuns(20);
const AGES = ['Not due', '1–30 days', '31–60 days', '61–90 days', 'Over 90 days', 'No due date', 'Credits'];

describe('the figures of a report', needing('chromium'), () => {
  atMidday();
  const open = browserForTests();

  it(`are those of its page, for ${SEEDS} seeds`, { timeout: 600_000 }, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const folder = temporaryFolder();
      await withSandbox(['--seed', String(seed), '--issued', '150', '--received', '120'], async (printed) => {
        for (const name of ['report.html', 'report.json']) {
          const argv = ['report', '--period', '2026-Q3', '-o', join(folder, name)];
          const { code } = await runHere(argv, { env: { ...printed, LC_ALL: 'en_US.UTF-8' } });
          expect({ seed, code }).toEqual({ seed, code: 0 });
        }
      });
      await compareWithPage(folder, open);
    }
  });
});

interface Direction {
  readonly open: string;
  readonly overdue: string;
  readonly invoices: number;
  readonly buckets: readonly string[];
}
interface Section {
  readonly currency: string;
  readonly receivable: Direction;
  readonly payable: Direction;
  readonly net: string;
  readonly issued?: { readonly inPeriod: string };
  readonly received?: { readonly inPeriod: string };
}

function sectionsOf(place: string): readonly Section[] {
  const report = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8')) as {
    organizations: readonly { currencies: readonly Section[] }[];
  };
  return report.organizations[0]!.currencies;
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
