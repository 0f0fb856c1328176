#!/usr/bin/env node
// CommonJS, as dist is (see .config/build.js).
require('./load.js')
  .load('main.js')
  .main()
  .then((code) => (process.exitCode = code));
