import { TEST_TOKEN } from './run-here.ts';
import { timedOut } from '../../src/api/network-failure.ts';
import type { OpenTransport, TransportRequest } from '../../src/api/transport.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import type { ConfigStore } from '../../src/profiles/profile.ts';
import type { FakeClock } from './fake-clock.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from './fake-context.ts';
import { answeringTransport, type PartialResponse } from './fake-transport.ts';
import type { Fault, FaultScript } from './faults.ts';
import { jsonWebToken } from './json-web-token.ts';
import { memoryStore } from './memory-store.ts';
import { ModelService, NO_PAGE, NOT_THERE, respond, type ModelRecords } from './model-service.ts';
import type { SeenRequest } from './servers.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface ModelTransportOptions {
  readonly service: ModelService;
  readonly script?: FaultScript | undefined;
  /** Turns of the event loop that a request takes, so that several in flight end in another order; by default one. */
  readonly turns?: ((request: SeenRequest) => number) | undefined;
  /** Told of each request before it is answered. */
  readonly onRequest: (request: SeenRequest) => void;
  /** Moved on by as much as a response is said to take, and by the whole time limit where none comes. */
  readonly clock: () => FakeClock;
}

/** The listings of a model without a network and without time: what the fault server sends, as a transport. */
function modelTransport({ service, script, turns, onRequest, clock }: ModelTransportOptions) {
  const requests: SeenRequest[] = [];
  let open = 0;
  const answer = async (seen: SeenRequest, request: TransportRequest): Promise<PartialResponse> => {
    const { url, signal } = request;
    const page = service.page(url);
    onRequest(seen);
    const fault = script?.(seen, page ?? NO_PAGE);
    for (let left = turns?.(seen) ?? 1; left > 0; left--)
      await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    if (fault === undefined) return page === undefined ? NOT_THERE : respond(page);
    if (fault.kind !== 'answer') return fail(fault.kind, clock(), request);
    clock().advance(fault.milliseconds ?? 0);
    return fault.of(page ?? NO_PAGE);
  };
  const openTransport: OpenTransport = async () =>
    answeringTransport(async (request) => {
      const { url, headers } = request;
      const seen = { number: requests.length, url, beside: open++, headers };
      requests.push(seen);
      return answer(seen, request).finally(() => open--);
    });
  return { requests, open: openTransport };
}

function fail(
  kind: Exclude<Fault['kind'], 'answer'>,
  clock: FakeClock,
  { url, timeout }: TransportRequest,
): never {
  if (kind === 'reset') throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  if (kind === 'cut') throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  clock.advance(timeout);
  throw timedOut(url.host, timeout, kind === 'drip');
}

interface RunModel extends Omit<FakeContextOptions, 'argv' | 'openTransport'> {
  readonly service: ModelService;
  readonly script?: FaultScript;
  /** Turns of the event loop that a request takes; by default one. */
  readonly turns?: (request: SeenRequest) => number;
  /** Told of each request before it is answered. */
  readonly onRequest?: (request: SeenRequest, context: FakeContext) => void;
}

/** Runs a command line in this process over a model of the service, with a clock that does not wait. */
export async function runModel(argv: readonly string[], options: RunModel) {
  const { service, script, turns, onRequest } = options;
  const { requests, open } = modelTransport({
    ...{ service, script, turns },
    clock: () => context.clock,
    onRequest: (request) => onRequest?.(request, context),
  });
  const env = { FOLIO_TOKEN: TEST_TOKEN, FOLIO_BASE_URL: 'https://model.example/v1' };
  const context = fakeContext({ ...options, argv, env, openTransport: open });
  const code = await runCommandLine(context);
  const { stdout, stderr, clock } = context;
  return { code, stdout: stdout.text, stderr: stderr.text, requests, sleeps: clock.sleeps };
}

/** One organization: what it has, and how its service behaves. */
export interface Organization {
  readonly records: Partial<ModelRecords>;
  readonly script?: FaultScript;
  /** Turns of the event loop that each request takes; by default one. */
  readonly turns?: number;
  /** The organization that its token names. */
  readonly organization?: string | undefined;
  /** Its profile's own settings. */
  readonly settings?: object;
}

export interface OrganizationsRun extends Omit<FakeContextOptions, 'argv' | 'config' | 'openTransport'> {
  /** By the names of their profiles, in the order of the store. */
  readonly organizations: Readonly<Record<string, Organization>>;
  /** Settings for all profiles. */
  readonly settings?: object;
  /** The folder that FOLDER in the command line stands for; a new one unless given. */
  readonly folder?: string;
  /** Told of each request before it is answered. */
  readonly onRequest?: (request: ProfileRequest, context: FakeContext) => void;
}

/** A request, and whose token it came with. */
interface ProfileRequest {
  readonly profile: string;
  readonly url: URL;
}

/** Runs a command line over several organizations, each with a profile of its own, without a network and without time. */
export async function runOrganizations(line: string, options: OrganizationsRun) {
  const { organizations, folder = temporaryFolder() } = options;
  const asked: ProfileRequest[] = [];
  const transports = Object.entries(organizations).map(([profile, organization]) => {
    const { records, script, turns = 1 } = organization;
    const { open } = modelTransport({
      ...{ service: new ModelService(records), script, turns: () => turns },
      clock: () => context.clock,
      onRequest: ({ url }) => {
        asked.push({ profile, url });
        options.onRequest?.({ profile, url }, context);
      },
    });
    return [tokenOf(profile, organization), open] as const;
  });
  const context = fakeContext({
    ...options,
    argv: line.split(' ').map((word) => word.replace('FOLDER', folder)),
    config: async () => storeOf(options),
    openTransport: async (wish) => {
      const opened = await Promise.all(
        transports.map(async ([token, open]) => [token, await open(wish)] as const),
      );
      const byToken = new Map(opened);
      return {
        open: (request) => byToken.get(request.headers['authorization']!)!.open(request),
        close: async () => {},
      };
    },
  });
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text, asked, context };
}

function tokenOf(profile: string, { organization }: Organization): string {
  return organization === undefined
    ? `token-of-${profile}-0123456789`
    : jsonWebToken({ organizationId: organization, profile });
}

function storeOf({ organizations, settings = {} }: OrganizationsRun): ConfigStore {
  const baseUrl = 'https://api.example.com/v1';
  const profiles = Object.entries(organizations).map(([profile, organization]) => {
    const own = organization.settings ?? {};
    return [profile, { baseUrl, token: tokenOf(profile, organization), settings: own }];
  });
  return memoryStore({ profiles: Object.fromEntries(profiles) as object, settings });
}
