import { expect } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import type { FakeClock } from './fake-clock.ts';
import { answeringTransport, type PartialResponse } from './fake-transport.ts';
import { fakeContext, type FakeContextOptions } from './fake-context.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** One answer of the service: a body, served with 200, or a status and a body. */
export type Answer = string | readonly [status: number, body: string];

export interface ScriptedExit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Path and query of each request below /v1, decoded, in order. */
  readonly asked: readonly string[];
}

/** Runs a command line against a service that gives these answers in order. An answer that nobody asked for fails. */
export async function runScripted(
  argv: readonly string[],
  answers: readonly Answer[],
  options: FakeContextOptions = {},
): Promise<ScriptedExit> {
  const left = [...answers];
  const outcome = await runAnswered(
    argv,
    ({ href }) => left.shift() ?? new Error(`no answer is left for ${href}`),
    options,
  );
  expect(left, 'answers that nobody asked for').toEqual([]);
  return outcome;
}

/** Runs a command line against a service that answers alike however often it is asked: by the last part of the path. */
export function runStub(
  argv: readonly string[],
  answers: Readonly<Record<string, Answer>>,
  options: FakeContextOptions = {},
): Promise<ScriptedExit> {
  return runAnswered(argv, ({ pathname }) => answers[pathname.split('/').at(-1)!]!, options);
}

/** Runs a command line against a service that answers each request by itself, on a clock that it may move on. */
export async function runAnswered(
  argv: readonly string[],
  answerTo: (url: URL, clock: FakeClock) => Answer | Error | PartialResponse,
  options: FakeContextOptions = {},
): Promise<ScriptedExit> {
  const transport = answeringTransport(({ url }) => {
    const answer = answerTo(url, context.clock);
    if (typeof answer === 'string') return { headers: JSON_TYPE, body: answer };
    if ('length' in answer) return { headers: JSON_TYPE, status: answer[0], body: answer[1] };
    return answer instanceof Error ? answer : { headers: JSON_TYPE, ...answer };
  });
  const env = { FOLIO_TOKEN: 'a-token-for-tests', FOLIO_BASE_URL: 'https://api.example.com', ...options.env };
  const context = fakeContext({ openTransport: async () => transport, ...options, argv, env });
  const code = await runCommandLine(context);
  const asked = transport.requests.map(({ url }) =>
    decodeURIComponent(url.href.slice(`${url.origin}/v1`.length)),
  );
  return { code, stdout: context.stdout.text, stderr: context.stderr.text, asked };
}

/** A page of the invoice and fund listings. */
export function pageOf(records: readonly string[], members: Readonly<Record<string, unknown>> = {}): string {
  const rest = JSON.stringify({ total: records.length, page: 0, errors: [], ...members }).slice(1);
  return `{"pageResults":[${records.join(',')}],${rest}`;
}

/** What a page or a refusal has for a fiscal ID that nobody has. */
export const nobody = (fiscalId: unknown) => ({
  _type: 'EmptyResponseError',
  requestName: 'byFiscalId',
  requestParams: { fiscalId },
});

/** A page of customers. */
export function customersOf(records: readonly string[], nextToken: string | null = null): string {
  return `{"data":[${records.join(',')}],"errors":[],"nextToken":${JSON.stringify(nextToken)}}`;
}

export interface ProfilesRun extends FakeContextOptions {
  /** The status with which the service answers a token. By default a test in which the service is asked fails. */
  readonly answer?: (token: string, url: URL) => number | Error;
}

export interface ProfilesExit extends Omit<ScriptedExit, 'asked'> {
  readonly prompts: readonly string[];
}

/** Runs a command line that asks the service nothing but whether a token is good, such as `folio auth …` or `folio config …`. */
export async function runProfiles(
  argv: readonly string[],
  { answer = () => new Error('the test expected no request'), ...options }: ProfilesRun = {},
): Promise<ProfilesExit> {
  const transport = answeringTransport(({ headers, url }) => {
    const status = answer(headers['authorization']!.replace('Bearer ', ''), url);
    return status instanceof Error ? status : { status, headers: JSON_TYPE, body: pageOf([]) };
  });
  const context = fakeContext({ openTransport: async () => transport, ...options, argv });
  const code = await runCommandLine(context);
  const { stdout, stderr, stdin } = context;
  return { code, stdout: stdout.text, stderr: stderr.text, prompts: stdin.prompts };
}
