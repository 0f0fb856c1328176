import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { folio } from './folio-command.ts';
import { measureInTurn, median, ratio, type Measured } from './measure.ts';
import { beginTable, printTable, seconds, times } from './print-table.ts';
import { startService } from './service.ts';
import { yardsticks } from './yardsticks.ts';

const RECORDS = 100_000;
const PAGE_SIZE = 2000;
const ROUNDS = 5;
/** Seconds after which a slow yardstick begins no other round. */
const LONG = 30;

/** 100,000 issued invoices of 1.2 KB in 50 compressed pages: folio beside what users have today. */
export async function measureThroughput(): Promise<void> {
  const service = await startService('issued', RECORDS, PAGE_SIZE);
  const { env, baseUrl } = service;
  const formats = ['csv', 'jsonl'].map((format) => ({
    name: `folio issued --format ${format}`,
    command: folio('issued', '--format', format),
    env,
  }));
  const files = ['csv', 'jsonl'].map((format) => join(tmpdir(), `folio-bench.${format}`));
  const toFiles = files.map((file) => ({
    name: `folio issued -o <file>${extname(file)}`,
    command: folio('issued', '-o', file),
    env,
  }));
  const pages = RECORDS / PAGE_SIZE;
  const [floor, ...others] = yardsticks(baseUrl, { pages, pageSize: PAGE_SIZE, files });
  const candidates = [...formats, ...toFiles, ...others];
  const references = [floor!, formats[0]!];
  try {
    const print = beginTable(
      `100,000 issued invoices of 1.2 KB, 50 gzip pages, from loopback (medians of ${ROUNDS}, fewer after ${LONG} s)`,
      ['what', 'time', 'times the floor', 'times folio csv', 'CPU', 'peak memory'],
      [
        Math.max(...[...references, ...candidates].map(({ name }) => name.length)),
        '99.99 s'.length,
        0,
        0,
        '99.99 s'.length,
      ],
    );
    for (const candidate of candidates) {
      // Each is printed as soon as it is measured, so it runs in turn with what it is compared with.
      const inTurn = [...references, ...(references.includes(candidate) ? [] : [candidate])];
      const results = await measureInTurn(inTurn, ROUNDS, LONG);
      const [theFloor, csv] = references.map(({ name }) => results.get(name)!);
      const row = (name: string, runs: readonly Measured[]): string[] => [
        name,
        seconds(median(runs.map((run) => run.seconds))),
        times(ratio(runs, theFloor!)),
        times(ratio(runs, csv!)),
        `${median(runs.map(({ cpu }) => cpu)).toFixed(2)} s`,
        name.includes('page by page') ? '' : `${Math.round(median(runs.map(({ peak }) => peak)))} MiB`,
      ];
      if (candidate === candidates[0]) print(row(floor!.name, theFloor!));
      print(row(candidate.name, results.get(candidate.name)!));
    }
    printTable(
      'Functions that V8 compiled in vain, of a run of 20,000 records',
      ['what', 'deoptimisations'],
      formats.map(({ name, command }) => [name, String(deoptimisations(command, env))]),
    );
  } finally {
    service.stop();
    for (const file of files) rmSync(file, { force: true });
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
