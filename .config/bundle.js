// What the two bundles of folio have in common: the one that npm installs, and the one in the standalone program.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/**
 * What stands in for modules of dependencies: of which package, and with which code. Kilobytes are what the module would add to
 * the bundle.
 */
const LEFT_OUT = {
  // The index of undici loads mock agents, caches, fetch and WebSocket, too, and gives the agent for proxies its `connect`. 535 kB.
  undici: {
    of: '',
    code: `
      const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
      Object.assign(Dispatcher.prototype, { request: require('undici/lib/api/api-request.js') });
      exports.Agent = require('undici/lib/dispatcher/agent.js');
      exports.Pool = require('undici/lib/dispatcher/pool.js');
      Object.defineProperty(exports, 'EnvHttpProxyAgent', {
        get() {
          Object.assign(Dispatcher.prototype, { connect: require('undici/lib/api/api-connect.js') });
          return require('undici/lib/dispatcher/env-http-proxy-agent.js');
        },
      });`,
  },
  // The HTTP/2 half of the client, which folio never requests. 21 kB, and Node's own http2.
  './client-h2.js': {
    of: 'undici',
    code: `module.exports = () => { throw new Error('folio speaks HTTP/1.1'); };`,
  },
  // The client makes bodies of forms and streams with it, and folio sends no body. 80 kB.
  '../web/fetch/body.js': { of: 'undici', code: 'module.exports = {};' },
  // cli-table3 measures by an older Unicode than the terminal's, and takes twice the time for it. 11 kB.
  'string-width': {
    of: 'cli-table3',
    code: `module.exports = require(${JSON.stringify(join(root, 'src/output/terminal/terminal-text.ts'))}).displayWidth;`,
  },
  // conf loads a validator of JSON schemas, which runs only when a schema is given, and none is. 242 kB.
  'ajv/dist/2020.js': { of: 'conf', code: 'exports.Ajv2020 = class {};' },
  'ajv-formats': { of: 'conf', code: 'module.exports = {};' },
  // conf uses it for migrations; folio has none. 58 kB.
  semver: { of: 'conf', code: 'module.exports = {};' },
  // conf's writer of files sends each signal that it catches a second time, which would end a run at once.
  'when-exit': { of: 'atomically', code: 'module.exports = () => () => {};' },
  // The protocol's server loads a validator of JSON schemas for what it asks of a user, and folio asks nothing. 268 kB.
  '@modelcontextprotocol/server/_shims': {
    of: '@modelcontextprotocol',
    code: `
      exports.process = process;
      exports.DefaultJsonSchemaValidator = class {
        getValidator() { throw new Error('an assistant is asked nothing'); }
      };`,
  },
};

const PREFIX = '\0left-out:';

const leftOut = {
  name: 'left-out',
  resolveId(name, importer = '') {
    return Object.hasOwn(LEFT_OUT, name) && importer.includes(LEFT_OUT[name].of) ? PREFIX + name : undefined;
  },
  load(id) {
    return id.startsWith(PREFIX)
      ? { code: LEFT_OUT[id.slice(PREFIX.length)].code, moduleType: 'js' }
      : undefined;
  },
};

/** How both bundles are made. Names stay, so that the stack of a fault says where it is. */
export const inputOptions = { cwd: root, platform: 'node', plugins: [leftOut] };
export const outputOptions = { format: 'cjs', comments: false };

/**
 * The notices of the packages whose code went into a bundle, as their licences ask of whoever hands it on. `others` are names
 * and texts of what is handed on beside it. Throws where a package has neither a licence's text nor its name.
 */
export function noticesOf({ output }, others = []) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
  const inOrder = [...folders].toSorted((one, other) => (one < other ? -1 : 1));
  const texts = inOrder.map((folder) => {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (file !== undefined) return [`${name} ${version}`, readFileSync(join(folder, file), 'utf8')];
    if (license === undefined) throw new Error(`${folder} names no licence`);
    return [`${name} ${version}`, `${license}, by ${author?.name ?? author ?? 'its authors'}`];
  });
  return [...texts, ...others]
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
