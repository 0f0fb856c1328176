#!/usr/bin/env node
// CommonJS, as dist is (see .config/build.js).
const { HOME, XDG_CACHE_HOME = HOME && `${HOME}/.cache` } = process.env;
// Node 22 and later keep what they compiled. By default where others may write too, and what is found there is run.
if (XDG_CACHE_HOME) require('node:module').enableCompileCache?.(`${XDG_CACHE_HOME}/folio`);

require('../dist/main.js')
  .main()
  .then((code) => (process.exitCode = code));
