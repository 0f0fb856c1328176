import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { beforeAll } from 'vitest';
import { pathOf } from '../support/programs.ts';
import { runHere, type FolioExit } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface OpenOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly script?: boolean;
}

/** Milliseconds for what the browser is told: on a busy machine it may take long to start, and none of this is about speed. */
const PATIENCE = 100_000;

interface Tab {
  readonly page: Page;
  path: string;
  complaints: string[];
}

declare global {
  /** The tabs of this process's browser, with scripts and without, for all files of tests that run in it. It ends with the process. */
  var ownTabs: Promise<Readonly<Record<'with' | 'without', Tab>>> | undefined;
}

/**
 * A real browser for the tests of a file. It opens pages from disk, one after the other in the same tab, so that each is there until
 * the next one: a tab of its own takes four times as long.
 */
export function browserForTests(): (
  path: string,
  options?: OpenOptions,
) => Promise<Pick<Tab, 'page' | 'complaints'>> {
  beforeAll(async () => {
    await (globalThis.ownTabs ??= openTabs());
  });
  return async (path, { width = 1280, colorScheme = 'light', script = true } = {}) => {
    const tab = (await globalThis.ownTabs!)[script ? 'with' : 'without'];
    const { page } = tab;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const complaints: string[] = [];
    Object.assign(tab, { path, complaints });
    await page.goto(`file://${path}`);
    return { page, complaints };
  };
}

async function openTabs(): Promise<Record<'with' | 'without', Tab>> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-quic'];
  const browser = await chromium.launch({ executablePath: pathOf('chromium'), args, timeout: PATIENCE });
  return { with: await openTab(browser, true), without: await openTab(browser, false) };
}

async function openTab(browser: Browser, javaScriptEnabled: boolean): Promise<Tab> {
  const context = await browser.newContext({ javaScriptEnabled });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const tab: Tab = { page, path: '', complaints: [] };
  page.on('console', (message) => tab.complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => tab.complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== `file://${tab.path}`) tab.complaints.push(`request: ${request.url()}`);
  });
  return tab;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is wrong with the accessibility of a page. The page's own policy forbids foreign scripts; the tool comes in through the browser, past it. */
export async function violationsOn(page: Page): Promise<unknown> {
  return page.evaluate(`${axe}
    axe.run({ resultTypes: ['violations'] }).then((result) => result.violations.map((violation) => JSON.stringify(violation).slice(0, 500)))`);
}

/** An issued invoice as a record. */
export function invoice(fields: object): object {
  return {
    ...{ number: 1, documentType: 'INVOICE', date: '2026-01-05', dueBy: '2026-02-05', currency: 'CLP' },
    ...{ status: 'PENDING', totalAmount: 100, amountToBePaid: 100, issuerFiscalId: '9-9' },
    ...{ receiverFiscalId: '1-9', customer: { name: 'Roble', fiscalId: '1-9' } },
    ...fields,
  };
}

/** Runs a command over these issued invoices, records or their JSON; `FOLDER` in its words is the folder that is returned. */
export async function runOver(
  invoices: readonly (object | string)[],
  args: readonly string[],
): Promise<FolioExit & { folder: string }> {
  const folder = temporaryFolder();
  const from = join(folder, 'issued.jsonl');
  const lines = invoices.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  writeFileSync(from, lines.map((line) => `${line}\n`).join(''));
  const words = [...args, '--from', from].map((word) => word.replace('FOLDER', folder));
  return { folder, ...(await runHere(words, { env: { FOLIO_TOKEN: undefined, LC_ALL: 'en_US.UTF-8' } })) };
}
