import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { SandboxFlags } from './sandbox-options.ts';
import { flagsOf } from './flags-of.ts';

/** Declares `folio sandbox`: its flags and its help. The service itself is loaded when it is run. */
export function addSandbox(program: Command, context: Context): void {
  program
    .command('sandbox')
    .description('Serve an embedded copy of the service on loopback, with made-up data, until stopped.')
    .option('--port <n>', 'port to listen on; 0 for any free one', '0')
    .option('--issued <n>', 'issued invoices (default: 120)')
    .option('--received <n>', 'received invoices (default: 90)')
    .option('--customers <n>', 'customers (default: 40)')
    .option('--funds <n>', 'prepaid-expense funds (default: 12)')
    .option('--documents <n>', 'documents assigned to each fund (default: 130)')
    .option('--seed <n>', 'the same seed gives the same data (default: 1)')
    .option('--latency <ms or min-max>', 'time that each call takes at least (default: 0)')
    .option('--realistic', 'the received listing takes 10 to 25 s a call, as for a large organization')
    .option('--fail-rate <0..1>', 'share of requests that fail, in the ways of a real service (default: 0)')
    .option('--tls', 'serve HTTPS with a certificate made on the spot')
    .option(
      '--missing-customer <status>',
      'answer for an unknown customer: 500 as at present, or 404 (default: 500)',
    )
    .option('--documents-as <shape>', "a fund's documents as an array or as an envelope (default: envelope)")
    .addHelpText('after', help)
    .action(async (flags: SandboxFlags, command: Command) => {
      const { runSandbox } = await import('./sandbox-run.ts');
      const { quiet } = flagsOf<{ quiet?: boolean }>(command);
      await runSandbox(flags, { ...context, quiet: quiet === true });
    });
}

const help = `
Prints FOLIO_BASE_URL, FOLIO_TOKEN and FOLIO_TOKEN_2 (of a second, smaller organization), a line each, as soon as
it serves; with --tls also NODE_EXTRA_CA_CERTS. A line for each request goes to stderr, unless --quiet is given.

Examples:
  folio sandbox --port 8080                         serves at http://127.0.0.1:8080/v1
  folio sandbox --issued 1000000                    a large organization
  folio sandbox --realistic --fail-rate 0.2         slow and unreliable, as on a bad day
  folio sandbox > env & sleep 1; export $(cat env)  for the commands that follow in this shell
`;
