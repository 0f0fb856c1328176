import { expect } from 'vitest';
import type { OpenTransport } from '../../src/api/transport.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext, type FakeContextOptions } from './fake-context.ts';

/** One answer of the service: a body, served with 200, or a status and a body. */
export type Answer = string | readonly [status: number, body: string];

export interface Outcome {
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
): Promise<Outcome> {
  const asked: string[] = [];
  const left = [...answers];
  const openTransport: OpenTransport = async () => ({
    send: async ({ url }) => {
      asked.push(decodeURIComponent(url.href.slice(`${url.origin}/v1`.length)));
      const answer = left.shift();
      if (answer === undefined) throw new Error(`no answer is left for ${asked.at(-1)}`);
      const [status, body] = typeof answer === 'string' ? [200, answer] : answer;
      return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
    },
    close: async () => {},
  });
  const env = { FOLIO_TOKEN: 'a-token-for-tests', FOLIO_BASE_URL: 'https://api.example.com', ...options.env };
  const context = fakeContext({ openTransport, ...options, argv, env });
  const code = await runCommandLine(context);
  expect(left, 'answers that nobody asked for').toEqual([]);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text, asked };
}

/** A page of the invoice and fund listings. */
export function pageOf(records: readonly string[], members: Readonly<Record<string, unknown>> = {}): string {
  const rest = JSON.stringify({ total: records.length, page: 0, errors: [], ...members }).slice(1);
  return `{"pageResults":[${records.join(',')}],${rest}`;
}

/** A page of customers. */
export function customersOf(records: readonly string[], nextToken: string | null = null): string {
  return `{"data":[${records.join(',')}],"errors":[],"nextToken":${JSON.stringify(nextToken)}}`;
}
