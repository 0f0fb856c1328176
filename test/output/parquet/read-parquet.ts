import { DuckDBInstance } from '@duckdb/node-api';

export interface ParquetFile {
  /** Name and type of each column, as DuckDB describes them. */
  readonly columns: readonly (readonly [name: string, type: string])[];
  /** Each value as DuckDB writes it; null where there is none. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Reads a Parquet file with an engine that is not ours. */
export async function readParquet(path: string): Promise<ParquetFile> {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  try {
    const from = `from read_parquet('${path}')`;
    const described = await connection.runAndReadAll(`describe select * ${from}`);
    const columns = described.getRows().map((row) => [String(row[0]), String(row[1])] as const);
    const read = await connection.runAndReadAll(`select columns(*)::varchar ${from}`);
    const rows = read.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
    return { columns, rows };
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}
