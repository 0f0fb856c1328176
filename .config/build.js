/*
 * Bundles src/main.ts into dist/, split so that what a command does not need is not loaded: starting is most of the time of a
 * small command. Then writes the notices of what was bundled, and the manual.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitTime, inputOptions, noticesOf, outputOptions, root } from './bundle.js';

const dist = join(root, 'dist');

// `npm install --global .` in a fresh clone gets here without what builds: npm installs that for the clone itself alone.
const { rolldown } = await import('rolldown').catch(() => {
  throw new Error('what builds folio is not there. Run `npm ci` first, then the same command again.');
});

/*
 * A file is made of what is loaded late (`import()`), and of what several of these share. To load a file takes half a
 * millisecond, so what every command begins with is one file, and what every listing needs another.
 */
const groups = [
  // What is printed by --version alone, apart from what every command begins with.
  { name: 'version', test: /\/src\/version\.ts$/, priority: 3 },
  { name: 'start', test: /\/src\/process-context\.ts$/, priority: 2 },
  {
    name: 'listing',
    test: /\/src\/(run\/pipeline|run\/sources\/listing-source|output\/csv\/csv|output\/json|profiles\/store)\.ts$/,
    priority: 1,
  },
];

rmSync(dist, { recursive: true, force: true });
mkdirSync(`${dist}/man`, { recursive: true });
const bundle = await rolldown({
  ...inputOptions,
  input: 'src/main.ts',
  // Optional: a database is for whoever has its driver.
  external: ['pg', 'pg-copy-streams', 'libsql'],
});
const written = await bundle.write({
  ...outputOptions,
  dir: 'dist',
  chunkFileNames: '[name].js',
  codeSplitting: { groups },
});
// Node starts CommonJS faster than ES modules: a listing takes 3.3 times an empty program instead of 4.4.
writeFileSync(`${dist}/package.json`, '{ "type": "commonjs" }\n');
writeFileSync(`${dist}/NOTICES.txt`, noticesOf(written));

// The manual is printed by the program that it describes.
const day = new Date(commitTime() * 1000).toISOString().slice(0, 10);
const manual = execFileSync(process.execPath, [join(root, 'bin/folio.js'), '__man', day]);
writeFileSync(`${dist}/man/folio.1`, manual);
