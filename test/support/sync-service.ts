import type { FaultScript } from './fault-script.ts';
import { startFaultServer } from './fault-server.ts';
import type { HttpService } from './http-service.ts';
import { ModelService, type ModelRecords } from './model-service.ts';
import { quickly, withServer } from './run-against.ts';
import { startFolio, type FolioExit, type RunFolioOptions, type RunningFolio } from './run-folio.ts';
import { runHere } from './run-here.ts';

export interface SyncExit extends FolioExit {
  readonly text: string;
}

interface RunSyncOptions extends Pick<RunFolioOptions, 'env'> {
  readonly script?: FaultScript;
}

/** Runs `folio sync` of the built program, in this process, against a service that has these records. */
export async function runSync(
  records: Partial<ModelRecords>,
  args: readonly string[],
  { script, env }: RunSyncOptions = {},
): Promise<SyncExit> {
  return withServer(await startFaultServer(new ModelService(records), script), async (server) => {
    const exit = await runHere(quickly(['sync', ...args], server), env === undefined ? {} : { env });
    return { ...exit, text: exit.stdout.toString('utf8') };
  });
}

interface Starting {
  readonly records: Partial<ModelRecords>;
  readonly args: readonly string[];
  readonly script?: FaultScript;
}

/** Starts it; the service goes on until the work is done. */
export async function duringSync<T>(
  { records, args, script }: Starting,
  work: (run: RunningFolio, server: HttpService) => Promise<T>,
): Promise<T> {
  return withServer(await startFaultServer(new ModelService(records), script), (server) =>
    work(startFolio(quickly(['sync', ...args], server)), server),
  );
}
