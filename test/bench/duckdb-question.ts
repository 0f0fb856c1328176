import { DuckDBInstance } from '@duckdb/node-api';

/** Asks DuckDB what the first argument says: a process of its own, as whoever asks by hand starts one. */
const database = await DuckDBInstance.create(':memory:');
const connection = await database.connect();
await connection.runAndReadAll(process.argv[2]!);
