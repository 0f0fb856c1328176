import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needing, runProgram } from '../support/programs.ts';
import { browserForTests, invoice, runOver, violationsOn } from './browser.ts';

/** Everything that a page can have, in two currencies and in none. */
const MUCH = [
  invoice({ number: 1, payments: [{ date: '2026-01-07', amount: 5 }, { amount: '9' }, { amount: 1.5 }] }),
  invoice({ number: '2'.repeat(60), amountToBePaid: 98765432198765.5, dueBy: '2099-01-01' }),
  invoice({ number: 3, dueBy: null, documentType: 'SOMETHING' }),
  invoice({ number: 4, documentType: 'CREDIT_NOTE', amountToBePaid: 7 }),
  invoice({ number: 5, currency: 'USD', amountToBePaid: 1.5 }),
  invoice({ number: 6, currency: null }),
  invoice({ number: 7, status: 'NULLIFIED' }),
  invoice({ number: 8, amountToBePaid: null }),
];

/** Runs `folio statement` over these invoices. Returns the folder. */
async function statements(invoices: readonly object[], flags: readonly string[], code = 0): Promise<string> {
  const { folder, ...run } = await runOver(invoices, ['statement', ...flags]);
  const said = run.stderr.replaceAll(
    /^warning: (?:.* it is unknown when they were read|cancelled documents and credit notes) ?.*\n/gm,
    '',
  );
  expect({ code: run.code, stderr: code === 0 ? said : '' }).toEqual({ code, stderr: '' });
  return folder;
}

async function pageOf(invoices: readonly object[], ...flags: readonly string[]): Promise<string> {
  const line = ['--customer-fiscal-id', '1-9', '-o', 'FOLDER/page.html'];
  const folder = await statements(invoices, [...line, ...flags]);
  return join(folder, 'page.html');
}

const HOSTILE = [
  '<script>document.title="run"</script>',
  '"><img src=x onerror=alert(1)>',
  '</table></main><h1>big</h1>',
  'abc\u202egnp.exe',
  '\u0000\u001b[31m\u0007',
];

describe('the page of a statement in a browser', needing('chromium'), () => {
  const open = browserForTests();

  it.each([
    ['en', { width: 1280 }],
    ['es', { width: 390 }],
    ['es', { width: 800, colorScheme: 'dark' as const }],
  ])('in %s asks for nothing, fits, runs nothing, and is accessible: %j', async (language, options) => {
    const note = 'x'.repeat(200);
    const path = await pageOf(MUCH, '--lang', language, '--note', note);
    const folder = await statements(MUCH, ['--all', '--output-dir', 'FOLDER/pages', '--lang', language]);
    for (const file of [path, join(folder, 'pages/index.html')]) {
      const { page, complaints } = await open(file, options);
      const overflow = Number(
        await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'),
      );
      expect({ complaints, overflows: overflow > 0 }).toEqual({ complaints: [], overflows: false });
      expect(await page.locator('script').count()).toBe(0);
      const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', 'content');
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/,
      );
      expect(await violationsOn(page)).toEqual([]);
    }
  });

  it('shows hostile names and numbers as the text that they are', async () => {
    const invoices = HOSTILE.map((text) =>
      invoice({
        ...{ number: text, documentType: text, date: text, currency: 'CLP' },
        payments: [{ date: text, amount: 3 }],
        customer: { name: HOSTILE[0] },
      }),
    );
    const path = await pageOf(
      [...invoices, invoice({ currency: HOSTILE[1], customer: { name: HOSTILE[0] } })],
      '--organization',
      HOSTILE[1]!,
      '--note',
      HOSTILE[2]!,
    );
    const { page, complaints } = await open(path);
    expect(complaints).toEqual([]);
    expect(await page.title()).toBe(`Statement of account: ${HOSTILE[0]}`);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('img, iframe, script, a').count()).toBe(0);
    expect(await page.locator('.message p').textContent()).toBe(HOSTILE[2]);
    const numbers = await page
      .locator('section.block tbody tr:not(.sum, .below) td:first-child')
      .allTextContents();
    const shown = ['abc\\u{202e}gnp.exe', '\u2400\u241b[31m\u2407'];
    expect(numbers.toSorted()).toEqual([...HOSTILE.slice(0, 3), ...shown, '1'].toSorted());
  });

  it('leads from the index to each page, whatever the names are', async () => {
    const names = ['../x', 'javascript:alert(1)', '%2e%2e', '#top', 'a b?c', '//host/x'];
    const invoices = names.map((name) => invoice({ receiverFiscalId: null, customer: { name } }));
    const folder = join(await statements(invoices, ['--all', '--output-dir', 'FOLDER/pages']), 'pages');
    const { page } = await open(join(folder, 'index.html'));
    const links = await page.evaluate('[...document.links].map((link) => link.href)');
    const files = readdirSync(folder).filter((name) => name.endsWith('.html') && name !== 'index.html');
    const paths = (links as string[]).map((link) => decodeURIComponent(new URL(link).pathname));
    expect(paths.toSorted()).toEqual(files.map((name) => join(folder, name)).toSorted());
  });

  it('begins on the first sheet and repeats its head', needing('chromium', 'pdftotext'), async () => {
    const numbers = Array.from({ length: 70 }, (_, index) => index + 10_001);
    const payments = [{ date: '2026-01-07', amount: 5 }];
    const invoices = numbers.map((number) => invoice({ number, ...(number % 5 === 0 && { payments }) }));
    const { page } = await open(await pageOf(invoices));
    const pdf = await page.pdf({ format: 'A4' });
    const pages = runProgram('pdftotext', ['-layout', '-', '-'], { input: pdf }).split('\f').slice(0, -1);
    expect(pages.length).toBeGreaterThan(2);
    const rows = pages.map((text) => text.match(/^ *10\d{3} +Invoice/gm)?.length ?? 0);
    expect(rows[0]).toBeGreaterThan(8);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(70);
    expect(pages.filter((text) => !text.includes('Days late'))).toEqual([]);
    // The sum is not alone.
    expect(rows.at(-1)).toBeGreaterThan(0);
    expect(pages.at(-1)).toMatch(/Sum +7,000/);
  });
});
