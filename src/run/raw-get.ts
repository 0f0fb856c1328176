import type { QueryPair } from '../api/address.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { checkJson } from '../json/scanner.ts';
import { openDestination } from '../output/files/open-destination.ts';
import { resources } from '../resources/index.ts';
import type { Resource } from '../resources/resource.ts';
import { discardNotice } from './output-plan.ts';
import type { GlobalFlags } from '../cli/flags.ts';
import type { ListingFlags } from '../cli/flags.ts';
import { Notices } from './notices.ts';
import { Progress } from './progress.ts';
import { runListing } from './pipeline.ts';
import { openSession } from './session.ts';

export interface RawFlags extends ListingFlags {
  readonly paginate?: boolean;
}

type GetFlags = RawFlags & GlobalFlags;

/** `get`: the body as it was served, or with --paginate the records of the listing that the path names. */
export async function rawGet(context: Context, address: string, flags: GetFlags): Promise<void> {
  const { path, query } = readAddress(address, flags.param ?? []);
  if (flags.paginate) return paginate(context, path, { ...flags, param: query });
  refuseFlagsOfRecords(flags);
  const notices = new Notices(context, flags);
  await Progress.during(context, { flags, what: 'one answer' }, async (progress, site) => {
    const session = await openSession(context, { flags, notices, observe: progress.track(notices).asked });
    try {
      const destination = await openDestination(flags.output, site, discardNotice(notices, flags.output));
      try {
        await destination.write(await session.client.get({ path, query, parse: checkedJson }));
        await destination.commit();
      } catch (error) {
        await destination.discard();
        throw error;
      }
    } finally {
      await session.close();
    }
  });
}

/** A body as it was served has no records to lay out. */
function refuseFlagsOfRecords(flags: GetFlags): void {
  const given = {
    '--format': flags.format,
    '--columns': flags.columns,
    '--list-columns': flags.listColumns,
    '--delimiter': flags.delimiter,
    '--no-header': !flags.header,
    '--excel': flags.excel,
    '--wide': flags.wide,
    '--raw': flags.raw,
  };
  for (const [flag, value] of Object.entries(given)) {
    if (value === undefined || value === false) continue;
    throw new UsageError(`${flag} goes with --paginate: without it, get hands over the body as served`, {
      hint: `Leave ${flag} out, or add --paginate.`,
    });
  }
}

async function paginate(context: Context, path: string, flags: GetFlags): Promise<void> {
  for (const resource of resources) {
    const id = idIn(resource, path);
    if (id === undefined) continue;
    return runListing(context, { resource, id: id === '' ? undefined : id, flags });
  }
  const paths = resources.map((resource) => resource.path).join(', ');
  throw new UsageError(`get --paginate: ${path} is no listing`, { hint: `The listings are ${paths}.` });
}

/** The id in a path that the resource's path matches, '' where it takes none, undefined where it does not match. */
function idIn(resource: Resource, path: string): string | undefined {
  const [before = '', after] = resource.path.split('{id}');
  if (after === undefined) return path === before ? '' : undefined;
  const id = path.startsWith(before) ? path.slice(before.length) : '';
  return id === '' || id.includes('/') ? undefined : decoded(id, path);
}

function decoded(id: string, path: string): string {
  try {
    return decodeURIComponent(id);
  } catch (cause) {
    throw new UsageError(`get ${JSON.stringify(path)}: expected a path below the base address`, {
      hint: 'Percent-encode special characters, such as %20 for a space.',
      cause,
    });
  }
}

function readAddress(address: string, more: readonly QueryPair[]): { path: string; query: QueryPair[] } {
  const [, path = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(address) ?? [];
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    throw new UsageError(`get ${JSON.stringify(address)}: expected a path below the base address`, {
      hint: 'Give a path such as /customers. No other service is asked, so that the token goes nowhere else.',
    });
  }
  const below = `/${path.replace(/^\/+/, '')}`.replace(/^\/v1(?=\/)/, '');
  return { path: below, query: [...new URLSearchParams(search), ...more] };
}

/** The body itself; one that is not JSON is a fault, not data (spec 4). */
function checkedJson(body: Buffer): Buffer {
  checkJson(body);
  return body;
}
