import { once } from 'node:events';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { errorCode, OutputError, UsageError } from '../../errors.ts';
import type { Counts } from '../../sandbox/data/organization.ts';
import {
  defaultCounts,
  documentShapes,
  listReadings,
  maxCounts,
  recordOrders,
  type SandboxOptions,
} from '../../sandbox/options.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { day, millisecondSpan, oneOf, share, wholeNumber, type Offering } from '../../run/parse-values.ts';
import type { GlobalFlags } from '../../run/run.ts';
import { addCommand } from '../command.ts';
import { flagGroup, valued, yes, type Flag } from '../flag-group.ts';

/** Declares `folio sandbox`: its flags and its help. The service itself is loaded when it is run. */
export function addSandbox(program: Command, context: Context): void {
  addCommand(program, 'sandbox', {
    description: 'Serve an embedded copy of the service on loopback, with made-up data, until stopped.',
    flags: { sandbox: sandboxFlags() },
    run: ({ globals, sandbox }) => runSandbox({ ...sandbox, quiet: globals.quiet }, context),
  }).addHelpText('after', HELP);
}

function sandboxFlags() {
  return flagGroup<SandboxFlags>(undefined, {
    port: valued('--port <n>', 'port to listen on; 0 is any free one (0)', wholeNumber('--port', 0, 65_535)),
    issued: countFlag('issued', 'issued invoices'),
    received: countFlag('received', 'received invoices'),
    customers: countFlag('customers', 'customers'),
    funds: countFlag('funds', 'prepaid-expense funds'),
    documents: countFlag('documents', 'documents assigned to each fund'),
    seed: valued(
      '--seed <n>',
      'the same seed gives the same data, tokens and links (1, with keys of its own)',
      wholeNumber('--seed', 0, 2 ** 32 - 1),
    ),
    today: valued('--today <date>', 'the last day of the data, such as 2026-10-31 (today)', day('--today')),
    awkward: yes(
      '--awkward',
      'with names, amounts and gaps that break careless programs: =SUM(A1), 9E3, line breaks',
    ),
    latency: valued(
      '--latency <ms>',
      'what each call takes: 200, or 100-500 for a time between (0)',
      millisecondSpan('--latency'),
    ),
    realistic: yes(
      '--realistic',
      'the received listing takes 10 to 25 s a call, as for a large organization',
    ),
    failRate: valued(
      '--fail-rate <share>',
      'how many requests fail, from 0 to 1, as they do in life (0)',
      share('--fail-rate'),
    ),
    tls: yes('--tls', 'serve HTTPS, with a certificate made on the spot'),
    missingCustomer: valued(
      '--missing-customer <status>',
      'for an unknown customer: 500 as at present, or 404',
      oneOf('--missing-customer', ['500', '404']),
    ),
    documentsAs: valued(
      '--documents-as <shape>',
      "a fund's documents: envelope, array, array-total (with its total beside it) or null (envelope)",
      oneOf('--documents-as', documentShapes),
    ),
    lists: valued(
      '--lists <how>',
      'how a list in a query is read: any, comma (a,b), repeat (all of x=a&x=b), first or last of those, or brackets (any)',
      oneOf('--lists', listReadings),
    ),
    maxRecords: valued(
      '--max-records <n>',
      'the most records of a page, whatever is asked for (no limit)',
      wholeNumber('--max-records', 1, 1_000_000),
    ),
    order: valued(
      '--order <how>',
      'records of the same date or other sort key: stable, or in another order by-size of the page or by-request (stable)',
      oneOf('--order', recordOrders),
    ),
    ids: valued(
      '--ids <how>',
      'unique, or repeat: different records share an id (unique)',
      oneOf('--ids', ['unique', 'repeat']),
    ),
    organization: valued(
      '--organization <state>',
      'active, or deactivated: the service refuses FOLIO_TOKEN (active)',
      oneOf('--organization', ['active', 'deactivated']),
    ),
    token: valued(
      '--token <state>',
      'valid, or expired: FOLIO_TOKEN ended an hour ago (valid)',
      tokenState(),
    ),
    gatewayWords: valued(
      '--gateway-words <which>',
      'how the gateway refuses: in its real words, or in those of the spec (real)',
      oneOf('--gateway-words', ['real', 'spec']),
    ),
  });
}

/** Parses the state of a token. The error does not show the value, which may be a token. */
function tokenState() {
  const words = ['valid', 'expired'] as const;
  const parse = (value: string): (typeof words)[number] => {
    const state = words.find((word) => word === value.toLowerCase());
    if (state !== undefined) return state;
    throw new UsageError('--token of the sandbox: expected valid or expired', {
      hint: 'The sandbox makes its own tokens and prints them.',
    });
  };
  return Object.assign(parse, { words } satisfies Offering);
}

function countFlag(name: keyof Counts, what: string): Flag<number> {
  const parse = wholeNumber(`--${name}`, 0, maxCounts[name]);
  return valued(`--${name} <n>`, `${what} (${defaultCounts[name]})`, parse);
}

const HELP = `
Prints FOLIO_BASE_URL, FOLIO_TOKEN and FOLIO_TOKEN_2 (of a second, smaller organization), a line
each, as soon as it serves; with --tls also NODE_EXTRA_CA_CERTS. Each request is a line on standard
error, unless --quiet is given.

The data goes up to today. A credit note has the id of its invoice in relatedDocumentId, so that
--field reference=relatedDocumentId tells a client which invoice it corrects.

Examples:
  folio sandbox --port 8080                   serves at http://127.0.0.1:8080/v1
  folio sandbox --issued 1000000              a large organization
  folio sandbox --realistic --fail-rate 0.2   slow and unreliable, as on a bad day
  folio sandbox --seed 1 --today 2026-10-31   the same data on every day
  folio sandbox --order by-size --ids repeat  as a service may be where the specification is silent
`;

/** The values of the flags of `folio sandbox`. */
interface SandboxFlags extends Omit<SandboxOptions, 'missingCustomer' | 'host' | 'now' | 'sleep' | 'log'> {
  readonly missingCustomer?: '404' | '500';
}

type SandboxContext = Pick<Context, 'stdout' | 'stderr' | 'signal' | 'clock'>;

/**
 * Serves the embedded service until the run is stopped, which is its normal end. What a client needs goes to stdout,
 * in lines ready for `export`. Throws OutputError when it cannot listen.
 */
async function runSandbox(
  flags: SandboxFlags & { readonly quiet: GlobalFlags['quiet'] | undefined },
  context: SandboxContext,
): Promise<void> {
  const { quiet = false, missingCustomer = '500', ...options } = flags;
  const log = (line: string): void => {
    // Without a reader of stderr the service goes on.
    if (!quiet) context.stderr.write(`${line}\n`).catch(() => {});
  };
  const sandbox = await listen({
    ...options,
    missingCustomer: missingCustomer === '404' ? 404 : 500,
    log,
    now: () => context.clock.now(),
  });
  try {
    await context.stdout.write(describe(sandbox));
    if (!context.signal.aborted) await once(context.signal, 'abort');
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

function describe({ baseUrl, tokens, certificateFile }: Sandbox): string {
  const lines = [`FOLIO_BASE_URL=${baseUrl}`, `FOLIO_TOKEN=${tokens[0]}`, `FOLIO_TOKEN_2=${tokens[1]}`];
  if (certificateFile !== undefined) lines.push(`NODE_EXTRA_CA_CERTS=${certificateFile}`);
  return `${lines.join('\n')}\n`;
}
