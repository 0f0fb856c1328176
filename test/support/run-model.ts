import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from './fake-context.ts';
import type { FaultScript, SeenRequest } from './fault-script.ts';
import type { ModelService } from './model-service.ts';
import { modelTransport } from './model-transport.ts';
import { TEST_TOKEN } from './run-folio.ts';

interface RunModel extends Omit<FakeContextOptions, 'argv' | 'openTransport'> {
  readonly service: ModelService;
  readonly script?: FaultScript;
  /** Turns of the event loop that a request takes; by default one. */
  readonly turns?: (request: SeenRequest) => number;
  /** Told of each request before it is answered. */
  readonly onRequest?: (request: SeenRequest, context: FakeContext) => void;
}

interface ModelExit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly SeenRequest[];
  /** Milliseconds of each wait. */
  readonly sleeps: readonly number[];
}

/** Runs a command line in this process over a model of the service, with a clock that does not wait. */
export async function runModel(argv: readonly string[], options: RunModel): Promise<ModelExit> {
  const { service, script, turns, onRequest } = options;
  const transport = modelTransport({
    service,
    clock: () => context.clock,
    turns: (request) => turns?.(request) ?? 1,
    script: (request, page) => {
      onRequest?.(request, context);
      return script?.(request, page);
    },
  });
  const env = { FOLIO_TOKEN: TEST_TOKEN, FOLIO_BASE_URL: 'https://model.example/v1' };
  const context = fakeContext({ ...options, argv, env, openTransport: transport.open });
  const code = await runCommandLine(context);
  const { stdout, stderr, clock } = context;
  return {
    code,
    stdout: stdout.text,
    stderr: stderr.text,
    requests: transport.requests,
    sleeps: clock.sleeps,
  };
}
