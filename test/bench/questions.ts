import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folio } from './folio-command.ts';
import { issuedInvoice } from './invoices.ts';
import { measureInTurn, median, type Candidate, type Measured } from './measure.ts';
import { printTable, times } from './print-table.ts';

const RECORDS = 100_000;
const ROUNDS = 3;

/** Each question to an export, and how DuckDB is asked for as much; `$from` reads the file. */
const QUESTIONS: readonly (readonly [asked: string, sql: string])[] = [
  ['--format csv', "copy (select * $from) to '/dev/null' (format csv)"],
  [
    '--columns number,date,total --format csv',
    "copy (select number, date, totalAmount $from) to '/dev/null' (format csv)",
  ],
  ['--where status=OVERDUE --count', "select count(*) $from where status = 'OVERDUE'"],
  [
    '--sum total --group-by date:month',
    "select strftime(date::timestamp, '%Y-%m'), currency, sum(totalAmount), count(*) $from group by all",
  ],
  ['--group-by status', 'select status, count(*) $from group by all'],
  ['-o $folder/folio.parquet', "copy (select * $from) to '$folder/duckdb.parquet' (format parquet)"],
];

/** Questions to an export of 100,000 invoices, whole processes. DuckDB reads all of it to learn the types, as a late field needs. */
export async function measureQuestions(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'folio-bench-'));
  const file = join(folder, 'issued.jsonl');
  const written = openSync(file, 'w');
  for (let number = 1; number <= RECORDS; number++) writeSync(written, `${issuedInvoice(number)}\n`);
  closeSync(written);
  const from = `from read_json('${file}', format = 'newline_delimited', sample_size = -1)`;
  const duckdb = new URL('duckdb-question.mjs', import.meta.url).pathname;
  const pairs = QUESTIONS.map(([asked, sql]): readonly [Candidate, Candidate] => [
    {
      name: asked,
      command: folio('issued', '--from', file, ...asked.replace('$folder', folder).split(' ')),
    },
    {
      name: `DuckDB ${asked}`,
      command: [process.execPath, duckdb, sql.replace('$from', from).replace('$folder', folder)],
    },
  ]);
  try {
    const runs = await measureInTurn(pairs.flat(), ROUNDS);
    printTable(
      `Questions to an export of 100,000 invoices beside DuckDB (medians of ${ROUNDS}; seconds of processors, goals 0.7, sums 0.8, Parquet 1.5 times)`,
      ['question', 'folio', 'peak', 'DuckDB', 'peak', 'ratio'],
      pairs.map(([ours, theirs]) => rowOf(ours.name, runs.get(ours.name)!, runs.get(theirs.name)!)),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rowOf(name: string, ours: readonly Measured[], theirs: readonly Measured[]): string[] {
  const cells = [ours, theirs].flatMap((runs) => [
    `${median(runs.map(({ cpu }) => cpu)).toFixed(2)} s (${median(runs.map((run) => run.seconds)).toFixed(2)} s)`,
    `${Math.round(median(runs.map(({ peak }) => peak)))} MiB`,
  ]);
  return [name, ...cells, times(median(ours.map(({ cpu }, round) => cpu / theirs[round]!.cpu)))];
}
