// Bundles test/bench, which is TypeScript, and runs it against dist. Arguments are the sections to measure.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;
// Beside bin, which the scripts name from there.
const outdir = `${root}.bench`;

await build({
  absWorkingDir: root,
  entryPoints: ['bench', 'page-server', 'node-export', 'node-floor', 'node-minimal'].map(
    (name) => `test/bench/${name}.ts`,
  ),
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  external: ['pg'],
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  logLevel: 'warning',
});
try {
  const run = spawnSync(process.execPath, [`${outdir}/bench.mjs`, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(outdir, { recursive: true });
}
