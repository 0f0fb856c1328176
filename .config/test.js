/*
 * `npm test`: lints, and beside that builds and runs the tests. Arguments go to vitest. What lint says comes when it is done;
 * that it failed is said again at the end.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const cwd = new URL('..', import.meta.url).pathname;
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '-c', '.config/vitest.config.js'];

const linted = lint();
const passed = (await runs(['.config/build.js'])) && (await runs([...vitest, ...process.argv.slice(2)]));
if (!(await linted)) process.stderr.write('\nnpm run lint failed: what it says is above.\n');
process.exitCode = passed && (await linted) ? 0 : 1;

async function lint() {
  const child = spawn('npm', ['run', 'lint'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const [code] = await once(child, 'close');
  process.stdout.write(Buffer.concat(said));
  return code === 0;
}

async function runs(args) {
  const [code] = await once(spawn(process.execPath, args, { cwd, stdio: 'inherit' }), 'close');
  return code === 0;
}
