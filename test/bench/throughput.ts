import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const toFiles = ['csv', 'jsonl'].map((format) => ({
    name: `folio issued -o <file>.${format}`,
    command: folio('issued', '-o', join(tmpdir(), `folio-bench.${format}`)),
    env,
  }));
  try {
    const others = yardsticks(baseUrl, RECORDS / PAGE_SIZE, PAGE_SIZE);
    const results = await measureInTurn([...formats, ...toFiles, ...others], ROUNDS);
    const [csv, jsonl] = formats.map(({ name }) => results.get(name)!);
    const floor = results.get(others[0]!.name)!;
    printTable(
      `100,000 issued invoices of 1.2 KB, 50 gzip pages, from loopback (medians of ${ROUNDS})`,
      ['what', 'time', 'times the floor', 'times folio csv', 'times folio jsonl', 'peak memory'],
      [...results].map(([name, runs]) => [
        name,
        seconds(median(runs.map((run) => run.seconds))),
        times(ratio(runs, floor)),
        times(ratio(runs, csv!)),
        times(ratio(runs, jsonl!)),
        name.includes('page by page') ? '' : `${Math.round(median(runs.map(({ peak }) => peak)))} MiB`,
      ]),
    );
    printTable(
      'Functions that V8 compiled in vain, of a run of 20,000 records',
      ['what', 'deoptimisations'],
      formats.map(({ name, command }) => [name, String(deoptimisations(command, env))]),
    );
  } finally {
    service.stop();
    for (const { command } of toFiles) rmSync(command.at(-1)!, { force: true });
  }
}

function deoptimisations(
  [node = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): number {
  const { stdout } = spawnSync(node, ['--trace-deopt', ...args, '--limit', '20000'], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    maxBuffer: 2 ** 30,
  });
  return stdout.toString('latin1').split('[bailout (kind: ').length - 1;
}
