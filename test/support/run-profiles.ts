import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext, type FakeContextOptions } from './fake-context.ts';
import { answeringTransport } from './fake-transport.ts';

/** What a run of folio leaves behind. */
export interface ProfilesExit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly prompts: readonly string[];
}

export interface ProfilesRun extends FakeContextOptions {
  /** The status with which the service answers a token. By default a test in which the service is asked fails. */
  readonly answer?: (token: string, url: URL) => number | Error;
}

/** Runs `folio auth …` or `folio config …`. */
export async function runProfiles(
  argv: readonly string[],
  { answer = () => new Error('the test expected no request'), ...options }: ProfilesRun = {},
): Promise<ProfilesExit> {
  const transport = answeringTransport(({ headers, url }) => {
    const status = answer(headers['authorization']!.replace('Bearer ', ''), url);
    return status instanceof Error
      ? status
      : { status, headers: { 'content-type': 'application/json' }, body: '{"pageResults":[],"total":0}' };
  });
  const context = fakeContext({ openTransport: async () => transport, ...options, argv });
  const code = await runCommandLine(context);
  const { stdout, stderr, stdin } = context;
  return { code, stdout: stdout.text, stderr: stderr.text, prompts: stdin.prompts };
}
