import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Spool } from '../../src/output/spool.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a spool says what the system said when there is no room for it', async () => {
  const spool = new Spool({ path: () => join(temporaryFolder(), 'missing', 'rows'), memory: 3 });
  await spool.append(Buffer.from('abc'));
  await expect(spool.append(Buffer.from('d'))).rejects.toMatchObject({
    name: 'OutputError',
    message: expect.stringMatching(/ beside the output: no such file or directory \(ENOENT\)$/) as string,
    hint: expect.stringContaining('--columns') as string,
  });
  await spool.close();
});
