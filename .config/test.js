/*
 * `npm test`: lints, and beside that builds and runs the tests. Arguments go to vitest. The output of lint comes when it is done;
 * that it failed is said again at the end.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root, succeeds } from './run-tests.js';

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '-c', '.config/vitest.config.js'];
const linted = lint();
const tested =
  (await succeeds(process.execPath, ['.config/build.js'])) &&
  (await succeeds(process.execPath, [...vitest, ...process.argv.slice(2)]));
if (!(await linted)) process.stderr.write('\nnpm run lint failed: its output is above.\n');
process.exitCode = tested && (await linted) ? 0 : 1;

async function lint() {
  const child = spawn('npm', ['run', 'lint'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  process.stdout.write(Buffer.concat(output));
  return code === 0;
}
