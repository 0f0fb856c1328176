// Bundles test/bench, which is TypeScript, and runs it against dist. Arguments are the sections to measure.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const root = join(import.meta.dirname, '..');
// Beside bin: the scripts start ../bin/folio.js.
const outdir = join(root, '.bench');

await build({
  cwd: root,
  input: ['bench', 'page-server', 'node-export', 'node-floor', 'duckdb-question'].map(
    (name) => `test/bench/${name}.ts`,
  ),
  external: ['pg', '@duckdb/node-api'],
  platform: 'node',
  output: { dir: outdir, format: 'esm', entryFileNames: '[name].mjs' },
});
try {
  const run = spawnSync(process.execPath, [`${outdir}/bench.mjs`, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(outdir, { recursive: true });
}
