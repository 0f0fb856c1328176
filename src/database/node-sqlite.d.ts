/** The part of Node's SQLite that folio uses, which Node 20 and its types do not have. */
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(path: string);
    exec(sql: string): void;
    prepare(sql: string): {
      run(...parameters: readonly unknown[]): unknown;
      iterate(...parameters: readonly unknown[]): Iterable<object>;
    };
    close(): void;
  }
}
