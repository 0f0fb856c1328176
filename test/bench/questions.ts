import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuedInvoice } from './invoices.ts';
import { figureOf, folio, measureInTurn, printTable, ratio } from './measure.ts';

const RECORDS = 100_000;
const ROUNDS = 3;

/** Each question to an export, and how DuckDB is asked for as much; `$from` reads the file. */
const QUESTIONS: readonly (readonly [question: string, sql: string])[] = [
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
  writeFileSync(file, Array.from({ length: RECORDS }, (_, at) => `${issuedInvoice(at + 1)}\n`).join(''));
  const from = `from read_json('${file}', format = 'newline_delimited', sample_size = -1)`;
  const duckdb = join(import.meta.dirname, 'duckdb-question.mjs');
  const candidates = QUESTIONS.flatMap(([question, sql]) => {
    const args = question.replace('$folder', folder).split(' ');
    const asSql = sql.replace('$from', from).replace('$folder', folder);
    return [
      { name: question, command: folio('issued', '--from', file, ...args) },
      { name: `DuckDB ${question}`, command: [process.execPath, duckdb, asSql] },
    ];
  });
  try {
    const runs = await measureInTurn(candidates, ROUNDS);
    printTable(
      `Questions to an export of 100,000 invoices beside DuckDB (medians of ${ROUNDS}; seconds of processors, goals 0.7, sums 0.8, Parquet 1.5 times)`,
      ['question', 'folio', 'peak', 'DuckDB', 'peak', 'ratio'],
      QUESTIONS.map(([question]) => {
        const [ours, theirs] = [runs.get(question)!, runs.get(`DuckDB ${question}`)!];
        const cells = [ours, theirs].flatMap((one) => [
          `${figureOf(one, 'cpu')} (${figureOf(one, 'seconds')})`,
          figureOf(one, 'peak'),
        ]);
        return [question, ...cells, ratio(ours, theirs, 'cpu')];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
