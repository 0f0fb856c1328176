import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Limiter } from '../../api/limiter.ts';
import type { Clock, Context, Environment } from '../../context.ts';
import { isDatabase } from '../../database/address.ts';
import { UsageError } from '../../errors.ts';
import { chooseHeld, profileChoice } from '../../profiles/choice.ts';
import { namedProfile } from '../../profiles/connection.ts';
import { formatDay } from '../../json/calendar-day.ts';
import type { Resource } from '../../resources/resource.ts';
import type { GlobalFlags, RequestFlags } from '../../run/flags.ts';
import { Notices } from '../../run/notices.ts';
import { requestDefaults } from '../../run/flag.ts';
import { FromDatabase, profilesHeld, tableOf } from '../../run/sources/database-source.ts';
import { version } from '../../version.ts';
import { answerTo, errorText, type AssistantSource, type EarlierBooks } from './answer.ts';
import { ASSISTANT_INSTRUCTIONS, assistantTools, flagWords } from './tools.ts';

/** `from` is a database of `folio sync`, read in place of the service. */
type AssistantFlags = GlobalFlags & RequestFlags & { readonly from?: string | undefined };

/**
 * Serves assistants over the Model Context Protocol on standard input and output, until the input ends. Whose records are read is
 * decided before the first question. Throws UsageError where that cannot be decided, Interrupted when a signal comes.
 */
