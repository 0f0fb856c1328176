/*
 * `npm test`: builds, then lints and runs the tests side by side. Arguments go to vitest. What lint says comes when it is done;
 * that it failed is said again at the end.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const cwd = new URL('..', import.meta.url).pathname;
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '-c', '.config/vitest.config.js'];

const built = spawnSync(process.execPath, ['.config/build.js'], { cwd, stdio: 'inherit' }).status === 0;
process.exitCode = built && (await check()) ? 0 : 1;

async function check() {
  const lint = spawn('npm', ['run', 'lint'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [lint.stdout, lint.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const linted = once(lint, 'close').then(([code]) => {
    process.stdout.write(Buffer.concat(said));
    return code === 0;
  });
  const tests = spawn(process.execPath, [...vitest, ...process.argv.slice(2)], { cwd, stdio: 'inherit' });
  const [code] = await once(tests, 'close');
  if (!(await linted)) process.stderr.write('\nnpm run lint failed: what it says is above.\n');
  return (await linted) && code === 0;
}
