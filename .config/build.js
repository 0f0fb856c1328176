// Bundles src/main.ts into dist/, split so that what a command does not need is not loaded, and writes the manual.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;

/**
 * undici's index loads its mock agents, caches, fetch and WebSocket: twice the start-up of the parts in use.
 * conf loads a JSON schema validator that runs only when a schema is given, and none is.
 */
const substitutes = {
  undici: `
    const Dispatcher = require('undici/lib/dispatcher/dispatcher');
    // What the agent for proxies opens a tunnel with; the index adds it together with all that is not used.
    Object.assign(Dispatcher.prototype, { connect: require('undici/lib/api/api-connect') });
    module.exports = {
      Agent: require('undici/lib/dispatcher/agent'),
      EnvHttpProxyAgent: require('undici/lib/dispatcher/env-http-proxy-agent'),
    };`,
  'ajv/dist/2020.js':
    'export class Ajv2020 { constructor() { throw new Error("conf is used without a schema"); } }',
  'ajv-formats': 'export default {};',
};

const substitute = {
  name: 'substitute',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(undici|ajv\/dist\/2020\.js|ajv-formats)$/ }, ({ path }) => ({
      path,
      namespace: 'substitute',
    }));
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

rmSync(`${root}dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [substitute],
  banner: {
    js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);",
  },
});

// The manual is printed by the program that it describes.
const manual = execFileSync(process.execPath, [`${root}bin/folio.js`, '__man']);
mkdirSync(`${root}dist/man`);
writeFileSync(`${root}dist/man/folio.1`, manual);
