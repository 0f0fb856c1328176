#!/usr/bin/env node
// CommonJS, as dist is (see .config/build.js).
require('../dist/main.js')
  .main()
  .then((code) => (process.exitCode = code));