export async function serveAssistant(
  context: Context,
  flags: AssistantFlags,
  run: AssistantSource['run'],
): Promise<void> {
  const { concurrency = requestDefaults.concurrency } = flags;
  let limiter: Limiter | undefined;
  const limiterFor = (most: number): Limiter => (limiter ??= new Limiter(most));
  const source = await sourceOf({ ...context, limiterFor }, flags, run);
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
  const questions = new PassThrough();
  const transport = new StdioServerTransport(questions, output);
  // Whoever ends the conversation closes it.
  const close = transport.close.bind(transport);
  transport.close = () => close().finally(() => ended.abort());
  const turns = new Limiter(concurrency);
  const serving = serveStdio(() => serverOf(source, { calls, turns }), { transport });
  void endWhenAnswered(input, questions, calls);
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

/** Passes the input on, and its end when each question before it was answered or taken back. */
async function endWhenAnswered(
  input: Readable,
  questions: PassThrough,
  calls: ReadonlySet<Promise<unknown>>,
): Promise<void> {
  input.pipe(questions, { end: false });
  await once(input, 'end').catch(() => {});
  // What was passed on becomes a call within a turn of the event loop, and its answer is sent within one.
  do {
    await nextTurn();
    await Promise.allSettled(calls);
  } while (calls.size > 0);
  await nextTurn();
  questions.end();
}

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function serverOf(
  source: AssistantSource,
  { calls, turns }: { readonly calls: Set<Promise<unknown>>; readonly turns: Limiter },
): McpServer {
  const server = new McpServer({ name: 'folio', version }, { instructions: ASSISTANT_INSTRUCTIONS });
  const { secrets, clock } = source.context;
  for (const { name, title, description, input, toQuestion } of assistantTools(source.before !== undefined)) {
    server.registerTool(
      name,
      { title, description, inputSchema: input, annotations: ANNOTATIONS },
      async (input, call) => {
        const { signal } = call.mcpReq;
        const progress = showProgress(call, clock);
        const answering = async (): Promise<string> => {
          const question = toQuestion(input);
          const release = await turns.acquire(signal);
          progress.tell?.('reads records');
          return answerTo(source, question, { signal, onProgress: progress.tell }).finally(release);
        };
        const answer = answering().then(
          (text) => ({ text, isError: false }),
          (error: unknown) => ({ text: errorText(error, secrets.redact), isError: true }),
        );
        calls.add(answer);
        const { text, isError } = await answer.finally(() => calls.delete(answer));
        progress.stop();
        return { content: [{ type: 'text' as const, text }], isError };
      },
    );
  }
  return server;
}

/** Milliseconds between two notifications: clients give a question up after a minute of silence. */
const PROGRESS_PERIOD = 10_000;

/** Tells the client from time to time that its question is at work, if it wants that. */
function showProgress({ mcpReq: { _meta: meta, notify } }: ServerContext, clock: Clock) {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { tell: undefined, stop: () => {} };
  const stopped = new AbortController();
  let message = 'waits for other questions';
  const show = async (): Promise<void> => {
    for (let progress = 1; ; progress++) {
      await clock.sleep(PROGRESS_PERIOD, stopped.signal);
      await notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
    }
  };
  // Stopping rejects it.
  show().catch(() => {});
  return { tell: (words: string): void => void (message = words), stop: () => stopped.abort() };
}

async function sourceOf(
  context: Context,
  flags: AssistantFlags,
  run: AssistantSource['run'],
): Promise<AssistantSource> {
  const { from } = flags;
  const { names } = profileChoice(flags.profile);
  if (flags.tokenFile === '-') {
    throw new UsageError('the token cannot come from standard input, which the assistant has', {
      hint: 'Name a file, set FOLIO_TOKEN, or log in with `folio auth login`.',
    });
  }
  if (from === undefined) {
    const { profile, baseUrl, tokenFile, sandbox, awkward, concurrency, retries, retryDelay } = flags;
    const env = await withProfileFixed(context, flags);
    const timeout = flags.timeout && flags.timeout / 1_000;
    const ofService = { profile, baseUrl, tokenFile, sandbox, awkward };
    const words = flagWords({ ...ofService, concurrency, retries, retryDelay, timeout });
    // As the session will choose it; the token of the environment is nobody's by name.
    const organization = profile ?? (sandbox ? 'sandbox' : namedProfile(undefined, env));
    return { context: { ...context, env }, organization, words, run };
  }
  const profile = await profileIn(from, names, context);
  // Nobody reads the standard error of a server: each answer is this error.
  if (profile instanceof UsageError) {
    new Notices(context, flags).warn(profile.message);
    const run = (): Promise<never> => Promise.reject(profile);
    return { context, organization: undefined, words: [], run };
  }
  return {
    context,
    organization: profile,
    words: flagWords({ from, profile }),
    before: (resource, day) => booksBefore(context, { from, profile }, { resource, day }),
    run,
  };
}

/** The records as the last sync before a day left them, in a file of their own. Throws UsageError where there was none. */
async function booksBefore(
  context: Context,
  { from, profile }: { readonly from: string; readonly profile: string },
  { resource, day }: { readonly resource: Resource; readonly day: number },
): Promise<EarlierBooks> {
  const database = new FromDatabase(from, [resource]);
  const table = tableOf(resource);
  try {
    const books = await database.open(context);
    const date = formatDay(day);
    const last = await books.lastWholeBefore(table, { profile, moment: Date.parse(`${date}T00:00:00`) });
    if (last === undefined) {
      throw new UsageError(`since: ${database.shown} was not synced before ${date}`, {
        hint: 'What was there before its first sync is not known: ask for a later day.',
      });
    }
    const folder = await mkdtemp(join(tmpdir(), 'folio-'));
    const path = join(folder, `${table}.jsonl`);
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    const lines = async function* (): AsyncGenerator<string> {
      for await (const text of books.asOfRun(table, { profile, run: last.run })) yield `${text}\n`;
    };
    await writeFile(path, lines(), { mode: 0o600 }).catch(async (error: unknown) => {
      await remove();
      throw error;
    });
    return { path, sentence: `Compared with the ${resource.records} as of ${last.at}.`, remove };
  } finally {
    await database.close();
  }
}

/** The profile of the database whose records are read: that of --profile, the current one, or its only one; else an error. */
async function profileIn(
  from: string,
  names: readonly string[] | undefined,
  context: Context,
): Promise<string | UsageError> {
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
  const known = await profilesHeld(from, context);
  const choice = { names, all: false };
  const [profile, ...others] = await chooseHeld({ shown: from, held: known }, choice, context);
  if (profile === undefined) {
    throw new UsageError(`${from} holds no records`, { hint: `Bring them with folio sync ${from}.` });
  }
  if (others.length > 0) {
    return new UsageError(`${from} has the records of ${known.join(', ')}`, {
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
