import type { ServerResponse } from 'node:http';
import type { Fault } from './faults.ts';
import { faultless, type FaultScript } from './fault-script.ts';
import { startHttpService, type HttpService } from './http-service.ts';
import { NO_PAGE, NOT_THERE, respond, type ModelResponse, type ModelService } from './model-service.ts';

/** Milliseconds between two bytes of a response that drips: far fewer bytes than it has come within any time limit. */
const DRIP = 50;

/** Serves the listings of a model, with whatever the script does to each request. */
export function startFaultServer(
  service: ModelService,
  script: FaultScript = faultless,
): Promise<HttpService> {
  return startHttpService((_, response, request) => {
    const page = service.page(request.url);
    const fault = script(request, page ?? NO_PAGE);
    const good = page === undefined ? NOT_THERE : respond(page);
    if (fault === undefined) send(response, good);
    else if (fault.kind === 'answer') send(response, fault.of(page ?? NO_PAGE));
    else disturb(fault.kind, response, good);
  });
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
