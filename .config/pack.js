/**
 * Decides which files of the bundle are put together into one: those that an entry needs at once. esbuild splits the bundle
 * into many small files, and each that Node opens and resolves costs 0.25 ms.
 *
 * @param {import('esbuild').Metafile} metafile of the bundle
 * @param {string} first the source file that is always run; what it needs stays as it is
 * @param {string[]} entries further source files; what several need goes into the pack of the first of them
 * @returns {Map<string, string>} file name to the name of its pack
 */
export function planPacks(metafile, first, entries) {
  const alone = neededAtOnce(metafile, outputOf(metafile, first));
  const packs = new Map();
  for (const entry of entries) {
    const pack = `pack-${nameOf(entry).replace('.ts', '.js')}`;
    for (const name of neededAtOnce(metafile, outputOf(metafile, entry))) {
      if (!packs.has(name) && !alone.has(name)) packs.set(name, pack);
    }
  }
  return packs;
}

function outputOf(metafile, entry) {
  return Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === entry);
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
 * Puts CommonJS files into packs. A pack exports a function that takes the name of a file in it and returns that file's
 * exports; all other files ask it instead.
 *
 * @param {Map<string, string>} files code by file name
 * @param {Map<string, string>} packs as planned
 * @returns {Map<string, string>} the files that are left, and the packs
 */
export function packFiles(files, packs) {
  const results = new Map();
  const parts = new Map([...packs.values()].map((pack) => [pack, []]));
  for (const [name, code] of files) {
    const rewritten = code.replaceAll(/\brequire\("\.\/([\w-]+\.js)"\)/g, (asked, other) =>
      packs.has(other) ? `require("./${packs.get(other)}")("${other}")` : asked,
    );
    // The brackets have the runtime compile the function at once, for it will be called.
    const part = `${JSON.stringify(name)}:(function(module,exports,require){${rewritten}})`;
    if (packs.has(name)) parts.get(packs.get(name)).push(part);
    else results.set(name, rewritten);
  }
  for (const [pack, functions] of parts) {
    results.set(
      pack,
      `const parts={${functions.join(',\n')}},loaded={};
module.exports=(name)=>{let module=loaded[name];if(!module){module=loaded[name]={exports:{}};parts[name](module,module.exports,require)}return module.exports};
`,
    );
  }
  return results;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}
