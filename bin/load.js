// Loads the files of dist, each with the code that V8 made of it when it was built (see .config/code-cache.js): half of the
// start of a small command went into making that again. A cache of another version of V8, or none, is no fault: V8 then
// compiles as ever.
'use strict';

const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { Script } = require('node:vm');

const dist = require('node:path').join(__dirname, '../dist/');
const OPEN = '(function (exports, require, module, __filename, __dirname) {';

/** What was loaded, by name: scripts, which can tell their code. */
const scripts = new Map();

/** The exports of a file of dist. */
function load(name) {
  const file = dist + name;
  const known = require.cache[file];
  if (known !== undefined) return known.exports;
  const script = compile(name);
  scripts.set(name, script);
  const module = new Module(file);
  require.cache[file] = module;
  const inner = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
  script.runInThisContext()(module.exports, inner, module, file, dist);
  return module.exports;
}

function compile(name) {
  const file = dist + name;
  // The bundle is ASCII: read so, it is one byte a character in memory too.
  const text = `${OPEN}${readFileSync(file, 'latin1')}\n})`;
  // The name is part of the cache, which must not tell where it was made.
  const filename = `dist/${name}`;
  return new Script(text, { filename, columnOffset: -OPEN.length, cachedData: cacheOf(file) });
}

function cacheOf(file) {
  try {
    return readFileSync(`${file}.cache`);
  } catch {
    return undefined;
  }
}

module.exports = { load, compile, scripts };
