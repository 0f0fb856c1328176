import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { pathOf } from '../support/programs.ts';

export interface OpenedPage {
  readonly page: Page;
  /** What the page said on the console, and what it asked for beside itself. */
  readonly complaints: readonly string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly script?: boolean;
}

/** Milliseconds for what the browser is told: on a busy machine it may take long to start, and none of this is about speed. */
const PATIENCE = 100_000;

/** A real browser for the tests of a file; it opens pages from disk. */
export function browserForTests(): (path: string, options?: OpenOptions) => Promise<OpenedPage> {
  let browser: Browser;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-quic'];
    browser = await chromium.launch({ executablePath: pathOf('chromium'), args, timeout: PATIENCE });
  });
  afterAll(() => browser.close());
  return async (path, { width = 1280, colorScheme = 'light', script = true } = {}) => {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      javaScriptEnabled: script,
    });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (request.url() !== `file://${path}`) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(`file://${path}`);
    return { page, complaints };
  };
}
