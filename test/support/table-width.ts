import { createRequire, Module } from 'node:module';
import { displayWidth } from '../../src/output/terminal/terminal-text.ts';

// In what is built, cli-table3 measures as folio does (.config/bundle.js). So it does where tests load the source.
const require = createRequire(import.meta.url);
const path = createRequire(require.resolve('cli-table3')).resolve('string-width');
const width = new Module(path);
width.exports = displayWidth;
width.loaded = true;
require.cache[path] = width;
