import { once } from 'node:events';
import { Writable } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Context, Environment } from '../../context.ts';
import { isDatabase } from '../../database/address.ts';
import { UsageError } from '../../errors.ts';
import { chooseHeld, profilesAsked } from '../../profiles/choice.ts';
import { listings } from '../../resources/index.ts';
import type { GlobalFlags, RequestFlags } from '../../run/flags.ts';
import { Notices } from '../../run/notices.ts';
import { DatabaseSource, FromDatabase, profilesHeld } from '../../run/sources/database-source.ts';
import { version } from '../../version.ts';
import { answerTo, errorText, type AssistantSource } from './answer.ts';
import { ASSISTANT_INSTRUCTIONS, assistantTools, flagWords } from './tools.ts';

interface AssistantFlags extends GlobalFlags, RequestFlags {
  /** A database of `folio sync`, read instead of asking the service. */
  readonly from?: string | undefined;
}

/**
 * Serves assistants over the Model Context Protocol on standard input and output, until the input ends. Whose records are read is
 * decided before the first question.
 *
 * @throws UsageError where that cannot be decided, Interrupted when a signal comes
 */
export async function serveAssistant(
  context: Context,
  flags: AssistantFlags,
  run: AssistantSource['run'],
): Promise<void> {
  const source = await sourceOf(context, flags, run);
  if (context.stdin.isTerminal) {
    const notices = new Notices(context, flags);
    notices.remark('An assistant starts this and talks to it; see folio mcp --help. Ctrl-C ends it.');
  }
  const calls = new Set<Promise<unknown>>();
  const input = context.stdin.open();
  const ended = new AbortController();
  const output = new Writable({
    write: (chunk: Buffer, _, done) => void context.stdout.write(chunk).then(() => done(), done),
  });
  const transport = new StdioServerTransport(input, output);
  // Whoever ends the conversation closes it.
  const close = transport.close.bind(transport);
  transport.close = () => close().finally(() => ended.abort());
  const serving = serveStdio(() => serverOf(source, calls), { transport });
  const stop = (): void => void serving.close();
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  else if (!ended.signal.aborted) await once(ended.signal, 'abort');
  context.signal.removeEventListener('abort', stop);
  await serving.close();
  await Promise.allSettled(calls);
  input.destroy();
  context.signal.throwIfAborted();
}

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function serverOf(source: AssistantSource, calls: Set<Promise<unknown>>): McpServer {
  const server = new McpServer({ name: 'folio', version }, { instructions: ASSISTANT_INSTRUCTIONS });
  const { redact } = source.context.secrets;
  for (const { name, title, description, input, asks } of assistantTools) {
    server.registerTool(
      name,
      { title, description, inputSchema: input, annotations: ANNOTATIONS },
      async (given, call) => {
        const answer = answerTo(source, asks(given), call.mcpReq.signal).then(
          (text) => ({ text, isError: false }),
          (error: unknown) => ({ text: errorText(error, redact), isError: true }),
        );
        calls.add(answer);
        const { text, isError } = await answer.finally(() => calls.delete(answer));
        return { content: [{ type: 'text' as const, text }], isError };
      },
    );
  }
  return server;
}

async function sourceOf(
  context: Context,
  flags: AssistantFlags,
  run: AssistantSource['run'],
): Promise<AssistantSource> {
  const { from } = flags;
  const { names } = profilesAsked(flags.profile);
  if (flags.tokenFile === '-') {
    throw new UsageError('the token cannot come from standard input, which the assistant has', {
      hint: 'Name a file, set FOLIO_TOKEN, or log in with `folio auth login`.',
    });
  }
  if (from === undefined) {
    const { sandbox, awkward, concurrency, retries, timeout } = flags;
    const env = await withProfileFixed(context, flags);
    const words = flagWords({
      ...{
        profile: flags.profile,
        'base-url': flags.baseUrl,
        'token-file': flags.tokenFile,
        sandbox,
        awkward,
      },
      concurrency,
      retries,
      'retry-delay': flags.retryDelay,
      timeout: timeout === undefined ? undefined : timeout / 1_000,
      'no-progress': true,
    });
    return { context: { ...context, env }, words, age: undefined, run };
  }
  const profile = await profileIn(from, names, context);
  return {
    context,
    words: flagWords({ from, profile, 'no-progress': true }),
    age: async (resource) => {
      const database = new FromDatabase(from);
      const held = new DatabaseSource({ from, database, resource, whose: [profile] });
      try {
        await held.profiles(context);
        return { asOf: held.wholeAt, sentence: held.age };
      } finally {
        await held.close();
      }
    },
    run,
  };
}

/** The profile of the database whose records are read: the one asked for, the current one, or its only one. */
async function profileIn(
  from: string,
  names: readonly string[] | undefined,
  context: Context,
): Promise<string> {
  if (from === '-') {
    throw new UsageError('--from - is standard input, which the assistant has', {
      hint: 'Make a database with `folio sync books.db`, and name it.',
    });
  }
  if (!(await isDatabase(from))) {
    throw new UsageError(`--from ${from}: that is no database of folio sync`, {
      hint: 'Make one with `folio sync books.db`, and name it.',
    });
  }
  const database = new FromDatabase(from);
  const { known } = await profilesHeld(database, listings, context).finally(() => database.close());
  const choice = { names, all: false };
  const [profile, ...others] = await chooseHeld({ shown: from, held: known }, choice, context);
  if (profile === undefined) {
    throw new UsageError(`${from} holds no records`, { hint: `Bring them with folio sync ${from}.` });
  }
  if (others.length > 0) {
    throw new UsageError(`${from} has the records of ${known.join(', ')}`, {
      hint: 'Name one of them with --profile. An assistant can have several servers, each with its own.',
    });
  }
  return profile;
}

/** The environment, in which the profile that is the current one now stays it. */
async function withProfileFixed({ env, config }: Context, globals: GlobalFlags): Promise<Environment> {
  const isStated = globals.profile ?? (env['FOLIO_PROFILE'] || env['FOLIO_TOKEN']);
  if (isStated !== undefined || globals.sandbox === true) return env;
  return { ...env, FOLIO_PROFILE: (await config()).currentProfile };
}
