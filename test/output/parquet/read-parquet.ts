import { DuckDBInstance } from '@duckdb/node-api';

/** What DuckDB, an engine that is not ours, answers: each value as it writes it. */
export async function askDuckDb(sql: string): Promise<(string | null)[][]> {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  try {
    const rows = (await connection.runAndReadAll(sql)).getRows();
    return rows.map((row) => row.map((value) => (value === null ? null : String(value))));
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}

/** The columns of a Parquet file, name and type, and its rows. */
export async function readParquet(path: string) {
  const from = `from read_parquet('${path}')`;
  const described = await askDuckDb(`select column_name, column_type from (describe select * ${from})`);
  const columns = described.map(([name, type]) => [name!, type!] as const);
  return { columns, rows: await askDuckDb(`select columns(*)::varchar ${from}`) };
}
