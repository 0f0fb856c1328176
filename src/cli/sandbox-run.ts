import type { Context } from '../context.ts';
import { OutputError } from '../errors.ts';
import type { SandboxOptions } from '../sandbox/options.ts';
import { startSandbox, type Sandbox } from '../sandbox/server.ts';
import { parseSandboxOptions, type SandboxFlags } from './sandbox-options.ts';

export interface SandboxRun extends Pick<Context, 'stdout' | 'stderr' | 'signal' | 'clock'> {
  /** True when the requests are not to be listed on stderr. */
  readonly quiet: boolean;
}

/**
 * Serves the embedded service until the run is stopped, which is its normal end. What a client needs goes to stdout,
 * in lines ready for `export`. Throws UsageError for wrong flags, OutputError when it cannot listen.
 */
export async function runSandbox(flags: SandboxFlags, run: SandboxRun): Promise<void> {
  const options = parseSandboxOptions(flags);
  const log = (line: string): void => {
    // Without a reader of stderr the service goes on.
    if (!run.quiet) run.stderr.write(`${line}\n`).catch(() => {});
  };
  const sandbox = await listen({ ...options, log, now: () => run.clock.now() });
  try {
    await run.stdout.write(describe(sandbox));
    await aborted(run.signal);
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
      hint: 'Choose another with --port, or leave it to the system with --port 0.',
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
