import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { OutputError, UsageError } from '../../errors.ts';
import {
  defaultCounts,
  documentShapes,
  mostOf,
  recordOrders,
  type SandboxOptions,
} from '../../sandbox/options.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { declareLater } from '../declare-later.ts';
import { flagsOf, type GlobalFlags } from '../flags.ts';
import { millisecondSpan, oneOf, share, wholeNumber, type Offering } from '../parse-values.ts';

const counted = {
  issued: 'issued invoices',
  received: 'received invoices',
  customers: 'customers',
  funds: 'prepaid-expense funds',
  documents: 'documents assigned to each fund',
} as const;

/** Declares `folio sandbox`: its flags and its help. The service itself is loaded when it is run. */
export function addSandbox(program: Command, context: Context): void {
  const command = program
    .command('sandbox')
    .summary('a made-up service on this machine')
    .description('Serve an embedded copy of the service on loopback, with made-up data, until stopped.')
    .addHelpText('after', HELP)
    .action(async (_flags: object, self: Command) => {
      await runSandbox(flagsOf<SandboxFlags & GlobalFlags>(self), context);
    });
  declareLater(command, () => {
    addData(command);
    addBehaviour(command);
  });
}

function addData(command: Command): void {
  command.option('--port <n>', 'port to listen on; 0 is any free one (0)', wholeNumber('--port', 0, 65_535));
  for (const [name, what] of Object.entries(counted) as [keyof typeof counted, string][]) {
    const parse = wholeNumber(`--${name}`, 0, mostOf[name]);
    command.option(`--${name} <n>`, `${what} (${defaultCounts[name]})`, parse);
  }
}

function addBehaviour(command: Command): void {
  const parsers = {
    seed: wholeNumber('--seed', 0, 2 ** 32 - 1),
    latency: millisecondSpan('--latency'),
    failRate: share('--fail-rate'),
    missingCustomer: oneOf('--missing-customer', ['500', '404']),
    documentsAs: oneOf('--documents-as', documentShapes),
    maxRecords: wholeNumber('--max-records', 1, 1_000_000),
    order: oneOf('--order', recordOrders),
    ids: oneOf('--ids', ['unique', 'repeat']),
    organization: oneOf('--organization', ['active', 'deactivated']),
    token: tokenState(),
    gatewayWords: oneOf('--gateway-words', ['real', 'spec']),
  };
  command
    .option(
      '--seed <n>',
      'the same seed gives the same data, tokens and links (1, with keys of its own)',
      parsers.seed,
    )
    .option('--latency <ms>', 'what each call takes: 200, or 100-500 for a time between (0)', parsers.latency)
    .option('--realistic', 'the received listing takes 10 to 25 s a call, as for a large organization')
    .option(
      '--fail-rate <share>',
      'how many requests fail, from 0 to 1, as they do in life (0)',
      parsers.failRate,
    )
    .option('--tls', 'serve HTTPS, with a certificate made on the spot')
    .option(
      '--missing-customer <status>',
      'for an unknown customer: 500 as at present, or 404',
      parsers.missingCustomer,
    )
    .option(
      '--documents-as <shape>',
      "a fund's documents: envelope, array, array-total (with its total beside it) or null (envelope)",
      parsers.documentsAs,
    )
    .option(
      '--max-records <n>',
      'the most records of a page, whatever is asked for (no limit)',
      parsers.maxRecords,
    )
    .option(
      '--order <how>',
      'records of the same date or other sort key: stable, or in another order by-size of the page or by-request (stable)',
      parsers.order,
    )
    .option('--ids <how>', 'unique, or repeat: different records share an id (unique)', parsers.ids)
    .option(
      '--organization <state>',
      'active, or deactivated: the service refuses FOLIO_TOKEN (active)',
      parsers.organization,
    )
    .option('--token <state>', 'valid, or expired: FOLIO_TOKEN ended an hour ago (valid)', parsers.token)
    .option(
      '--gateway-words <which>',
      'how the gateway refuses: in its real words, or in those of the spec (real)',
      parsers.gatewayWords,
    );
}

/** What was given may be a token, so it is not shown. */
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

const HELP = `
Prints FOLIO_BASE_URL, FOLIO_TOKEN and FOLIO_TOKEN_2 (of a second, smaller organization), a line each, as soon as
it serves; with --tls also NODE_EXTRA_CA_CERTS. Each request is a line on standard error, unless --quiet is given.

Examples:
  folio sandbox --port 8080                   serves at http://127.0.0.1:8080/v1
  folio sandbox --issued 1000000              a large organization
  folio sandbox --realistic --fail-rate 0.2   slow and unreliable, as on a bad day
`;

/** The flags of `folio sandbox`, parsed; what is not given is not there. */
interface SandboxFlags extends Omit<SandboxOptions, 'missingCustomer' | 'host' | 'now' | 'sleep' | 'log'> {
  readonly missingCustomer?: '404' | '500';
}

type SandboxContext = Pick<Context, 'stdout' | 'stderr' | 'signal' | 'clock'>;

/**
 * Serves the embedded service until the run is stopped, which is its normal end. What a client needs goes to stdout,
 * in lines ready for `export`. Throws OutputError when it cannot listen.
 */
async function runSandbox(
  flags: SandboxFlags & Pick<GlobalFlags, 'quiet'>,
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
    await aborted(context.signal);
  } finally {
    await sandbox.close();
  }
}

async function listen(options: SandboxOptions): Promise<Sandbox> {
  // Loaded only here: no other command serves anything.
  const { startSandbox } = await import('../../sandbox/server.ts');
  try {
    return await startSandbox(options);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
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

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
