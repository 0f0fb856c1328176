/*
 * Bundles src/main.ts into dist/, split so that what a command does not need is not loaded; starting is most of the time of a
 * small command. Then writes the manual. What dist holds is text that Node itself loads.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build, transform } from 'esbuild';
import { alias, root, written } from './bundle.js';
import { lateParts } from './late-parts.js';

const dist = `${root}dist`;

const options = {
  ...written,
  absWorkingDir: root,
  // So that where packages are kept does not show in what is built.
  preserveSymlinks: true,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  // Optional: a database is for whoever has its driver.
  external: ['pg', 'pg-copy-streams', 'libsql'],
  plugins: [alias],
  metafile: true,
  write: false,
};

/*
 * esbuild makes a file for every set of late parts that share something, 70 for one listing, because it does not know what is
 * loaded by then. So each late part imports what is always loaded before it, which loads nothing more. And whatever needs a
 * file of a listing imports all that a listing needs: one file then, in which everything calls each other directly.
 */
const LISTING = 'src/run/pipeline.ts';
const COMMON_FORMATS = ['src/output/csv/csv.ts', 'src/output/csv/plain-csv.ts', 'src/output/json.ts'];

const together = new Map([[LISTING, COMMON_FORMATS]]);
const parts = lateParts(
  (await build({ ...options, plugins: [alias, importing(together)] })).metafile,
  'src/main.ts',
);
if (!parts.has(LISTING))
  throw new Error(`${LISTING} is no late part; say in .config/build.js what now loads a listing`);
for (const [part, { files, before }] of parts) {
  const first = new Set(before.flatMap((other) => [...parts.get(other).files]));
  // Loaded already, though somebody imports it late too; with an import of what is before it, it would come after that.
  if (first.has(part)) continue;
  const sharesListing = [...parts.get(LISTING).files].some((file) => files.has(file) && !first.has(file));
  const isBeforeListing = [part, ...before].includes(LISTING) || parts.get(LISTING).before.includes(part);
  const more = sharesListing && !isBeforeListing ? [LISTING] : [];
  together.set(part, [...(together.get(part) ?? []), ...before, ...more]);
}

function importing(imports) {
  return {
    name: 'importing',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const added = imports.get(path.slice(root.length)) ?? [];
        const lines = [readFileSync(path, 'utf8'), ...added.map((file) => `import '${root}${file}';`)];
        return added.length === 0 ? undefined : { contents: lines.join('\n'), loader: 'ts' };
      });
    },
  };
}
const { outputFiles } = await build({ ...options, plugins: [alias, importing(together)] });

rmSync(dist, { recursive: true, force: true });
mkdirSync(`${dist}/man`, { recursive: true });
// esbuild splits ES modules only, and Node starts CommonJS faster: a listing takes 4 times an empty program instead of 5.
writeFileSync(`${dist}/package.json`, '{ "type": "commonjs" }\n');
for (const { path, text } of outputFiles) {
  const name = basename(path);
  const { code } = await transform(text, {
    ...written,
    format: 'cjs',
    supported: { 'dynamic-import': false },
  });
  refuseBeyondAscii(name, code);
  writeFileSync(`${dist}/${name}`, code);
}

/** So that dist means the same however it is read. esbuild escapes strings; regular expressions it leaves as they are. */
function refuseBeyondAscii(name, code) {
  const [found, character] = /.{0,40}([^\0-\x7f]).{0,40}/u.exec(code) ?? [];
  if (found === undefined) return;
  const escape = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  throw new Error(`dist/${name} has a character beyond ASCII; write it as ${escape} in the source: ${found}`);
}

// The manual is printed by the program that it describes.
const manual = execFileSync(process.execPath, [`${root}bin/folio.js`, '__man']);
writeFileSync(`${dist}/man/folio.1`, manual);
