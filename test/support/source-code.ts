/** The files of a folder by their paths, as they are written. */
export type Sources = ReadonlyMap<string, string>;

const COMMENT = String.raw`\/\*[^]*?\*\/|\/\/.*`;
const TEXT = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`;
/** A division is never written behind what a regular expression stands behind. */
const EXPRESSION = String.raw`(?<=(?:^|[(,=:[!&|?{};+*%~^<>-]|\breturn)\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*`;
const HELD = String.raw`\$\{(?:[^{}\`]|\`[^\`]*\`|\{[^{}]*\})*\}`;
const TEMPLATE = String.raw`\`(?:[^\`\\$]|\\[^]|\$(?!\{)|${HELD})*\``;
const TOKEN = new RegExp([COMMENT, TEXT, EXPRESSION, TEMPLATE].join('|'), 'g');

/** Code without its comments. */
function withoutComments(text: string): string {
  return text.replaceAll(TOKEN, (found) => (/^\/[*/]/.test(found) ? ' ' : found));
}

/** Code without its comments, and with nothing in its strings and regular expressions; what `${}` holds is code. */
function codeOnly(text: string): string {
  return text.replaceAll(TOKEN, (found) => {
    if (found.startsWith('/')) return ' ';
    if (!found.startsWith('`')) return `''`;
    const held = found.matchAll(new RegExp(HELD, 'g'));
    return ` ${[...held].map(([code]) => codeOnly(code.slice(2, -1))).join(' ')} `;
  });
}

/** The files that a file imports by a relative path, in whatever way: at once, late, or for a type alone. */
export function importsOf(sources: Sources, file: string): string[] {
  const text = withoutComments(sources.get(file) ?? '');
  const found = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*['"`](\.[^'"`]+)['"`]/g);
  return [...found].map(([, path]) => resolved(file, path!));
}

function resolved(file: string, path: string): string {
  const parts = file.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Every circle of imports that a walk through the files meets, as `a.ts > b.ts > a.ts`. */
export function circlesIn(sources: Sources): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): void => {
    const start = way.indexOf(file);
    if (start >= 0) circles.push([...way.slice(start), file].join(' > '));
    if (start >= 0 || done.has(file) || !sources.has(file)) return;
    way.push(file);
    for (const path of importsOf(sources, file)) visit(path);
    way.pop();
    done.add(file);
  };
  for (const file of sources.keys()) visit(file);
  return circles;
}

/** Names that more than one file exports, as `name: a.ts, b.ts`. */
export function exportedTwice(sources: Sources): string[] {
  const homes = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    for (const name of exportsOf(codeOnly(text))) {
      homes.set(name, (homes.get(name) ?? new Set()).add(file));
    }
  }
  return [...homes]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
}

/** Names by which a file exports its own things; `export { a as b }` exports b. */
function exportsOf(code: string): string[] {
  const declared = code.matchAll(
    /^export\s+(?:declare\s+|abstract\s+|async\s+)*(?:function\s*\*?|class|const|let|interface|type|enum)\s+(\w+)/gm,
  );
  const listed = code.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm);
  const fromLists = [...listed].flatMap(([, list]) =>
    list!.split(',').map((name) => name.trim().split(/\s+/).at(-1)!),
  );
  return [...declared].map(([, name]) => name!).concat(fromLists.filter(Boolean));
}

/** Whether code loads what starts programs; for its types alone is no matter. In double quotes stands what is no code. */
export function startsPrograms(text: string): boolean {
  const code = withoutComments(text).replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
  const module =
    /(\bfrom|\b(?:import|require|importActual|getBuiltinModule)\()\s*['`](?:node:)?child_process['`]/g;
  return [...code.matchAll(module)].some(
    ({ index, 1: how }) => how !== 'from' || !/\bimport\s+type\b[^;]*$/.test(code.slice(0, index)),
  );
}

/** Whether code can reach the process of the runtime: by its name, through a global object, or as a module. */
export function reachesProcess(text: string): boolean {
  const code = codeOnly(text);
  const byName = /(?<![.\w$])process\b(?!\s*\??:(?!:))/;
  const throughGlobal =
    /(?<![.\w$])(?:(?<!\bin\s+)globalThis\b|self\s*(?:\?\.|\.|\[|!)|global\s*(?:\?\.|\.)?\s*(?:process\b|\[))|\bNodeJS\s*\.\s*Process\b/;
  const asModule = /(?:\bfrom|\bimport|\()\s*['"`](?:node:)?process['"`]/;
  return byName.test(code) || throughGlobal.test(code) || asModule.test(withoutComments(text));
}
