import type { ServerResponse } from 'node:http';
import type { Fault, FaultScript } from './faults.ts';
import { ModelService, NO_PAGE, NOT_THERE, respond } from './model-service.ts';
import type { ModelRecords, ModelResponse } from './model-service.ts';
import { runFolio, startFolio, type RunFolioOptions, type RunningFolio } from './run-folio.ts';
import { runHere } from './run-here.ts';
import { startHttpService, type HttpService, type SeenRequest } from './servers.ts';

/** Milliseconds between two bytes of a response that drips: far fewer bytes than it has come within any time limit. */
const DRIP = 50;

/** A service, or what it has. */
type Served = ModelService | Partial<ModelRecords>;

/** Serves the listings of a model, with whatever the script does to each request. */
export function startFaultServer(served: Served, script?: FaultScript): Promise<HttpService> {
  const service = served instanceof ModelService ? served : new ModelService(served);
  return startHttpService((_, response, request) => {
    const page = service.page(request.url);
    const fault = script?.(request, page ?? NO_PAGE);
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

/** Closes the server when the work is done: some tests start many of them. */
async function withServer<T>(server: HttpService, work: (server: HttpService) => Promise<T>): Promise<T> {
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

/** Faults are met as they are in life, but for the waiting. */
const QUICK = ['--retry-delay', '1'];

/** The command line with short waits and the server's address, before flags of its own, which go before them. */
export function quickly(args: readonly string[], { baseUrl }: HttpService): string[] {
  const flag = args.findIndex((arg) => arg.startsWith('-'));
  return args.toSpliced(flag < 0 ? args.length : flag, 0, ...QUICK, '--base-url', baseUrl);
}

interface RunAgainst {
  readonly records: Served;
  readonly script?: FaultScript | undefined;
  readonly args: readonly string[];
  readonly options?: RunFolioOptions;
}

/**
 * Runs the program as built against a server that does what the script says: in a process of its own where the options are about
 * more than the environment.
 */
export async function runAgainst({ records, script, args, options }: RunAgainst) {
  const run = Object.keys(options ?? {}).some((name) => name !== 'env') ? runFolio : runHere;
  return withServer(await startFaultServer(records, script), async (server) => {
    const exit = await run(quickly(args, server), options);
    const { host, requests } = server;
    return { ...exit, text: exit.stdout.toString('utf8'), host, requests };
  });
}

interface RunSyncOptions extends Pick<RunFolioOptions, 'env'> {
  readonly script?: FaultScript;
}

/** Runs `folio sync` of the built program, in this process, against a service that has these records. */
export function runSync(
  records: Partial<ModelRecords>,
  args: readonly string[],
  { script, env }: RunSyncOptions = {},
) {
  const options = env === undefined ? {} : { options: { env } };
  return runAgainst({ records, script, args: ['sync', ...args], ...options });
}

/** Starts `folio sync` in a process of its own; the service goes on until the work is done. */
export async function duringSync<T>(
  { records, args, script }: Omit<RunAgainst, 'options'>,
  work: (run: RunningFolio, server: HttpService) => Promise<T>,
): Promise<T> {
  return withServer(await startFaultServer(records, script), (server) =>
    work(startFolio(quickly(['sync', ...args], server)), server),
  );
}

/** Records as a jsonl export has them. */
export const lines = (records: readonly string[]): string => records.map((record) => `${record}\n`).join('');

/** The pages asked for, as `page x size`. */
export function pagesOf(requests: readonly SeenRequest[]): string[] {
  return requests.map(({ url: { searchParams } }) => {
    return `${searchParams.get('options_page')} x ${searchParams.get('options_pageSize')}`;
  });
}
