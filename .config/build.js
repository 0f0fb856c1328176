/*
 * Bundles src/main.ts into dist/, split so that what a command does not need is not loaded. Starting is what most of the time
 * of a small command goes into, so this file is about that; `npm run bench -- start` measures it. Then writes the manual.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { build, transform } from 'esbuild';
import { asCommonJs, askPacks, makePack, nameOf, planPacks, written } from './pack.js';

const root = new URL('..', import.meta.url).pathname;

/**
 * undici's index loads its mock agents, caches, fetch and WebSocket: twice the start-up of the parts in use. Of the runtime's
 * own HTTP it uses two names, of its assertions the call; both cost 2 ms to load. HTTP/2, which it takes only when told to,
 * costs more; it takes its absence for a runtime without.
 * commander could run commands that are programs of their own, and none is.
 * conf loads a JSON schema validator that runs only when a schema is given, and none is.
 */
const substitutes = {
  undici: `
    module.exports = {
      Agent: require('undici/lib/dispatcher/agent'),
      get EnvHttpProxyAgent() {
        const Dispatcher = require('undici/lib/dispatcher/dispatcher');
        // What the agent for proxies opens a tunnel with; the index adds it together with all that is not used.
        Object.assign(Dispatcher.prototype, { connect: require('undici/lib/api/api-connect') });
        return require('undici/lib/dispatcher/env-http-proxy-agent');
      },
    };`,
  // As Node's default is, in bytes.
  'node:http': 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
  'node:assert':
    'module.exports = (holds, message) => { if (!holds) throw new Error(message ?? "an assertion of undici fails"); };',
  'node:http2': 'throw new Error("HTTP/2 is not in use");',
  'node:child_process': 'module.exports = {};',
  'ajv/dist/2020.js':
    'export class Ajv2020 { constructor() { throw new Error("conf is used without a schema"); } }',
  'ajv-formats': 'export default {};',
};

const substitute = {
  name: 'substitute',
  setup({ onResolve, onLoad }) {
    const substituted = ({ path }) => ({ path, namespace: 'substitute' });
    onResolve({ filter: /^(undici|ajv\/dist\/2020\.js|ajv-formats)$/ }, substituted);
    onResolve({ filter: /^node:(assert|http|http2|child_process)$/ }, (asked) =>
      /node_modules\/(undici|commander)\//.test(asked.importer) ? substituted(asked) : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'substitute' }, ({ path }) => ({
      contents: substitutes[path],
      resolveDir: root,
      loader: 'js',
    }));
    // Past undici's list of exports, which names no inner file.
    onResolve({ filter: /^undici\/lib\// }, ({ path }) => ({
      path: `${root}node_modules/${path}.js`,
    }));
  },
};

const dist = `${root}dist`;
const { metafile, outputFiles } = await build({
  ...written,
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  plugins: [substitute],
  metafile: true,
  write: false,
});

const texts = new Map(outputFiles.map(({ path, text }) => [nameOf(path), text]));
const packs = planPacks(metafile, {
  'pack-start.js': ['src/process-context.ts'],
  'pack-listing.js': ['src/run/pipeline.ts', 'src/output/csv/csv.ts', 'src/output/csv/plain-csv.ts'],
});

rmSync(dist, { recursive: true, force: true });
mkdirSync(`${dist}/man`, { recursive: true });
// esbuild splits ES modules only, but Node loads CommonJS faster: `--help` takes 2.4 times an empty program instead of 2.8.
writeFileSync(`${dist}/package.json`, '{ "type": "commonjs" }\n');
for (const pack of new Set(packs.values())) {
  const names = [...packs.keys()].filter((name) => packs.get(name) === pack);
  writeFileSync(`${dist}/${pack}`, askPacks(await makePack(names, texts), packs));
}
for (const [name, text] of texts) {
  if (packs.has(name)) continue;
  const { code } = await transform(text, asCommonJs);
  writeFileSync(`${dist}/${name}`, askPacks(code, packs));
}

// Without what this process was started with: it has to be code for a process that was started plainly.
execFileSync(process.execPath, [`${root}.config/code-cache.js`], {
  env: { PATH: process.env.PATH, FOLIO_CONFIG_DIR: `${dist}/none` },
  stdio: ['ignore', 'ignore', 'inherit'],
});

// The manual is printed by the program that it describes.
const manual = execFileSync(process.execPath, [`${root}bin/folio.js`, '__man']);
writeFileSync(`${dist}/man/folio.1`, manual);
