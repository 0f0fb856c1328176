import { once } from 'node:events';
import type { Context } from '../../context.ts';
import { errorCode, OutputError } from '../../errors.ts';
import { counts, type Counts } from '../../sandbox/listings.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts';
import { day, numberIn, parser, type Flag, type Flags, type Values } from '../../run/flag.ts';
import type { GlobalFlags } from '../../run/flags.ts';
import { declareCommand } from '../command.ts';

const countFlags = Object.fromEntries(
  Object.entries(counts).map(([name, { what, usual, most }]) => [
    name,
    { syntax: `--${name} <n>`, about: `${what} (${usual})`, range: [0, most] },
  ]),
) as Record<keyof Counts, Flag & { readonly range: [number, number] }>;

/** Milliseconds up to an hour: `300`, or `100-500` for the span between two. */
const millisecondSpan = parser((text): readonly [least: number, most: number] | undefined => {
  const form = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text);
  const [least, most] = [Number(form?.[1]), Number(form?.[2] ?? form?.[1])];
  return least <= most && most <= 3_600_000 ? [least, most] : undefined;
}, 'milliseconds, 0 to 3600000, as one number or two with a dash, such as 100-500');

const share = parser((text) => numberIn(text, /^\d*\.?\d+$/, [0, 1]), 'a number from 0 to 1, such as 0.2');

const sandboxFlags = {
  port: { syntax: '--port <n>', about: 'port to listen on; 0 is any free one (0)', range: [0, 65_535] },
  ...countFlags,
  seed: {
    syntax: '--seed <n>',
    about: 'the same seed gives the same data, tokens and links (1, with keys of its own)',
    range: [0, 2 ** 32 - 1],
  },
  today: {
    syntax: '--today <date>',
    about: 'the last day of the data, such as 2026-10-31 (today)',
    parse: day,
  },
  awkward: {
    syntax: '--awkward',
    about: 'with names, amounts and gaps that break careless programs: =SUM(A1), 9E3, line breaks',
  },
  latency: {
    syntax: '--latency <ms>',
    about: 'the time of each call: 200, or 100-500 for a random time between these (0)',
    parse: millisecondSpan,
  },
  realistic: {
    syntax: '--realistic',
    about: 'the received listing takes 10 to 25 s a call, as for a large organization',
  },
  failRate: {
    syntax: '--fail-rate <share>',
    about: 'the share of requests that fail, from 0 to 1 (0)',
    parse: share,
  },
} as const satisfies Flags;

export const sandboxCommand = declareCommand({
  description:
    'Serves an embedded copy of the service on loopback, with made-up data up to today, until stopped. Prints FOLIO_BASE_URL, ' +
    'FOLIO_TOKEN and FOLIO_TOKEN_2 (of a second, smaller organization), a line each, as soon as it serves. Each request is a line ' +
    'on standard error, unless --quiet is given. A credit note has the id of its invoice in relatedDocumentId.',
  examples: [
    ['folio sandbox --port 8080', 'serves at http://127.0.0.1:8080/v1'],
    ['folio sandbox --issued 1000000', 'a large organization'],
    ['folio sandbox --realistic --fail-rate 0.2', 'slow and unreliable, as on a bad day'],
    ['folio sandbox --seed 1 --today 2026-10-31', 'the same data on every day'],
  ],
  flags: sandboxFlags,
  run: runSandbox,
});

/** Serves until it is stopped. Prints what a client needs, ready for `export`. Throws OutputError when it cannot listen. */
async function runSandbox(context: Context, flags: Values<typeof sandboxFlags> & GlobalFlags): Promise<void> {
  const { stdout, stderr, signal, clock } = context;
  const log = (line: string): void => {
    // The service goes on if standard error is closed.
    if (!flags.quiet) stderr.write(`${line}\n`).catch(() => {});
  };
  // Only flags that are set: the sandbox has defaults for the others.
  const names = Object.keys(sandboxFlags) as (keyof typeof sandboxFlags)[];
  const set = names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]));
  const options = Object.fromEntries(set) as SandboxOptions;
  const sandbox = await listen({ ...options, log, now: () => clock.now() });
  try {
    const [token, other] = sandbox.tokens;
    await stdout.write(`FOLIO_BASE_URL=${sandbox.baseUrl}\nFOLIO_TOKEN=${token}\nFOLIO_TOKEN_2=${other}\n`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await sandbox.close();
  }
}

async function listen(options: SandboxOptions): Promise<Sandbox> {
  // Loaded only where the service is started.
  const { startSandbox } = await import('../../sandbox/server.ts');
  try {
    return await startSandbox(options);
  } catch (cause) {
    const code = errorCode(cause);
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw cause;
    const why = code === 'EADDRINUSE' ? 'is in use' : 'may not be used by this user';
    throw new OutputError(`port ${options.port} on 127.0.0.1 ${why}`, {
      hint: 'Choose another with --port, or leave the choice to the system with --port 0.',
      cause,
    });
  }
}
