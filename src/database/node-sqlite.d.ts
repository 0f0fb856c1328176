/** What folio uses of the runtime's SQLite, which Node 20 lacks and its types do not know. */
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(path: string, options?: { readonly readOnly?: boolean });
    exec(sql: string): void;
    prepare(sql: string): {
      run(...parameters: readonly unknown[]): unknown;
      all(...parameters: readonly unknown[]): readonly object[];
      iterate(...parameters: readonly unknown[]): Iterable<object>;
    };
    close(): void;
  }
}
