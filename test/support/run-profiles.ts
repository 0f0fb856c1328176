import { CommanderError } from 'commander';
import { addAuth } from '../../src/cli/commands/auth/auth.ts';
import type { VerifyConnection } from '../../src/cli/commands/auth/login.ts';
import { addConfig } from '../../src/cli/commands/config.ts';
import { exitCodeOf } from '../../src/cli/exit-codes.ts';
import { emptyProgram } from '../../src/cli/program.ts';
import { redactedStream, reportError, usageErrorOf } from '../../src/cli/command-line.ts';
import { fakeContext, type FakeContextOptions } from './fake-context.ts';

/** What a run of folio leaves behind. */
export interface ProfilesExit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly prompts: readonly string[];
}

export interface ProfilesRun extends FakeContextOptions {
  /** By default a test in which the service is asked fails. */
  readonly verify?: VerifyConnection;
}

/** Runs `folio auth …` or `folio config …` in a program that has no other commands. */
export async function runProfiles(argv: readonly string[], options: ProfilesRun = {}): Promise<ProfilesExit> {
  const fake = fakeContext(options);
  const context = { ...fake, stderr: redactedStream(fake.stderr, fake.secrets) };
  const program = emptyProgram(context, (text) => void context.stdout.write(text));
  addAuth(program, context, options.verify ?? refuseRequest);
  addConfig(program, context);
  let code = 0;
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    const error = thrown instanceof CommanderError ? usageErrorOf(thrown) : thrown;
    await reportError(error, context, false);
    code = exitCodeOf(error);
  }
  return { code, stdout: context.stdout.text, stderr: fake.stderr.text, prompts: context.stdin.prompts };
}

function refuseRequest(): never {
  throw new Error('the test expected no request');
}
