#!/usr/bin/env node
// CommonJS, as dist is (see .config/build.js).
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');

// Node 22 and later keep what they compiled: in the caches of who runs this, if there are any. Node's own choice is a folder
// where others may write, and what is found there is run.
const caches = `${process.env.HOME}/.cache`;
if (caches.startsWith('/') && existsSync(caches)) enableCompileCache?.(`${caches}/folio`);

void require('../dist/main.js')
  .main()
  .then((code) => (process.exitCode = code));
