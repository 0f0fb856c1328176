import { setTimeout as sleep } from 'node:timers/promises';
import type { Certificate } from './certificate.ts';
import { Gateway } from './gateway.ts';
import { handleRequest } from './handle-request.ts';
import { closeListener, openListener, originOf } from './listener.ts';
import { defaultCounts, type SandboxOptions, type Settings } from './options.ts';
import { makeOrganizations } from './data/organization.ts';
import { LinkSigner } from './endpoints/signed-link.ts';
import { issueToken } from './token.ts';

/** An embedded service that is running. */
export interface Sandbox {
  /** `http://127.0.0.1:PORT/v1`, or https. */
  readonly baseUrl: string;
  /** Of the first and the second organization. */
  readonly tokens: readonly [string, string];
  /** With TLS: the file for `NODE_EXTRA_CA_CERTS`. */
  readonly certificateFile?: string;
  /** Breaks off what is under way, frees the port and removes the certificate. */
  close(): Promise<void>;
}

const defaults: Settings = {
  ...defaultCounts,
  seed: 1,
  latency: [0, 0],
  realistic: false,
  failRate: 0,
  tls: false,
  missingCustomer: 500,
  documentsAs: 'envelope',
  host: '127.0.0.1',
  port: 0,
  now: () => Date.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
  log: () => {},
};

/**
 * Serves the whole of the specification from made-up data. Rejects with the system's error (`code` EADDRINUSE,
 * EACCES and the like) when it cannot listen.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = { ...defaults, ...options };
  const certificate = settings.tls ? await secure(settings.now()) : undefined;
  const server = await openListener(settings, certificate).catch(async (error: unknown) => {
    await certificate?.remove();
    throw error;
  });
  const { gateway, tokens } = makeService(settings, originOf(server, settings.host, settings.tls));
  const log = (line: string): void =>
    settings.log(tokens.reduce((text, token) => text.replaceAll(token, '[token]'), line));
  server.on('request', (request, response) => {
    void handleRequest({ request, response, gateway, log });
  });
  return {
    baseUrl: `${originOf(server, settings.host, settings.tls)}/v1`,
    tokens,
    ...(certificate && { certificateFile: certificate.file }),
    async close() {
      await closeListener(server);
      await certificate?.remove();
    },
  };
}

async function secure(now: number): Promise<Certificate> {
  // Loaded only here: the library behind it is larger than the rest of the sandbox.
  const { makeCertificate } = await import('./certificate.ts');
  return makeCertificate(now);
}

function makeService(
  settings: Settings,
  origin: string,
): { gateway: Gateway; tokens: readonly [string, string] } {
  const { seed, now } = settings;
  const organizations = makeOrganizations(settings, seed);
  const tokens = [
    issueToken(seed, organizations[0].id, now()),
    issueToken(seed, organizations[1].id, now()),
  ] as const;
  const { missingCustomer, documentsAs } = settings;
  const links = new LinkSigner(seed, now);
  const world = { organizations, links, origin, missingCustomer, documentsAs };
  return { gateway: new Gateway(settings, world, tokens), tokens: [tokens[0].text, tokens[1].text] };
}
