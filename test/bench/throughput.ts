import { folio } from './folio-command.ts';
import { measureInTurn, median, ratio } from './measure.ts';
import { printTable, seconds, times } from './print-table.ts';
import { startService } from './service.ts';
import { yardsticks } from './yardsticks.ts';

const RECORDS = 100_000;
const PAGE_SIZE = 2000;
const ROUNDS = 5;

/** 100,000 issued invoices of 1.2 KB in 50 compressed pages: folio beside what users have today. */
export async function measureThroughput(): Promise<void> {
  const service = await startService('issued', RECORDS, PAGE_SIZE);
  const { env, baseUrl } = service;
  const formats = ['csv', 'jsonl'].map((format) => ({
    name: `folio issued --format ${format}`,
    command: folio('issued', '--format', format),
    env,
  }));
  try {
    const results = await measureInTurn(
      [...formats, ...yardsticks(baseUrl, RECORDS / PAGE_SIZE, PAGE_SIZE)],
      ROUNDS,
    );
    const [csv, jsonl] = formats.map(({ name }) => results.get(name)!);
    printTable(
      `100,000 issued invoices of 1.2 KB, 50 gzip pages, from loopback (medians of ${ROUNDS})`,
      ['what', 'time', 'times folio csv', 'times folio jsonl', 'peak memory'],
      [...results].map(([name, runs]) => [
        name,
        seconds(median(runs.map((run) => run.seconds))),
        times(ratio(runs, csv!)),
        times(ratio(runs, jsonl!)),
        name.includes('page by page') ? '' : `${Math.round(median(runs.map(({ peak }) => peak)))} MiB`,
      ]),
    );
  } finally {
    service.stop();
  }
}
