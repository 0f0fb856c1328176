import { startFaultServer } from './fault-server.ts';
import type { HttpService } from './http-service.ts';
import type { FaultScript, SeenRequest } from './fault-script.ts';
import { ModelService, type ModelRecords } from './model-service.ts';
import { runFolio, type FolioExit, type RunFolioOptions } from './run-folio.ts';
import { runHere } from './run-here.ts';

/** Faults are met as they are in life, but for the waiting. */
export const QUICK = ['--retry-delay', '1'];

interface RunAgainst {
  readonly records: Partial<ModelRecords> | ModelService;
  readonly script?: FaultScript;
  readonly args: readonly string[];
  readonly options?: RunFolioOptions;
}

interface AgainstExit extends FolioExit {
  readonly text: string;
  readonly host: string;
  readonly requests: readonly SeenRequest[];
}

/**
 * Runs the program as built against a server that does what the script says: in a process of its own where the options are about
 * more than the environment.
 */
export async function runAgainst({ records, script, args, options }: RunAgainst): Promise<AgainstExit> {
  const run = Object.keys(options ?? {}).some((name) => name !== 'env') ? runFolio : runHere;
  const service = records instanceof ModelService ? records : new ModelService(records);
  return withServer(await startFaultServer(service, script), async (server) => {
    const exit = await run(quickly(args, server), options);
    const { host, requests } = server;
    return { ...exit, text: exit.stdout.toString('utf8'), host, requests };
  });
}

/** The command line with short waits and the server's address, before flags of its own, which go before them. */
export function quickly(args: readonly string[], { baseUrl }: HttpService): string[] {
  const flag = args.findIndex((arg) => arg.startsWith('-'));
  return args.toSpliced(flag < 0 ? args.length : flag, 0, ...QUICK, '--base-url', baseUrl);
}

/** Closes the server when the work is done, whatever became of it. */
export async function withServer<T>(
  server: HttpService,
  work: (server: HttpService) => Promise<T>,
): Promise<T> {
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

/** Records as a jsonl export has them. */
export function lines(records: readonly string[]): string {
  return records.map((record) => `${record}\n`).join('');
}

/** The pages asked for, as `page x size`. */
export function pagesAsked(requests: readonly SeenRequest[]): string[] {
  return requests.map(({ url: { searchParams } }) => {
    return `${searchParams.get('options_page')} x ${searchParams.get('options_pageSize')}`;
  });
}
