import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readTokenFile, runTokenCommand, type TokenCommandRun } from '../../src/profiles/token-sources.ts';
import { AuthError, Interrupted, UsageError } from '../../src/errors.ts';
import { errorLike } from '../support/error-like.ts';
import { FakeInput } from '../support/fake-streams.ts';
import { runScripted } from '../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../support/temporary-folder.ts';
import { expectRefused } from '../support/expect-exit.ts';

const closed = new FakeInput();

it('a token file whose token is refused is named', async () => {
  const file = fileOf('refused-token-0123456789', 'token');
  await expectRefused(
    runScripted(['issued', '--token-file', file], [[403, '{}']]),
    `Put a new one into the token file ${file}.`,
    3,
  );
});

describe('readTokenFile', () => {
  it('refuses what is not a file, what holds too much, and what holds no token', async () => {
    const folder = temporaryFolder();
    const gone = join(folder, 'gone');
    // It may be the token itself.
    for (const given of [gone, `${fileOf('')}/x`, 'x'.repeat(5000)]) {
      await expect(readTokenFile(given, closed)).rejects.toThrow(
        errorLike('UsageError', '--token-file: there is no such file'),
      );
    }
    await expect(readTokenFile(folder, closed)).rejects.toThrow(UsageError);
    await expect(readTokenFile('/dev/zero', closed)).rejects.toThrow(/holds more than 65536 bytes/);
    await expect(readTokenFile('/dev/null', closed)).rejects.toThrow(/is empty/);
    const twoLines = readTokenFile(fileOf('abc\ndef\n'), closed);
    await expect(twoLines).rejects.toThrow(/has a line break at character 4/);
  });
});

/** A token command that is a Node program. */
function node(code: string, more: Partial<TokenCommandRun> = {}): TokenCommandRun {
  const { signal } = new AbortController();
  return { command: [process.execPath, '-e', code], profile: 'acme', env: {}, signal, ...more };
}

async function messageOf(run: TokenCommandRun): Promise<string> {
  const error = await runTokenCommand(run).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AuthError);
  return (error as Error).message.replaceAll(process.execPath, 'node');
}

describe('runTokenCommand', () => {
  it('gives the arguments to the program as they are: no shell reads them', async () => {
    const words = ['$HOME', '`id`', 'a b', ';', '*'];
    const run = node('');
    const code = 'console.log(process.argv.slice(1).join("_").replace(" ", "+"))';
    const token = await runTokenCommand({ ...run, command: [process.execPath, '-e', code, ...words] });
    expect(token.reveal()).toBe('$HOME_`id`_a+b_;_*');
  });

  it.each([
    ['process.exit(3)', 'the token command of profile acme (node) failed with exit code 3'],
    ['', 'the token (printed by the token command of profile acme (node)) is empty'],
    [
      'console.log("two\\nlines")',
      'the token (printed by the token command of profile acme (node)) has a line break at character 4 of 9',
    ],
    [
      'process.stdout.write("x".repeat(1e6))',
      'the token command of profile acme (node) printed more than 65536 bytes',
    ],
  ])('says in one line what went wrong: %s', async (code, message) => {
    expect(await messageOf(node(code))).toBe(message);
  });

  it('says when there is no such program, or when it may not be run', async () => {
    expect(await messageOf(node('', { command: ['folio-no-such-program'] }))).toBe(
      'the token command of profile acme (folio-no-such-program) could not be run: there is no such program',
    );
    const file = fileOf('', 'plain.txt');
    expect(await messageOf(node('', { command: [file] }))).toMatch(/could not be run: .+/);
  });

  it('stops a command that does not end, also one that left a child behind', async () => {
    const forever = 'setInterval(() => {}, 1000)';
    const withChild = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(
      'setTimeout(() => {}, 3000)',
    )}], { stdio: "inherit" }); ${forever}`;
    const [first, second] = await Promise.all(
      [forever, withChild].map((code) => messageOf(node(code, { timeLimit: 400 }))),
    );
    expect(first).toBe('the token command of profile acme (node) took longer than 0.4 s and was stopped');
    expect(second).toBe(first);
  });

  it('ends with the run', async () => {
    const stop = new AbortController();
    const begun = join(temporaryFolder(), 'begun');
    const code = `require("fs").writeFileSync(${JSON.stringify(begun)}, ""); setInterval(() => {}, 1000)`;
    // Its own limit is of no use here: it is longer than a test may take.
    const running = runTokenCommand(node(code, { signal: stop.signal, timeLimit: 120_000 }));
    const ended = expect(running).rejects.toBeInstanceOf(Interrupted);
    await vi.waitUntil(() => existsSync(begun), { timeout: 20_000 });
    stop.abort(new Interrupted('SIGTERM'));
    await ended;
  });

  it('does not begin when the run ends while it is being prepared', async () => {
    const stop = new AbortController();
    const running = runTokenCommand(
      node('setInterval(() => {}, 1000)', { signal: stop.signal, timeLimit: 120_000 }),
    );
    stop.abort(new Interrupted('SIGTERM'));
    await expect(running).rejects.toBeInstanceOf(Interrupted);
  });
});
