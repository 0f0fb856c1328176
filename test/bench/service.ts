import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The service that is measured against, in a process of its own. */
export interface Service {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** The environment in which folio asks it. */
  readonly env: Readonly<Record<string, string>>;
  /** Calls since the last time that this was asked. */
  calls(): Promise<number>;
  stop(): void;
}

/** Resolves when all pages are ready. */
export async function startService(
  listing: 'issued' | 'received',
  records: number,
  pageSize: number,
): Promise<Service> {
  const script = new URL('page-server.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, listing, String(records), String(pageSize)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const origin = `http://127.0.0.1:${String(port).trim()}`;
  const baseUrl = `${origin}/v1`;
  return {
    baseUrl,
    env: { FOLIO_BASE_URL: baseUrl, FOLIO_TOKEN: 'token-of-nobody', FOLIO_CONFIG_DIR: '/proc/nonexistent' },
    calls: async () => Number(await (await fetch(`${origin}/calls`)).text()),
    stop: () => void child.kill(),
  };
}
