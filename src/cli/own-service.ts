import { parseBaseUrl } from '../api/base-url.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { GlobalFlags } from './global-flags.ts';

/** What the two organizations of the embedded service are called where they stand in for profiles. */
export const SANDBOX_PROFILES = ['one', 'two'] as const;

/** The embedded service, in this process, for as long as a run takes. */
export interface OwnService {
  readonly baseUrl: URL;
  /** The token of the organization called so; of the first where none is named. */
  tokenOf(profile: string | undefined): string;
  close(): Promise<void>;
}

/** Starts the service for --sandbox. Throws UsageError for flags that say whom to ask instead. */
export async function startOwnService(context: Context, flags: GlobalFlags): Promise<OwnService> {
  const other = (['baseUrl', 'tokenFile'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    const flag = { baseUrl: '--base-url', tokenFile: '--token-file' }[other];
    throw new UsageError(
      `--sandbox and ${flag} do not go together: the sandbox brings its own address and token`,
    );
  }
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ now: () => context.clock.now() });
  return {
    baseUrl: parseBaseUrl(sandbox.baseUrl),
    tokenOf: (profile) => sandbox.tokens[profile === undefined ? 0 : placeInSandbox(profile)],
    close: () => sandbox.close(),
  };
}

/** Which of the two organizations is called so. Throws UsageError where neither is. */
export function placeInSandbox(profile: string): 0 | 1 {
  const place = SANDBOX_PROFILES.findIndex((name) => name === profile);
  if (place === 0 || place === 1) return place;
  throw new UsageError(`--sandbox has no profile ${JSON.stringify(profile)}`, {
    hint: `its organizations are ${SANDBOX_PROFILES.join(' and ')}`,
  });
}
