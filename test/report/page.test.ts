import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needing, runProgram } from '../support/programs.ts';
import { runHere } from '../support/run-here.ts';
import { fileOf } from '../support/temporary-folder.ts';
import { browserForTests, invoice as record, runOver, violationsOn } from './browser.ts';

/** A report about these issued invoices, as a file. */
async function reportOf(invoices: readonly (object | string)[]): Promise<string> {
  const { code, folder } = await runOver(invoices, ['report', '-o', 'FOLDER/report.html']);
  // The other listings are not there, which the page says.
  expect(code).toBe(0);
  return join(folder, 'report.html');
}

/** The text of reports that were made so far, by their flags: the same data makes the same page. */
const made = new Map<string, Promise<string>>();

/** A report about the embedded service, as a file. */
async function sandboxReport(...flags: readonly string[]): Promise<string> {
  const key = flags.join(' ');
  const text = made.get(key) ?? makeReport(flags);
  made.set(key, text);
  return fileOf(await text, 'report.html');
}

async function makeReport(flags: readonly string[]): Promise<string> {
  const env = { FOLIO_TOKEN: undefined, LC_ALL: 'en_US.UTF-8' };
  const { code, stdout, stderr } = await runHere(['--sandbox', 'report', ...flags], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.toString();
}

/** An invoice whose customer alone says who he is. */
const invoice = (fields: object): object => record({ receiverFiscalId: undefined, ...fields });

/** A day so many days from now, as a date. */
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const HOSTILE = [
  '<script>document.title="run"</script>',
  '</svg></table><h1>big</h1>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE x --",
  '&lt;b&gt;',
  'abc\u202egnp.exe',
  '\u0000\u001b[31m\u0007',
  '</script><script>alert(1)</script>',
  'javascript:alert(1)',
  '\u2028\u2029',
];

describe('the page of a report', () => {
  it('has no token and no signed link', async () => {
    const text = readFileSync(await sandboxReport(), 'utf8');
    expect(text).not.toMatch(/eyJ|https?:\/\/|signature|expires=/i);
  });

  it('stays small for many invoices', async () => {
    const many = Array.from({ length: 4_000 }, (_, index) =>
      invoice({
        number: index,
        dueBy: index % 2 === 0 ? '2020-01-01' : '2026-11-30',
        customer: { name: `Customer ${index % 1000}`, fiscalId: `${index % 1000}-1` },
      }),
    );
    const text = readFileSync(await reportOf(many), 'utf8');
    expect(text.length).toBeLessThan(200_000);
    expect(text).toContain('2,000');
  });
});

describe('the page of a report in a browser', needing('chromium'), () => {
  const open = browserForTests();

  it('asks for nothing, says nothing on the console, cuts nothing, and is accessible, wide, narrow and dark', async () => {
    const long = [
      invoice({ amountToBePaid: 123_456_789_012, customer: { name: 'A'.repeat(60), fiscalId: '1-9' } }),
      invoice({ amountToBePaid: -1, dueBy: null, number: '9'.repeat(40), date: inDays(0) }),
    ];
    const paths = [await sandboxReport('--profile', 'two'), await reportOf(long)];
    for (const path of paths) {
      const { page, complaints } = await open(path);
      for (const width of [1280, 800, 390, 320]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: width === 800 ? 'dark' : 'light' });
        const cut = await page.evaluate(`[
          ...(document.documentElement.scrollWidth > window.innerWidth ? ['page'] : []),
          ...(window.innerWidth < 700 ? [...document.querySelectorAll('.wide')] : [])
            .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.ariaLabel),
          ...[...document.querySelectorAll('.ages b, .cards b, .cards li')].filter((part) => {
            const { left, right } = part.getBoundingClientRect();
            return left < 0 || right > window.innerWidth || part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0;
          }).map((part) => part.textContent)]`);
        expect({ width, complaints, cut }).toEqual({ width, complaints: [], cut: [] });
        if (width >= 800) expect(await violationsOn(page)).toEqual([]);
      }
      const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', 'content');
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/,
      );
    }
  });

  it('sorts a table by the exact values of a column, up and down', async () => {
    const amounts = ['9007199254740993.10', '9007199254740993.09', '2', '10', '-5'];
    const lines = amounts.map((amount, index) =>
      JSON.stringify(
        invoice({ number: index, customer: { name: `N${index}`, fiscalId: `${index}-1` } }),
      ).replace('"amountToBePaid":100', `"amountToBePaid":${amount}`),
    );
    const { page, complaints } = await open(await reportOf(lines));
    const table = page.locator('table', { has: page.locator('caption', { hasText: 'Who owes most' }) });
    const names = (): Promise<string[]> =>
      table.locator('tbody tr:not(.sum) td:first-child').allTextContents();
    const total = table.locator('thead button', { hasText: 'Total' });
    await total.click();
    expect(await names()).toEqual(['N0', 'N1', 'N3', 'N2', 'N4']);
    expect(await table.locator('thead th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    await total.click();
    expect(await names()).toEqual(['N4', 'N2', 'N3', 'N1', 'N0']);
    await table.locator('thead button', { hasText: 'Counterparty' }).click();
    expect(await names()).toEqual(['N4', 'N3', 'N2', 'N1', 'N0']);
    expect(complaints).toEqual([]);
  });

  describe('in print', needing('chromium', 'pdftotext'), () => {
    /** The pages of the print in several sizes, each as the lines of its text. */
    async function printed(path: string): Promise<{ scale: number; pages: string[][] }[]> {
      const { page } = await open(path);
      const prints: { scale: number; pages: string[][] }[] = [];
      for (const scale of [0.85, 1, 1.15, 1.3]) {
        const pdf = await page.pdf({ preferCSSPageSize: true, scale });
        const texts = runProgram('pdftotext', ['-layout', '-', '-'], { input: pdf }).split('\f');
        const pages = texts.map((text) => text.split('\n').filter((line) => line.trim() !== ''));
        prints.push({ scale, pages: pages.filter((lines) => lines.length > 0) });
      }
      return prints;
    }

    it('leaves no title and no head of a table alone at the foot of a page, and splits no cards', async () => {
      const isHead =
        /^ *(?:(?:Due|Number|Counterparty|Fund|not) {2,}.*|CLP|USD|EUR|Who.*|Whom.*|To be.*|Largest.*|Open amounts.*|Issued and.*|Funds.*)$/;
      for (const { scale, pages } of await printed(await sandboxReport())) {
        const ends = pages.slice(0, -1).map((lines) => lines.at(-1)!);
        expect({ scale, heads: ends.filter((line) => isHead.test(line)) }).toEqual({ scale, heads: [] });
        const cards = pages.map((lines) =>
          [/^ *Receivable +Payable/, /^ *Open amounts by age/].map(
            (part) => lines.filter((line) => part.test(line)).length,
          ),
        );
        expect([scale, cards.flat().reduce((sum, count) => sum + count)]).toEqual([scale, 6]);
      }
    });

    it('repeats the head of a table that goes on to the next page, and keeps its first and last rows together', async () => {
      const soon = Array.from({ length: 40 }, (_, index) =>
        invoice({ number: 1000 + index, dueBy: inDays(1 + (index % 20)) }),
      );
      let continued = 0;
      for (const { scale, pages } of await printed(await reportOf(soon))) {
        const tables = pages.map((lines) => ({
          rows: lines.filter((line) => /^ *\w+ \d+, \d{4} +1\d{3} /.test(line)).length,
          heads: lines.filter((line) => /^ *Due +Number/.test(line)).length,
        }));
        const parts = tables.filter(({ rows, heads }) => rows + heads > 0);
        continued += parts.length - 1;
        expect([scale, parts.filter(({ rows, heads }) => rows < 3 || heads !== 1)]).toEqual([scale, []]);
      }
      expect(continued).toBeGreaterThan(3);
    });
  });

  it('is whole without its script', async () => {
    const { page } = await open(await sandboxReport(), { script: false });
    expect(await page.locator('h1').textContent()).toBe('RUT 96486919-7');
    expect(await page.locator('svg rect').count()).toBeGreaterThan(5);
    expect(await page.locator('thead button').count()).toBe(0);
  });

  it('shows hostile names as the text that they are', async () => {
    const invoices = HOSTILE.map((name, index) =>
      invoice({
        number: name,
        customer: { name, fiscalId: `${index}-0` },
        amountToBePaid: 1000 - index,
        currency: 'CLP',
      }),
    );
    const { page, complaints } = await open(await reportOf([...invoices, invoice({ currency: '<i>X</i>' })]));
    expect(complaints).toEqual([]);
    expect(await page.title()).toMatch(/^Invoices and funds: Fiscal ID 9-9, \w+ \d{4}$/);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('img, iframe, i b').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    // The currency of most documents comes first.
    const table = page
      .locator('section.currency')
      .first()
      .locator('table', { has: page.locator('caption', { hasText: 'Who owes most' }) })
      .last();
    const names = await table.locator('tbody td:first-child bdi').allTextContents();
    expect(names.slice(0, 5)).toEqual(HOSTILE.slice(0, 5));
    expect(names[5]).toBe('abc\\u{202e}gnp.exe');
    expect(names[6]).toBe('\u2400\u241b[31m\u2407');
  });
});
