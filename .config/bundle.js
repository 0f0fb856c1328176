// What every bundle of folio has in common: those that npm installs and the one in the standalone program.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR, TYPE } from 'undici/lib/llhttp/constants.js';

export const root = new URL('..', import.meta.url).pathname;

/**
 * How bundles are written. Names stay, so that the stack of a fault says where it is. Lines are short: where an assertion of a
 * dependency fails, Node reads its line again for the message, which takes seconds in one of 200 kB.
 */
export const outputOptions = {
  platform: 'node',
  target: 'node20.18',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'warning',
};

/** What is put in the place of modules of dependencies. */
const aliases = {
  // The index loads mock agents, caches, fetch and WebSocket as well; it also gives the agent for proxies its `connect`.
  undici: `
    module.exports = {
      Agent: require('undici/lib/dispatcher/agent.js'),
      Pool: require('undici/lib/dispatcher/pool.js'),
      get EnvHttpProxyAgent() {
        const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
        Object.assign(Dispatcher.prototype, { connect: require('undici/lib/api/api-connect.js') });
        return require('undici/lib/dispatcher/env-http-proxy-agent.js');
      },
    };`,
  // undici takes Node's limit of the size of heads from it, and a class for bodies of requests.
  'node:http': 'module.exports = { maxHeaderSize: 16_384, IncomingMessage: class {} };',
  // The message of an assertion of Node's is the source, which Node reads again for it.
  'node:assert': `
    module.exports = (holds, what = 'an assertion of undici failed') => {
      if (!holds) throw Object.assign(new Error(what), { code: 'ERR_ASSERTION' });
    };`,
  // The tables of the parser, of which the client reads two.
  '../llhttp/constants.js': `module.exports = ${JSON.stringify({ ERROR, TYPE })};`,
  // The HTTP/2 half of the client. No connection speaks it unasked, and folio does not ask.
  './client-h2.js': `module.exports = () => { throw new Error('folio speaks HTTP/1.1'); };`,
  // The client makes bodies of forms and streams with it, and folio sends no body.
  '../web/fetch/body.js': 'module.exports = {};',
  // Its agent for proxies loads another for SOCKS; folio refuses those (see proxyFor in src/api/transport.ts).
  './socks5-proxy-agent': 'module.exports = class {};',
  // commander loads it for commands that are programs of their own, which folio has none of; this loads it for the first one.
  'node:child_process': `module.exports = { get spawn() { return require('node:child_process').spawn; } };`,
  // cli-table3 measures by an older Unicode than the terminal's, and takes twice the time for it.
  'string-width': `module.exports = require('./src/output/terminal/terminal-text.ts').displayWidth;`,
  // conf loads a validator of JSON schemas, which runs only when a schema is given, and none is.
  'ajv/dist/2020.js':
    'export class Ajv2020 { constructor() { throw new Error("conf is used without a schema"); } }',
  'ajv-formats': 'export default {};',
  // conf uses these for migrations, for watching the file and for a folder of its own choice; folio asks for none of it.
  semver: 'export default {};',
  'debounce-fn': 'export default () => {};',
  'env-paths': 'export default () => {};',
  // The protocol's server loads a validator of JSON schemas for what it asks of a user, and folio asks nothing.
  '@modelcontextprotocol/server/_shims': `
    export { default as process } from 'node:process';
    export class DefaultJsonSchemaValidator {
      getValidator() { throw new Error('an assistant is asked nothing'); }
    }`,
  // conf's writer of files sends each signal that it catches a second time, which would end a run at once.
  'when-exit': 'export default () => () => {};',
};

export const alias = {
  name: 'alias',
  setup({ onResolve, onLoad }) {
    onResolve(
      {
        filter:
          /^(undici|\.\/client-h2\.js|\.\.\/llhttp\/constants\.js|\.\.\/web\/fetch\/body\.js|\.\/socks5-proxy-agent|ajv\/dist\/2020\.js|ajv-formats|semver|debounce-fn|env-paths|when-exit|@modelcontextprotocol\/server\/_shims)$/,
      },
      ({ path }) => ({
        path,
        namespace: 'alias',
      }),
    );
    onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/commander/') ? { path, namespace: 'alias' } : undefined,
    );
    onResolve({ filter: /^node:(http|assert)$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/undici/') ? { path, namespace: 'alias' } : undefined,
    );
    onResolve({ filter: /^string-width$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/cli-table3/') ? { path, namespace: 'alias' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'alias' }, ({ path }) => ({
      contents: aliases[path],
      resolveDir: root,
      loader: 'js',
    }));
  },
};

/**
 * The notices of the packages whose code went into a bundle, as their licences ask of whoever hands it on. `further` are names
 * and texts of what is handed on beside it. Throws where a package tells neither a licence's text nor its name.
 */
export function noticesOf({ inputs }, further = []) {
  const folders = new Set(Object.keys(inputs).flatMap((path) => packageFolder(path) ?? []));
  const texts = [...folders].toSorted().map((folder) => {
    const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    );
    if (file !== undefined) return [`${name} ${version}`, readFileSync(join(root, folder, file), 'utf8')];
    if (license === undefined) throw new Error(`${folder} names no licence`);
    return [`${name} ${version}`, `${license}, by ${author?.name ?? author ?? 'its authors'}`];
  });
  return [...texts, ...further]
    .map(([name, text]) => `${name}\n${'-'.repeat(name.length)}\n\n${text.trim()}\n`)
    .join('\n\n');
}

function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** Seconds since 1970: of the commit, so that two builds of it are the same; else the day of no release. */
export function commitTime() {
  try {
    const printed = execFileSync('git', ['-C', root, 'log', '-1', '--format=%ct'], { encoding: 'utf8' });
    return Number(printed);
  } catch {
    return 946_684_800;
  }
}
