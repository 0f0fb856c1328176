import { build } from 'esbuild';

/** How every file of the bundle is written. Names stay, so that the stack of a fault says where it is. */
export const written = {
  platform: 'node',
  target: 'node20.18',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** How files become CommonJS; what is loaded later stays so. */
export const asCommonJs = { ...written, format: 'cjs', supported: { 'dynamic-import': false } };

/**
 * Decides which files of the bundle are put together into one, a pack: those that are loaded together. esbuild splits the
 * bundle into many small files, and each that Node opens costs a part of a millisecond; functions of different files call each
 * other through getters, with which csv takes 1.4 times the CPU.
 *
 * @param {import('esbuild').Metafile} metafile of the bundle
 * @param {Record<string, string[]>} entries source files by the name of their pack, in the order of loading: what several
 *   packs need goes into the first. What the entry of the bundle needs goes into none.
 * @returns {Map<string, string>} name of the file to name of its pack
 */
export function planPacks(metafile, entries) {
  const outputOf = (entry) =>
    Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === entry);
  const alone = neededAtOnce(metafile, outputOf('src/main.ts'));
  const packs = new Map();
  for (const [pack, sources] of Object.entries(entries)) {
    const names = sources.flatMap((source) => [...neededAtOnce(metafile, outputOf(source))]);
    for (const name of names) if (!packs.has(name) && !alone.has(name)) packs.set(name, pack);
  }
  return packs;
}

function neededAtOnce(metafile, path, found = new Set()) {
  if (found.has(nameOf(path))) return found;
  found.add(nameOf(path));
  for (const { path: next, kind, external } of metafile.outputs[path].imports) {
    if (kind === 'import-statement' && !external) neededAtOnce(metafile, next, found);
  }
  return found;
}

/**
 * Makes one CommonJS file of several ES modules. Within it they call each other directly, without the getters that are between
 * CommonJS files. It exports the exports of each of them, under the name that `memberOf` gives.
 *
 * @param {string[]} names the files that go into it
 * @param {Map<string, string>} texts all files of the bundle
 */
export async function makePack(names, texts) {
  const contents = names.map((name) => `export * as ${memberOf(name)} from './${name}';`).join('\n');
  const bundled = {
    name: 'bundled',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\// }, ({ path }) =>
        names.includes(nameOf(path))
          ? { path: nameOf(path), namespace: 'bundled' }
          : { path, external: true },
      );
      onLoad({ filter: /.*/, namespace: 'bundled' }, ({ path }) => ({ contents: texts.get(path) }));
    },
  };
  const options = { ...asCommonJs, bundle: true, write: false, plugins: [bundled] };
  const { outputFiles } = await build({ ...options, stdin: { contents } });
  return outputFiles[0].text;
}

/** Has CommonJS ask the packs for what is in them. */
export function askPacks(code, packs) {
  return code.replaceAll(/\brequire\("\.\/([\w-]+\.js)"\)/g, (asked, name) =>
    packs.has(name) ? `require("./${packs.get(name)}").${memberOf(name)}` : asked,
  );
}

function memberOf(name) {
  return name.replaceAll(/\W/g, '_');
}

export function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}
