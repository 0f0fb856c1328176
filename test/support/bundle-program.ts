import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Bundles a program that imports from `./src/` into one file that Node runs. Returns the path of it. */
export async function bundleProgram(code: string): Promise<string> {
  const folder = temporaryFolder();
  const input = join(folder, 'program.ts');
  writeFileSync(input, code.replaceAll("from './src/", `from '${ROOT}src/`));
  const file = join(folder, 'program.mjs');
  await build({
    input,
    cwd: ROOT,
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'esm', codeSplitting: false },
  });
  return file;
}
