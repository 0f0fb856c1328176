import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTokenFile, readTokenInput } from '../../src/profiles/token-file.ts';
import { AuthError, Interrupted, UsageError } from '../../src/errors.ts';
import { errorLike } from '../support/error-like.ts';
import { FakeInput } from '../support/fake-streams.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const closed = new FakeInput();

function fileWith(content: string, mode: number): string {
  const file = join(temporaryFolder(), 'token.txt');
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

describe('readTokenFile', () => {
  it('reads a file of ours without a word', async () => {
    const { token, notes } = await readTokenFile(fileWith('abc\n', 0o600), closed);
    expect([token.reveal(), notes]).toEqual(['abc', []]);
  });

  it.skipIf(process.platform === 'win32')(
    'refuses one that others can read, with the chmod line',
    async () => {
      const file = fileWith('abc\n', 0o644);
      await expect(readTokenFile(file, closed)).rejects.toThrow(
        errorLike('UsageError', `the token file ${file} is open to other users (mode 0644)`),
      );
      await expect(readTokenFile(file, closed)).rejects.toMatchObject({
        hint: `Run \`chmod 600 ${file}\`, or hand the token over on standard input with \`--token-file - < ${file}\`.`,
      });
    },
  );

  it('notes that a Bearer was taken off', async () => {
    const { token, notes } = await readTokenFile(fileWith('Bearer abc\n', 0o600), closed);
    expect([token.reveal(), notes]).toEqual(['abc', [expect.stringContaining('was taken off')]]);
  });

  it('refuses what is no file, what holds too much, and what holds no token', async () => {
    const folder = temporaryFolder();
    const gone = join(folder, 'gone');
    // It may be the token itself.
    for (const given of [gone, `${fileWith('', 0o600)}/x`, 'x'.repeat(5000)]) {
      await expect(readTokenFile(given, closed)).rejects.toThrow(
        errorLike('UsageError', '--token-file: there is no such file'),
      );
    }
    await expect(readTokenFile(folder, closed)).rejects.toThrow(UsageError);
    await expect(readTokenFile('/dev/zero', closed)).rejects.toThrow(/holds more than 65536 bytes/);
    await expect(readTokenFile('/dev/null', closed)).rejects.toThrow(/is empty/);
    const twoLines = readTokenFile(fileWith('abc\ndef\n', 0o600), closed);
    await expect(twoLines).rejects.toThrow(/has a line break at character 4/);
  });

  it('takes - for standard input', async () => {
    const { token } = await readTokenFile('-', new FakeInput({ text: 'abc\n' }));
    expect(token.reveal()).toBe('abc');
  });
});

describe('readTokenInput', () => {
  it('asks at a terminal, and takes a pipe whole', async () => {
    const terminal = new FakeInput({ typed: [' abc '] });
    expect((await readTokenInput(terminal, 'Token: ')).token.reveal()).toBe('abc');
    expect(terminal.prompts).toEqual(['Token: ']);
    expect((await readTokenInput(new FakeInput({ text: 'def\n' }), '')).token.reveal()).toBe('def');
  });

  it('fails where nothing comes', async () => {
    await expect(readTokenInput(closed, '')).rejects.toThrow(
      errorLike('AuthError', 'there is no token on standard input'),
    );
    await expect(readTokenInput(new FakeInput({ typed: [''] }), '')).rejects.toThrow(AuthError);
    await expect(readTokenInput(new FakeInput({ typed: [] }), '')).rejects.toThrow(Interrupted);
  });
});
