/**
 * A late part is a file that is loaded by `import()`, with all that it imports.
 *
 * @param {import('esbuild').Metafile} metafile of a bundle; its inputs are the files
 * @param {string} entry the file that is loaded first
 * @returns {Map<string, { files: Set<string>, before: string[] }>} by file: all files that the part loads at once, and the parts
 *   that are always loaded before it, those on every way from the entry to it
 */
export function lateParts({ inputs }, entry) {
  const parts = new Map();
  const found = [entry];
  for (const part of found) {
    if (parts.has(part)) continue;
    const files = loadedAtOnce(inputs, part);
    parts.set(part, { files, before: undefined });
    for (const file of files) found.push(...importsOf(inputs, file, 'dynamic-import'));
  }
  const asks = (asker, part) =>
    [...parts.get(asker).files].some((file) => importsOf(inputs, file, 'dynamic-import').includes(part));
  const all = [...parts.keys()];
  const askers = new Map(
    all.map((part) => [part, all.filter((asker) => asker !== part && asks(asker, part))]),
  );

  // Start with everything before everything, and narrow down until nothing changes.
  for (const part of all)
    parts.get(part).before = part === entry ? [] : all.filter((other) => other !== part);
  for (let changed = true; changed;) {
    changed = false;
    for (const part of all.slice(1)) {
      const ways = askers.get(part).map((asker) => [...parts.get(asker).before, asker]);
      const before = all.filter((other) => other !== part && ways.every((way) => way.includes(other)));
      if (before.length === parts.get(part).before.length) continue;
      parts.get(part).before = before;
      changed = true;
    }
  }
  return parts;
}

/** A file and all that it imports, and so on, but for what it imports late. */
function loadedAtOnce(inputs, part) {
  const files = new Set([part]);
  for (const file of files) {
    for (const kind of ['import-statement', 'require-call']) {
      for (const path of importsOf(inputs, file, kind)) files.add(path);
    }
  }
  return files;
}

function importsOf(inputs, file, kind) {
  const imports = inputs[file].imports.filter((one) => one.kind === kind && one.external !== true);
  return imports.map(({ path }) => path);
}
