import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Limiter } from '../../api/limiter.ts';
import type { Clock, Context } from '../../context.ts';
import { isDatabase } from '../../database/address.ts';
import { UsageError } from '../../errors.ts';
import { chooseHeld, namesTyped } from '../../profiles/choice.ts';
import { namedProfile } from '../../profiles/connection.ts';
import { formatDay } from '../../json/calendar-day.ts';
import type { Resource } from '../../resources/resource.ts';
import type { GlobalFlags, RequestFlags } from '../../run/flags.ts';
import { Notices } from '../../run/notices.ts';
import { requestDefaults } from '../../run/flags.ts';
import { databaseFrom, profilesHeld, tableOf } from '../../run/sources/database-source.ts';
import { version } from '../../version.ts';
import { answerTo, EARLIER, errorText, type AssistantSource, type EarlierBooks } from './answer.ts';
import { ASSISTANT_INSTRUCTIONS, assistantTools, flagArgs, type Arguments } from './tools.ts';

/** `from` is a database of `folio sync`, read in place of the service. */
type AssistantFlags = GlobalFlags & RequestFlags & { readonly from?: string | undefined };

/**
 * Serves assistants over the Model Context Protocol on standard input and output, until the input ends. The profile is
 * chosen before the first question. Throws UsageError for flags with which no question can be answered, such as a database
 * without that profile, Interrupted when a signal comes.
 */
export async function serveAssistant(
  context: Context,
  flags: AssistantFlags,
  run: AssistantSource['run'],
): Promise<void> {
  const { concurrency = requestDefaults.concurrency, from } = flags;
  const names = namesTyped(flags.profile);
  if (flags.tokenFile === '-') {
    throw new UsageError('the token cannot come from standard input, which the assistant has', {
      hint: 'Name a file, set FOLIO_TOKEN, or log in with `folio auth login`.',
    });
  }
  let limiter: Limiter | undefined;
  const limiterFor = (most: number): Limiter => (limiter ??= new Limiter(most));
  const limited = { ...context, limiterFor };
  const notices = new Notices(context, flags);
  const source =
    from === undefined
      ? await ofService(limited, flags)
      : await ofDatabase(limited, { from, names, warn: (text) => notices.warn(text) });
  if (context.stdin.isTerminal)
    notices.remark('An assistant starts this and talks to it; see folio mcp --help. Ctrl-C ends it.');
  const calls = new Set<Promise<unknown>>();
  const input = context.stdin.open();
  const output = new Writable({
    write: (chunk: Buffer, _, done) => void context.stdout.write(chunk).then(() => done(), done),
  });
  const transport = new StdioServerTransport(Readable.from(untilAnswered(input, calls)), output);
  // Whoever ends the conversation closes it.
  const ended = new AbortController();
  const close = transport.close.bind(transport);
  transport.close = () => close().finally(() => ended.abort());
  const turns = new Limiter(concurrency);
  const serving = serveStdio(() => serverOf({ run, ...source }, { calls, turns }), { transport });
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

/** The input, which ends when each question in it was answered or taken back. */
async function* untilAnswered(input: Readable, calls: ReadonlySet<Promise<unknown>>) {
  try {
    yield* input as AsyncIterable<Buffer>;
  } catch {
    // An input that breaks off has ended.
  }
  // What was passed on becomes a call within a turn of the event loop, and its answer is sent within one.
  do {
    await nextTurn();
    await Promise.allSettled(calls);
  } while (calls.size > 0);
  await nextTurn();
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
  for (const { name, input, toQuestion, ...texts } of assistantTools(source.before !== undefined)) {
    const settings = { ...texts, inputSchema: input, annotations: ANNOTATIONS };
    server.registerTool(name, settings, async (values, call) => {
      const { signal } = call.mcpReq;
      const typed = JSON.stringify(values);
      const progress = showProgress(call, clock);
      const answering = async (): Promise<string> => {
        const question = toQuestion(values as Arguments);
        const release = await turns.acquire(signal);
        progress.tell?.('reads records');
        return answerTo(source, question, { signal, input: typed, onProgress: progress.tell }).finally(
          release,
        );
      };
      const answer = answering().then(
        (text) => ({ text, isError: false }),
        (error: unknown) => ({ text: errorText(error, secrets.redact, typed), isError: true }),
      );
      calls.add(answer);
      const { text, isError } = await answer.finally(() => calls.delete(answer));
      progress.stop();
      return { content: [{ type: 'text' as const, text }], isError };
    });
  }
  return server;
}

/** Milliseconds between two notifications: clients give a question up after a minute of silence. */
const PROGRESS_PERIOD = 10_000;

/** Notifies the client from time to time that its question is in progress, if it requested that. */
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
  return { tell: (clause: string): void => void (message = clause), stop: () => stopped.abort() };
}

/** The source, without `run` if no question can be answered. */
type Books = Omit<AssistantSource, 'run'> & Partial<AssistantSource>;

async function ofService(context: Context, flags: AssistantFlags): Promise<Books> {
  const { profile, baseUrl, tokenFile, sandbox, awkward, concurrency, retries, retryDelay } = flags;
  const timeout = flags.timeout && flags.timeout / 1_000;
  const service = { profile, baseUrl, tokenFile, sandbox, awkward };
  const args = flagArgs({ ...service, concurrency, retries, retryDelay, timeout });
  let { env } = context;
  // The current profile at the start is kept.
  if (!(profile ?? (env['FOLIO_PROFILE'] || env['FOLIO_TOKEN'] || sandbox)))
    env = { ...env, FOLIO_PROFILE: (await context.config()).currentProfile };
  // A token that is not the store's may be of another organization than the profile.
  const isOther = tokenFile !== undefined || env['FOLIO_TOKEN'];
  const named = isOther ? undefined : namedProfile(profile, env);
  const organization = sandbox ? (profile ?? 'sandbox') : named;
  return { context: { ...context, env }, organization, args };
}

/** The source for the profile of --profile, the current profile, or the only one in the database. */
async function ofDatabase(
  context: Context,
  { from, names, warn }: { from: string; names: readonly string[] | undefined; warn: (text: string) => void },
): Promise<Books> {
  if (!(await isDatabase(from))) {
    throw new UsageError(`--from ${from}: that is not a database of folio sync`, {
      hint: 'Make one with `folio sync books.db`, and name it.',
    });
  }
  const held = await profilesHeld(from, context);
  const [profile, ...others] = await chooseHeld(
    { shown: from, profiles: held },
    { names, all: false },
    context,
  );
  if (profile === undefined) {
    throw new UsageError(`${from} holds no records`, { hint: `Bring them with folio sync ${from}.` });
  }
  if (others.length > 0) {
    const error = new UsageError(`${from} has the records of ${held.join(', ')}`, {
      hint: 'Name one of them with --profile. An assistant can have several servers, each with its own.',
    });
    // Standard error of a server is not read, so each answer is this error.
    warn(error.message);
    return { context, organization: undefined, args: [], run: () => Promise.reject(error) };
  }
  const before = (resource: Resource, day: number): Promise<EarlierBooks> =>
    booksBefore(context, { from, profile }, { resource, day });
  return { context, organization: profile, args: flagArgs({ from, profile }), before };
}

/** The records as the last sync before a day left them, in a file of their own. Throws UsageError where there was none. */
async function booksBefore(
  context: Context,
  { from, profile }: { readonly from: string; readonly profile: string },
  { resource, day }: { readonly resource: Resource; readonly day: number },
): Promise<EarlierBooks> {
  const database = databaseFrom(from, [resource]);
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
    const folder = await mkdtemp(join(tmpdir(), EARLIER));
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
