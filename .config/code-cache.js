/*
 * Keeps, beside each file of dist, the code that V8 makes of it, with that of the functions which small commands call. Run by
 * the build in a process of its own.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const root = new URL('..', import.meta.url).pathname;
const { load, compile, scripts } = createRequire(import.meta.url)('../bin/load.js');

// Where there is one the program leaves V8's flags alone; with others than at a start, V8 would not take the code back.
globalThis.navigator ??= {};

for (const line of ['--help', 'issued --help', '--sandbox issued --limit 5 --format csv']) {
  process.argv = [process.execPath, 'folio', ...line.split(' ')];
  const code = await load('main.js').main();
  if (code !== 0) throw new Error(`folio ${line} ended with ${code}`);
}
for (const name of readdirSync(`${root}dist`).filter((file) => file.endsWith('.js'))) {
  const script = scripts.get(name) ?? compile(name);
  writeFileSync(`${root}dist/${name}.cache`, script.createCachedData());
}
