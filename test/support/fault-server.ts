import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fault } from './faults.ts';
import { faultless, type FaultScript, type SeenRequest } from './fault-script.ts';
import { NO_PAGE, NOT_THERE, respond, type ModelResponse, type ModelService } from './model-service.ts';

/** Milliseconds between two bytes of a response that drips: far fewer bytes than it has come within any time limit. */
const DRIP = 50;

export interface FaultServer {
  /** For --base-url. */
  readonly baseUrl: string;
  /** `127.0.0.1:port`, as messages name it. */
  readonly host: string;
  /** All requests so far, refused ones too. */
  readonly requests: readonly SeenRequest[];
  /** Resolves when there have been so many requests. */
  asked(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Serves the listings of a model over HTTP on loopback, with whatever the script does to each request. */
export async function startFaultServer(
  service: ModelService,
  script: FaultScript = faultless,
): Promise<FaultServer> {
  const requests: SeenRequest[] = [];
  const arrivals = new EventEmitter();
  let open = 0;
  const server = createServer((request, response) => {
    response.on('close', () => open--);
    const url = new URL(request.url ?? '/', 'http://model');
    const seen = { number: requests.length, url, beside: open++, headers: request.headers };
    requests.push(seen);
    arrivals.emit('request');
    const page = service.page(url);
    const fault = script(seen, page ?? NO_PAGE);
    const good = page === undefined ? NOT_THERE : respond(page);
    if (fault === undefined) send(response, good);
    else if (fault.kind === 'answer') send(response, fault.of(page ?? NO_PAGE));
    else disturb(fault.kind, response, good);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    baseUrl: `http://${host}/v1`,
    requests,
    async asked(count) {
      while (requests.length < count) await once(arrivals, 'request');
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function send(response: ServerResponse, { status, headers, body }: ModelResponse): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

function disturb(
  kind: Exclude<Fault['kind'], 'answer'>,
  response: ServerResponse,
  good: ModelResponse,
): void {
  const { body, headers } = good;
  if (kind === 'reset') response.socket?.resetAndDestroy();
  if (kind === 'reset' || kind === 'silence') return;
  response.writeHead(good.status, { ...headers, 'content-length': body.length });
  if (kind === 'cut') {
    response.write(body.subarray(0, body.length >> 1), () => response.socket?.resetAndDestroy());
    return;
  }
  let at = 0;
  const timer = setInterval(() => response.write(body.subarray(at, ++at)), DRIP);
  response.on('close', () => clearInterval(timer));
}
