import { runCommandLine } from '../../src/cli/command-line.ts';
import type { ConfigStore } from '../../src/profiles/profile.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from './fake-context.ts';
import type { FaultScript, SeenRequest } from './fault-script.ts';
import { jsonWebToken } from './json-web-token.ts';
import { memoryStore } from './memory-store.ts';
import { ModelService, type ModelRecords } from './model-service.ts';
import { modelTransport } from './model-transport.ts';
import { temporaryFolder } from './temporary-folder.ts';

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
  readonly onRequest?: (asked: Asked, context: FakeContext) => void;
}

/** A request, and whose token it came with. */
interface Asked {
  readonly profile: string;
  readonly url: URL;
}

interface OrganizationsExit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly asked: readonly Asked[];
  readonly context: FakeContext;
}

/** Runs a command line over several organizations, each with a profile of its own, without a network and without time. */
export async function runOrganizations(line: string, options: OrganizationsRun): Promise<OrganizationsExit> {
  const { organizations, folder = temporaryFolder(), onRequest } = options;
  const asked: Asked[] = [];
  const hear = (profile: string, { url }: SeenRequest): void => {
    asked.push({ profile, url });
    onRequest?.({ profile, url }, context);
  };
  const transports = new Map(
    Object.entries(organizations).map(([profile, { records, script, organization, turns = 1 }]) => {
      const transport = modelTransport({
        service: new ModelService(records),
        clock: () => context.clock,
        turns: () => turns,
        script: (request, page) => {
          hear(profile, request);
          return script?.(request, page);
        },
      });
      return [tokenOf(profile, { organization }), transport] as const;
    }),
  );
  const context = fakeContext({
    ...options,
    argv: line.split(' ').map((word) => word.replace('FOLDER', folder)),
    config: async () => storeOf(options),
    openTransport: async (wish) => {
      const opened = new Map<string, Awaited<ReturnType<FakeContext['openTransport']>>>();
      for (const [token, { open }] of transports) opened.set(token, await open(wish));
      return {
        open: (request) => opened.get(request.headers['authorization']!)!.open(request),
        close: async () => {},
      };
    },
  });
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text, asked, context };
}

function tokenOf(profile: string, { organization }: Pick<Organization, 'organization'>): string {
  return organization === undefined
    ? `token-of-${profile}-0123456789`
    : jsonWebToken({ organizationId: organization, profile });
}

function storeOf({ organizations, settings = {} }: OrganizationsRun): ConfigStore {
  const baseUrl = 'https://api.example.com/v1';
  const profiles = Object.entries(organizations).map(([profile, organization]) => [
    profile,
    {
      baseUrl,
      token: tokenOf(profile, organization),
      settings: organization.settings ?? {},
    },
  ]);
  return memoryStore({ profiles: Object.fromEntries(profiles) as object, settings });
}
