import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/server.ts';
import { httpGet, type HttpAnswer } from '../support/http-get.ts';
import { whenTestEnds } from '../support/when-test-ends.ts';

export interface Serving extends Sandbox {
  /** One request below the base address, with the first token unless the headers have another. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<HttpAnswer>;
}

/** Has the service, with awkward data, serve until the test ends. */
export async function serve(options: SandboxOptions): Promise<Serving> {
  const sandbox = await startSandbox({ awkward: true, ...options });
  whenTestEnds(() => sandbox.close());
  const authorization = sandbox.tokens[0];
  const get: Serving['get'] = (path, headers = {}) =>
    httpGet(sandbox.baseUrl + path, { headers: { authorization, ...headers } });
  return { ...sandbox, get };
}
