import { ServiceError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { withOwnColumn } from '../../json/scan-records.ts';
import { mapInOrder } from '../../paging/map-in-order.ts';
import type { Delivery } from '../../paging/page.ts';
import { WalkStatus } from '../../paging/walk-status.ts';
import { fundDocuments, funds } from '../../resources/funds.ts';
import { listings } from '../../resources/index.ts';
import { oneWordName, type Resource } from '../../resources/resource.ts';
import { lackOf } from '../completeness.ts';
import { tableOf } from '../sources/database-source.ts';
import type { FlagDefaults } from '../settings.ts';
import { ListingSource, type ListingSourceOptions } from '../sources/listing-source.ts';
import type { ServicePart, ServiceSource } from '../part.ts';

/** A listing that a database can hold. */
export interface SyncResource {
  /** As the command line names it: `fund-documents`. */
  readonly name: string;
  /** The name of its table: `fund_documents`. */
  readonly table: string;
  readonly records: string;
  /** Whose columns its records have. */
  readonly resource: Resource;
  /** Whether it is synced when no resource is named. */
  readonly isUsual: boolean;
  readonly source: () => ServiceSource;
}

export const syncResources: readonly SyncResource[] = [
  ...listings.map((resource) => ({
    name: oneWordName(resource, '-'),
    table: tableOf(resource),
    records: resource.records,
    resource,
    isUsual: true,
    source: () => new ListingSource({ resource }),
  })),
  {
    name: oneWordName(fundDocuments, '-'),
    table: tableOf(fundDocuments),
    records: 'documents of all funds',
    resource: fundDocuments,
    isUsual: false,
    source: allFundDocuments,
  },
];

/** Pages of documents that are read ahead. */
const AHEAD = 64;

/** The documents of every fund. Each gets a column `fundId`, since the service does not name its fund. */
function allFundDocuments(): ServiceSource {
  return {
    kind: 'service',
    name: fundDocuments.name,
    records: 'documents of all funds',
    resource: fundDocuments,
    async *read(options): AsyncGenerator<Delivery> {
      const ids = await fundIds(options);
      const { concurrency } = options.session.limits;
      const { signal } = options.context;
      const all = mapInOrder(ids, (id) => documentsOf(options, id), { concurrency, ahead: AHEAD, signal });
      for await (const batches of all) {
        for (const records of batches) {
          options.status.records += records.count;
          options.status.page(records.count, undefined);
          yield { records, next: undefined };
        }
      }
    },
  };
}

/** The ids of all funds, as JSON literals. */
async function fundIds(part: ServicePart): Promise<readonly string[]> {
  const ids: string[] = [];
  // The settings of the documents are not those of their funds.
  for await (const records of wholeListing(part, { resource: funds }, {})) {
    for (let at = 0; at < records.count; at++) {
      const [start, end] = [records.ids[2 * at]!, records.ids[2 * at + 1]!];
      if (start < 0)
        throw new ServiceError('a fund has no id, so that its documents cannot be asked for', {
          hint: 'Name the resources to sync, without fund-documents.',
        });
      ids.push(records.bytes.toString('utf8', start, end));
    }
  }
  return ids;
}

async function documentsOf(part: ServicePart, literal: string): Promise<readonly RecordBatch[]> {
  const id = literal.startsWith('"') ? (JSON.parse(literal) as string) : literal;
  // A key may have the column `fundId`, which the service does not send.
  const { key: _, ...defaults } = part.session.defaults;
  const batches: RecordBatch[] = [];
  for await (const records of wholeListing(part, { resource: fundDocuments, id }, defaults))
    batches.push(withOwnColumn(records, { name: 'fundId', value: literal }));
  return batches;
}

/** The records of a listing that is read as a part of another. Throws IncompleteError where some are missing. */
async function* wholeListing(
  part: ServicePart,
  listing: ListingSourceOptions,
  defaults: FlagDefaults,
): AsyncGenerator<RecordBatch> {
  const status = new WalkStatus();
  const session = { ...part.session, defaults };
  const source = new ListingSource(listing);
  for await (const { records } of source.read({ ...part, session, status }, undefined)) yield records;
  const lack = lackOf(status);
  if (lack !== undefined) throw lack;
}
