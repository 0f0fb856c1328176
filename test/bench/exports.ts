import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { figureOf, folio, measureInTurn, printTable, ratio, runOnce, withService } from './measure.ts';
import type { Candidate, Measured } from './measure.ts';
import { yardsticks } from './yardsticks.ts';

/** What it takes to start: commands that do next to nothing, against a Node that does nothing. */
export function measureStartUp(): Promise<void> {
  const rounds = 31;
  const empty = { name: 'node -e 0', command: [process.execPath, '-e', '0'] };
  const goals = { '--version': '1.6', '--help': '1.9', 'issued --help': '2', 'issued --limit 5': '3.8' };
  return withService('issued', [100, 5], async ({ env }) => {
    const commands = Object.keys(goals).map((name) => ({ name, command: folio(...name.split(' ')), env }));
    const results = await measureInTurn([empty, ...commands], rounds);
    const base = results.get(empty.name)!;
    printTable(
      `Start-up (medians of ${rounds})`,
      ['command', 'time', 'times `node -e 0`', 'goal'],
      [...results].map(([name, runs]) => [
        name === empty.name ? `\`${name}\`` : `\`folio ${name}\``,
        ...[figureOf(runs, 'seconds'), ratio(runs, base)],
        goals[name as keyof typeof goals] ?? '',
      ]),
    );
  });
}

/** 100,000 issued invoices of 1.2 KB in 50 compressed pages: folio beside what users have today. */
export function measureThroughput(): Promise<void> {
  const [records, pageSize, rounds] = [100_000, 2000, 5];
  /** Seconds after which a slow yardstick begins no other round. */
  const long = 30;
  const files = ['csv', 'jsonl'].map((format) => join(tmpdir(), `folio-bench.${format}`));
  return withService('issued', [records, pageSize], async ({ env, baseUrl }) => {
    const folioOf = (name: string, ...args: string[]): Candidate => ({ name, command: folio(...args), env });
    const formats = ['csv', 'jsonl'].map((format) =>
      folioOf(`folio issued --format ${format}`, 'issued', '--format', format),
    );
    const toFiles = files.map((file) =>
      folioOf(`folio issued -o <file>${extname(file)}`, 'issued', '-o', file),
    );
    const [floor, ...others] = yardsticks(baseUrl, { pages: records / pageSize, pageSize, files });
    const references = [floor!, formats[0]!];
    const rows: string[][] = [];
    for (const candidate of [floor!, ...formats, ...toFiles, ...others]) {
      // Each runs in turn with what it is compared with.
      const inTurn = [...references, ...(references.includes(candidate) ? [] : [candidate])];
      const results = await measureInTurn(inTurn, rounds, long);
      const [theFloor, csv, runs] = [...references, candidate].map(({ name }) => results.get(name)!);
      const peak = candidate.name.includes('page by page') ? '' : figureOf(runs!, 'peak');
      const ratios = [ratio(runs!, theFloor!), ratio(runs!, csv!)];
      rows.push([candidate.name, figureOf(runs!, 'seconds'), ...ratios, figureOf(runs!, 'cpu'), peak]);
    }
    printTable(
      `100,000 issued invoices of 1.2 KB, 50 gzip pages, from loopback (medians of ${rounds}, fewer after ${long} s)`,
      ['what', 'time', 'times the floor', 'times folio csv', 'CPU', 'peak memory'],
      rows,
    );
    printTable(
      'Functions that V8 compiled in vain, of a run of 20,000 records',
      ['what', 'deoptimisations'],
      formats.map((one) => [one.name, String(deoptimisations(one))]),
    );
    for (const file of files) rmSync(file, { force: true });
  });
}

function deoptimisations({ command: [node = '', ...args], env }: Candidate): number {
  const { stdout } = spawnSync(node, ['--trace-deopt', ...args, '--limit', '20000'], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    maxBuffer: 2 ** 30,
  });
  return stdout.toString('latin1').split('[bailout (kind: ').length - 1;
}

const ROUNDS = 3;

/** Memory at most, as the number of records grows: csv to a pipe, columns not given. */
export async function measureMemory(): Promise<void> {
  const rows: string[][] = [];
  for (const records of [100_000, 300_000, 1_000_000])
    await withService('issued', [records, 2000], async ({ env }) => {
      const candidate = { name: 'folio', command: folio('issued', '--format', 'csv'), env };
      const runs: Measured[] = [];
      for (let round = 0; round < ROUNDS; round++) runs.push(await runOnce(candidate));
      rows.push([records.toLocaleString('en-US'), figureOf(runs, 'peak'), figureOf(runs, 'seconds')]);
    });
  printTable(
    `Memory, csv to a pipe, columns not given (medians of ${ROUNDS}; goals 115 MiB for 100,000 and 185 for a million)`,
    ['records', 'peak', 'time'],
    rows,
  );
}

/** A slow listing: 5,000 received invoices of 12 KB, each call 10 to 25 s, here a twentieth of that. */
export function measureCalls(): Promise<void> {
  const [records, pageSize] = [5000, 500];
  return withService('received', [records, pageSize], async ({ baseUrl, env, calls }) => {
    const candidate = { name: 'folio', command: folio('received', '--format', 'csv'), env };
    const [ours, theirs]: Measured[][] = [[], []];
    const counts = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      ours!.push(await runOnce(candidate));
      counts.add(await calls());
      const started = performance.now();
      for (let page = 0; page * pageSize < records; page++)
        await fetch(`${baseUrl}/invoices/received?options_pageSize=${pageSize}&options_page=${page}`).then(
          (response) => response.arrayBuffer(),
        );
      theirs!.push({ seconds: (performance.now() - started) / 1000, cpu: 0, peak: 0 });
      await calls();
    }
    const row = (name: string, count: string, runs: Measured[]): string[] => {
      return [name, count, figureOf(runs, 'seconds'), ratio(runs, ours!)];
    };
    printTable(
      `5,000 received invoices of 12 KB, 0.5 to 1.25 s a call (medians of ${ROUNDS})`,
      ['what', 'calls', 'time', 'times folio'],
      [
        row('`folio received --format csv`', [...counts].join(', '), ours!),
        row('page after page, at the right size', String(records / pageSize), theirs!),
      ],
    );
  });
}
