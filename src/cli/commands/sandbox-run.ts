import type { Context } from '../../context.ts';
import { OutputError } from '../../errors.ts';
import type { Counts } from '../../sandbox/data/organization.ts';
import type { SandboxOptions } from '../../sandbox/options.ts';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import type { GlobalFlags } from '../flags.ts';

/** The flags of `folio sandbox`, parsed; what is not given is not there. */
export interface SandboxFlags extends Partial<Counts> {
  readonly port?: number;
  readonly seed?: number;
  readonly latency?: readonly [least: number, most: number];
  readonly realistic?: boolean;
  readonly failRate?: number;
  readonly tls?: boolean;
  readonly missingCustomer?: '404' | '500';
  readonly documentsAs?: 'array' | 'envelope';
}

type SandboxContext = Pick<Context, 'stdout' | 'stderr' | 'signal' | 'clock'>;

/**
 * Serves the embedded service until the run is stopped, which is its normal end. What a client needs goes to stdout,
 * in lines ready for `export`. Throws OutputError when it cannot listen.
 */
export async function runSandbox(
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
