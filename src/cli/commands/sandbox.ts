import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { defaultCounts, mostOf } from '../../sandbox/options.ts';
import { declareLater } from '../declare-later.ts';
import { flagsOf } from '../flags.ts';
import type { GlobalFlags } from '../flags.ts';
import { millisecondSpan, oneOf, share, wholeNumber } from '../parse-values.ts';
import type { SandboxFlags } from './sandbox-run.ts';

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
      const { runSandbox } = await import('./sandbox-run.ts');
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
    documentsAs: oneOf('--documents-as', ['envelope', 'array']),
  };
  command
    .option('--seed <n>', 'the same seed gives the same data (1)', parsers.seed)
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
    .option('--documents-as <shape>', "a fund's documents: an envelope, or an array", parsers.documentsAs);
}

const HELP = `
Prints FOLIO_BASE_URL, FOLIO_TOKEN and FOLIO_TOKEN_2 (of a second, smaller organization), a line each, as soon as
it serves; with --tls also NODE_EXTRA_CA_CERTS. Each request is a line on standard error, unless --quiet is given.

Examples:
  folio sandbox --port 8080                   serves at http://127.0.0.1:8080/v1
  folio sandbox --issued 1000000              a large organization
  folio sandbox --realistic --fail-rate 0.2   slow and unreliable, as on a bad day
`;
