/** The built program, run by this Node. The bundle of these files is one folder below the root of the project. */
const BIN = new URL('../bin/folio.js', import.meta.url).pathname;

export function folio(...args: string[]): string[] {
  return [process.execPath, BIN, ...args];
}
