/*
 * Bundles src/main.ts into dist/, split so that what a command does not need is not loaded; starting is most of the time of a
 * small command. Then writes the notices of what was bundled, and the manual. What dist holds is text that Node itself loads.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build, transform } from 'esbuild';
import { alias, commitTime, noticesOf, outputOptions, root } from './bundle.js';

const dist = `${root}dist`;

const options = {
  ...outputOptions,
  // As esbuild lays it out by itself: what is changed is found by its lines. The second turn writes it without spaces.
  minifyWhitespace: false,
  lineLimit: 0,
  absWorkingDir: root,
  // So that the bundle does not depend on the folder in which packages are kept.
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
 * By itself esbuild makes a file for every set of late parts that share something, 166 in all, and code in two files calls each
 * other through getters, which is too slow for loops over bytes. So each late part also imports what every command begins with,
 * and each one that needs a file of a listing imports all that a listing needs: that makes one file of each of the two.
 */
const START = 'src/process-context.ts';
const LISTING = 'src/run/pipeline.ts';
const LOOPS = 'src/json/bytes.ts';
const WITH_LISTING = [
  'src/run/sources/listing-source.ts',
  'src/output/csv/csv.ts',
  'src/output/json.ts',
  'src/profiles/store.ts',
  // No part of a listing, but small, and they loop over all cells that a sync stores.
  'src/database/record-rows.ts',
  'src/database/copy-text.ts',
  'src/json/signed-links.ts',
];

/** A file that only hands on what another one has, by the same names. */
const HANDS_ON =
  /^import \{([^}]+)\} from "\.\/(chunk-\w+\.js)";\s*(?:import "\.\/[\w-]+\.js";\s*)*export \{\1\};\s*$/;

const { inputs } = (await build({ ...options, plugins: [alias] })).metafile;
const start = loadedWith([START]);
const listing = new Set([...loadedWith([LISTING, ...WITH_LISTING])].filter((file) => !start.has(file)));
const late = new Set(Object.values(inputs).flatMap((file) => importsOf(file, ['dynamic-import'])));
if (start.has(LOOPS))
  throw new Error(`${LOOPS} is loaded at once, apart from the listings whose loops call it`);
for (const file of [START, LISTING])
  if (!late.has(file)) throw new Error(`${file} is loaded at once; say in .config/build.js what is not`);

const together = new Map([[LISTING, [START, ...WITH_LISTING]]]);
for (const part of late) {
  if (start.has(part) || part === LISTING) continue;
  const needsListing = [...loadedWith([part])].some((file) => listing.has(file));
  together.set(part, needsListing ? [START, LISTING] : [START]);
}

/** The files and all that they import, and so on, but for what is imported late. */
function loadedWith(files) {
  const loaded = new Set(files);
  for (const file of loaded)
    for (const path of importsOf(inputs[file], ['import-statement', 'require-call'])) loaded.add(path);
  return loaded;
}

function importsOf({ imports }, kinds) {
  return imports.filter(({ kind, external }) => kinds.includes(kind) && !external).map(({ path }) => path);
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
const { outputFiles, metafile } = await build({ ...options, plugins: [alias, importing(together)] });

rmSync(dist, { recursive: true, force: true });
mkdirSync(`${dist}/man`, { recursive: true });
// esbuild splits ES modules only, and Node starts CommonJS faster: a listing takes 4 times an empty program instead of 5.
writeFileSync(`${dist}/package.json`, '{ "type": "commonjs" }\n');
const names = withoutHandingOn(outputFiles);
for (const { path, text } of outputFiles) {
  const name = names.get(basename(path)) ?? basename(path);
  if (HANDS_ON.test(text)) continue;
  const renamed = text.replace(/(?<="\.\/)[\w-]+\.js(?=")/g, (file) => names.get(file) ?? file);
  const { code } = await transform(handingOnValues(renamed), {
    ...outputOptions,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    // Said of each `module.exports` beside an `import`.
    logOverride: { 'commonjs-variable-in-esm': 'silent' },
  });
  refuseBeyondAscii(name, code);
  writeFileSync(`${dist}/${name}`, code);
}

/**
 * The new names of files. Of a late part whose code others have too, esbuild makes a file with the code and one that only hands it
 * on. To load a file takes a third of a millisecond, so the file with the code stands in for both, under the name of the part.
 */
function withoutHandingOn(files) {
  const parts = new Map();
  for (const { path, text } of files) {
    const [, , code] = HANDS_ON.exec(text) ?? [];
    if (code !== undefined) parts.set(code, [...(parts.get(code) ?? []), basename(path)]);
  }
  const known = [START, LISTING].map((file) => basename(file, '.ts'));
  return new Map(
    [...parts].flatMap(([code, handingOn]) => {
      const names = handingOn.map((file) => file.replace(/-\w+\.js$/, ''));
      const part = names.find((name) => known.includes(name)) ?? names[0];
      return [code, ...handingOn].map((file) => [file, code.replace(/^chunk/, part)]);
    }),
  );
}

/**
 * The text with its own exports, and its late imports, as CommonJS has them: values. esbuild would make a function of each name that
 * is handed on, which Node compiles at the first use: 4 % of what Node computes for a small listing. No value may be set later.
 */
function handingOnValues(text) {
  return text
    .replace(/\bexport \{([^}]*)\};\s*$/, (_, names) => {
      const members = names.replace(/([\w$]+) as ([\w$]+)/g, '$2:$1');
      return `module.exports={${members}};`;
    })
    .replace(/\bimport\(("\.\/[\w-]+\.js")\)/g, 'Promise.resolve().then(()=>require($1))');
}

/** So that dist means the same however it is read. esbuild escapes strings; regular expressions it leaves as they are. */
function refuseBeyondAscii(name, code) {
  const [found, character] = /.{0,40}([^\0-\x7f]).{0,40}/u.exec(code) ?? [];
  if (found === undefined) return;
  const escape = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  throw new Error(`dist/${name} has a character beyond ASCII; write it as ${escape} in the source: ${found}`);
}

writeFileSync(`${dist}/NOTICES.txt`, noticesOf(metafile));

// The manual is printed by the program that it describes.
const day = new Date(commitTime() * 1000).toISOString().slice(0, 10);
const manual = execFileSync(process.execPath, [`${root}bin/folio.js`, '__man', day]);
writeFileSync(`${dist}/man/folio.1`, manual);
