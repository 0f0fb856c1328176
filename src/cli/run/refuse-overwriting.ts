import { realpath } from 'node:fs/promises';
import { UsageError } from '../../errors.ts';

/** Throws UsageError where the file that a flag names, which is to be read, is the one that -o would replace. */
export async function refuseOverwriting(
  flag: string,
  read: string,
  output: string | undefined,
): Promise<void> {
  const paths = await Promise.all([read, output ?? ''].map((path) => realpath(path).catch(() => undefined)));
  if (output === undefined || paths[0] === undefined || paths[0] !== paths[1]) return;
  throw new UsageError(`--output ${output} would replace the export that ${flag} is to read`, {
    hint: 'Name another file.',
  });
}
