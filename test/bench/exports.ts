import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { figureOf, folio, measureInTurn, printTable, ratio, runOnce, withService } from './measure.ts';
import type { Candidate, Measured } from './measure.ts';

/** What it takes to start: commands that do next to nothing, against a Node that does nothing. */
export function measureStartUp(): Promise<void> {
  const rounds = 31;
  const empty = { name: 'node -e 0', command: [process.execPath, '-e', '0'] };
  const goals = { '--version': '1.6', '--help': '1.9', 'issued --help': '2', 'issued --limit 5': '3.8' };
  return withService([100, 5], async ({ env }) => {
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

/** 100,000 issued invoices of 1.2 KB in 50 compressed pages: folio beside what it takes to receive them, and beside a short script. */
export function measureThroughput(): Promise<void> {
  const [records, pageSize, rounds] = [100_000, 2000, 5];
  const files = ['csv', 'jsonl'].map((format) => join(tmpdir(), `folio-bench.${format}`));
  return withService([records, pageSize], async ({ env, baseUrl }) => {
    const folioOf = (name: string, ...args: string[]): Candidate => ({ name, command: folio(...args), env });
    const formats = ['csv', 'jsonl'].map((format) =>
      folioOf(`folio issued --format ${format}`, 'issued', '--format', format),
    );
    const toFiles = files.map((file) =>
      folioOf(`folio issued -o <file>${extname(file)}`, 'issued', '-o', file),
    );
    const url = `${baseUrl}/invoices/issued?options_pageSize=${pageSize}&options_page=`;
    const pages = records / pageSize;
    const floor = floorOf(url, pages);
    const script = {
      name: 'Node, fetch, JSON.parse and csv-stringify',
      command: node('node-export', url, pages),
    };
    const results = await measureInTurn([floor, ...formats, ...toFiles, script], rounds);
    const [received, csv] = [floor, formats[0]!].map(({ name }) => results.get(name)!);
    const rows = [...results].map(([name, runs]) => {
      const ratios = [ratio(runs, received!), ratio(runs, csv!)];
      const [seconds, cpu, peak] = (['seconds', 'cpu', 'peak'] as const).map((one) => figureOf(runs, one));
      return [name, seconds!, ...ratios, cpu!, peak!];
    });
    printTable(
      `100,000 issued invoices of 1.2 KB, 50 gzip pages, from loopback (medians of ${rounds})`,
      ['what', 'time', 'times the floor', 'times folio csv', 'CPU', 'peak memory'],
      rows,
    );
    for (const file of files) rmSync(file, { force: true });
  });
}

/** What it takes to receive the pages. */
function floorOf(url: string, pages: number): Candidate {
  const curl = 'curl -sZ --parallel-max 8 --compressed -o /dev/null'.split(' ');
  return spawnSync('curl', ['--version']).status === 0
    ? { name: 'curl, eight at once, thrown away (the floor)', command: [...curl, `${url}[0-${pages - 1}]`] }
    : { name: 'node, eight at once, thrown away (the floor)', command: node('node-floor', url, pages) };
}

function node(script: string, url: string, pages: number): string[] {
  return [process.execPath, join(import.meta.dirname, `${script}.mjs`), url, String(pages)];
}

const ROUNDS = 3;

/** Memory at most, as the number of records grows: csv to a pipe, columns not given. */
export async function measureMemory(): Promise<void> {
  const rows: string[][] = [];
  for (const records of [100_000, 300_000, 1_000_000])
    await withService([records, 2000], async ({ env }) => {
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
