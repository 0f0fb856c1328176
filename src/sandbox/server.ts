import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeOrganizations } from './data/organization.ts';
import { machineDay } from './data/values.ts';
import { issueToken, openGateway, type Answer } from './gateway.ts';
import { openLinks } from './links.ts';
import { counts, type Counts } from './listings.ts';
import { DEFAULTS, type Settings } from './options.ts';
import { errorReply, gatewayReply, sendReply, type Reply } from './reply.ts';

/** The counts of records in the first organization, and the behaviour of the service; each has a default. */
export type SandboxOptions = Partial<Settings & Counts>;

/** An embedded service that is running. */
export interface Sandbox {
  /** `http://127.0.0.1:PORT/v1`, or https. */
  readonly baseUrl: string;
  /** Of the first and the second organization. */
  readonly tokens: readonly [string, string];
  /** Ends running requests and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves the whole of the specification from made-up data. Rejects with the system's error (`code` EADDRINUSE,
 * EACCES and the like) when it cannot listen.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = { ...DEFAULTS, ...options };
  const server = await openListener(settings);
  const { port } = server.address() as AddressInfo;
  const origin = `${settings.certificate === undefined ? 'http' : 'https'}://${HOST}:${port}`;
  // Tokens and links are signed with it: unknown to others, unless a seed is to give the same ones.
  const key = options.seed === undefined ? randomBytes(32) : Buffer.from(`folio sandbox ${options.seed}`);
  const { now } = settings;
  const today = settings.today ?? machineDay(now());
  const sizes = Object.entries(counts).map(
    ([name, { usual }]) => [name, options[name as keyof Counts] ?? usual] as const,
  );
  const organizations = makeOrganizations(Object.fromEntries(sizes), { ...settings, today });
  const first = issueToken(key, organizations[0].id, now());
  const second = issueToken(key, organizations[1].id, now());
  const links = openLinks(key, origin, now);
  const answer = openGateway(settings, organizations, { tokens: [first, second], links });
  const log = (line: string): void =>
    settings.log(line.replaceAll(first.text, '[token]').replaceAll(second.text, '[token]'));
  server.on('request', (request, response) => {
    const answered = isLoopback(request.headers.host) ? answer : misdirect;
    void handleRequest(request, response, answered).then(log);
  });
  return {
    baseUrl: `${origin}/v1`,
    tokens: [first.text, second.text],
    close: () => closeListener(server),
  };
}

const HOST = '127.0.0.1';

/** Milliseconds; longer than clients keep an idle connection, so that none is closed while a request is on its way. */
const KEEP_ALIVE = 120_000;

/** A server that listens; requests are its `request` events. Rejects with the system's error when it cannot. */
async function openListener({ port, certificate }: Settings): Promise<Server> {
  const server =
    certificate === undefined ? createServer() : (await import('node:https')).createServer(certificate);
  server.keepAliveTimeout = KEEP_ALIVE;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
}

/** Stops listening and breaks every connection, which ends every call that waits. */
async function closeListener(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}

/**
 * Answers one request. Returns its line of the log. Never rejects: an internal error is a 500, and a request
 * that the client aborts ends.
 */
async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<string> {
  const started = performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let outcome: string;
  try {
    const reply = await answer(request, gone.signal);
    outcome = describeReply(reply);
    sendReply(response, reply);
  } catch (error) {
    outcome = gone.signal.aborted ? 'client gone' : `500 ${String(error)}`;
    if (!gone.signal.aborted) sendReply(response, errorReply('message', 500, 'Internal error'));
  }
  const milliseconds = Math.round(performance.now() - started);
  return `${request.method} ${describeTarget(request.url ?? '')} ${outcome} ${milliseconds} ms`;
}

const misdirect: Answer = async () => gatewayReply(421, 'Misdirected Request');

/**
 * Whether a request names this machine. A web page can make the name of its own server lead here (DNS rebinding), and could then
 * read the answers; but its requests still have that name.
 */
function isLoopback(named: string | undefined): boolean {
  const { hostname = '' } = URL.canParse(`http://${named}`) ? new URL(`http://${named}`) : {};
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function describeReply({ status, breaks }: Reply): string {
  if (breaks === 'at once') return 'connection reset';
  return breaks === 'halfway' ? `${status} cut short` : String(status);
}

/** A signed link is a secret as long as it lasts: its query stays out of the log. */
function describeTarget(url: string): string {
  return url.startsWith('/v1/') ? url : url.replace(/\?.*/, '?…');
}
