import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { fakeContext, type FakeContext } from '../../support/fake-context.ts';
import type { FaultScript } from '../../support/fault-script.ts';
import type { ModelService } from '../../support/model-service.ts';
import { modelTransport, type ModelTransportOptions } from '../../support/model-transport.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Ran {
  readonly code: number;
  readonly stderr: string;
  /** Path and query of each request, below the origin. */
  readonly asked: readonly string[];
}

interface RunOptions extends Pick<ModelTransportOptions, 'until'> {
  /** Stops the run with SIGINT when it asks for the page with this number, from 0. */
  readonly stopAt?: number;
  readonly script?: FaultScript;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now?: number;
}

export const TOKEN = 'a-token-that-must-not-be-in-a-journal';

/** A folder in which runs write, stop and go on, against the listings of a model. */
export class ResumeSite {
  readonly folder = temporaryFolder();
  readonly service: ModelService;

  constructor(service: ModelService) {
    this.service = service;
  }

  /** Runs a command line in which FOLDER stands for the folder. */
  async run(line: string, options: RunOptions = {}): Promise<Ran> {
    const { stopAt, script = () => undefined, until, env, now } = options;
    const stopping: FaultScript = (request, page) => {
      if (request.number === stopAt) context.stop();
      return script(request, page);
    };
    const transport = modelTransport({
      service: this.service,
      script: stopping,
      clock: () => context.clock,
      ...(until && { until }),
    });
    const context: FakeContext = fakeContext({
      argv: line.split(' ').map((word) => word.replace('FOLDER', this.folder)),
      env: { FOLIO_TOKEN: TOKEN, FOLIO_BASE_URL: 'https://api.example.com', ...env },
      openTransport: transport.open,
      ...(now !== undefined && { clock: { now } }),
    });
    const code = await runCommandLine(context);
    const asked = transport.requests.map(({ url }) => `${url.pathname}${url.search}`);
    return { code, stderr: context.stderr.text, asked };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** The names in the folder, in order. */
  get names(): string[] {
    return readdirSync(this.folder).sort();
  }
}
