import { errorOf, UsageError, type FolioError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import { sliceRecords, type RecordBatch } from '../../json/records.ts';
import { ownIdColumns, ownNameColumns, PROFILE_COLUMN } from '../../invoices/fields.ts';
import {
  FundTally,
  organizationFigures,
  type Doubt,
  type FundFigures,
  type ListingFigures,
  type ReportFigures,
} from '../../report/figures.ts';
import {
  InvoiceFigures,
  type DirectionFigures,
  type MissingFigure,
  type ReportDates,
} from '../../report/invoice-figures.ts';
import { checkPart, hasRecords, ownerOf, recordsOf, tryPart, type Part, type PartResult } from '../part.ts';
import type { Run } from '../run.ts';
import { fieldsOf } from '../open-questions.ts';
import { RESOURCES, type Listing, type ReportPart } from './report-parts.ts';

/** What takes in the records of a listing. */
type Tally =
  | { readonly of: 'invoices'; readonly figures: InvoiceFigures }
  | { readonly of: 'funds'; readonly figures: FundTally };

/** What became of a part, with the figures of each organization that it has records of. */
export interface PartFigures {
  readonly part: ReportPart;
  readonly result: PartResult;
  readonly found: readonly OrganizationTally[];
}

interface OrganizationTally {
  /** Under which name the organization is told of; undefined where there is one, or where a part tells nothing of whose it is. */
  readonly name: string | undefined;
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  readonly tally: Tally | undefined;
}

interface PartReading {
  readonly part: ReportPart;
  readonly signal: AbortSignal;
  readonly dates: ReportDates;
  /** Columns of fields that are not where they usually are. */
  readonly fields: readonly (readonly [field: string, column: string])[];
}

/** Reads one part, into figures of one organization or, where the records say whose they are, of each. */
export async function readPart(run: Run, reading: PartReading): Promise<PartFigures> {
  const { part, signal } = reading;
  const { organization: name, profile } = part;
  let found: readonly OrganizationTally[] = [{ name, profile, organization: undefined, tally: undefined }];
  const result = await tryPart(run, { ...part, signal }, async (open) => {
    if (part.ofSeveral === undefined) {
      const tally = await openTally(open, open.profile, reading);
      const organization = open.session?.organization;
      found = [{ name, profile: name ?? ownerOf(open, profile), organization, tally }];
      let read = 0;
      for await (const batch of recordsOf(open)) {
        tally.figures.add(batch, read);
        read += batch.count;
      }
    } else {
      found = await readSeveral(open, part.ofSeveral, reading);
    }
    checkPart(open);
    for (const { tally } of found) {
      const failure = tally?.figures.finish().failure;
      if (failure !== undefined) throw errorOf(failure);
    }
  });
  return { part, result, found };
}

/** Reads records that say whose they are: a tally for each organization, or an empty one of none where there are no records. */
async function readSeveral(
  open: Part,
  { only }: NonNullable<ReportPart['ofSeveral']>,
  reading: PartReading,
): Promise<readonly OrganizationTally[]> {
  const tallies = new Map<string, Tally>();
  let records = 0;
  for await (const batch of recordsOf(open)) {
    for (const [name, own] of byProfile(batch)) {
      if (name === undefined) {
        throw new UsageError(
          `record ${records + 1} of the ${open.source.records} does not say of which profile it is`,
          {
            hint: 'Export them again with --all-profiles.',
          },
        );
      }
      records += own.count;
      if (!only.includes(name)) continue;
      const tally = tallies.get(name) ?? (await openTally(open, name, reading));
      tallies.set(name, tally);
      tally.figures.add(own, records - own.count);
    }
  }
  if (records === 0) {
    const tally = await openTally(open, undefined, reading);
    return [{ name: undefined, profile: undefined, organization: undefined, tally }];
  }
  return [...tallies].map(([name, tally]) => ({ name, profile: name, organization: undefined, tally }));
}

/** The records in their order, those of one profile that follow each other together. */
function* byProfile(batch: RecordBatch): Generator<readonly [profile: string | undefined, own: RecordBatch]> {
  const reader = new CellReader([PROFILE_COLUMN]);
  let from = 0;
  let last: string | undefined;
  for (let index = 0; index < batch.count; index++) {
    const profile = reader.read(batch, index)[0]?.text;
    if (profile === last && index > 0) continue;
    if (index > from) yield [last, sliceRecords(batch, from, index)];
    [from, last] = [index, profile];
  }
  if (batch.count > 0) yield [last, sliceRecords(batch, from, batch.count)];
}

async function openTally(
  { context, flags }: Part,
  profile: string | undefined,
  { part: { listing }, dates, fields: field }: PartReading,
): Promise<Tally> {
  const settings = { profile, sandbox: flags.sandbox === true };
  const fields = await fieldsOf(context, { resource: RESOURCES[listing], settings, field });
  if (listing === 'funds') return { of: 'funds', figures: new FundTally(fields) };
  const ownColumns = { fiscalId: ownIdColumns(listing), name: ownNameColumns(listing) };
  return { of: 'invoices', figures: new InvoiceFigures({ fields, ownColumns, dates }) };
}

/** The names of the organizations that were read, each once; none where there is only one. */
export function organizationsIn(read: readonly PartFigures[]): readonly string[] {
  return [...new Set(read.flatMap(({ found }) => found.flatMap(({ name }) => name ?? [])))];
}

/** Everything that was read, as the figures of each organization: of those that are named, or of the only one. */
export function figuresOf(
  read: readonly PartFigures[],
  names: readonly string[],
  dates: ReportDates,
): ReportFigures {
  const organizations = (names.length > 0 ? names : [undefined]).map((name) => {
    const own = read.flatMap(({ part: { listing }, result, found }) =>
      // What failed, or is empty, without telling whose it is, is so for each.
      found
        .filter((one) => one.name === name || one.name === undefined)
        .map((one) => ({ ...one, listing, result })),
    );
    const known = own.find(({ organization }) => organization !== undefined) ?? own[0];
    return organizationFigures({
      profile: name ?? known?.profile,
      organization: known?.organization,
      issued: invoicesOf(own, 'issued'),
      received: invoicesOf(own, 'received'),
      funds: fundsOf(own),
    });
  });
  const doubts = read.flatMap(({ part, result }) => (result.failure ? [doubtOf(part, result.failure)] : []));
  return { dates, complete: doubts.length === 0, doubts, organizations };
}

function doubtOf({ name, listing, organization }: ReportPart, failure: FolioError): Doubt {
  const { kind, message, details } = failure;
  return { level: 'failure', kind, text: `${name}: ${message}`, details, listing, organization };
}

/** One listing of an organization, as it was read. */
type ListingRead = OrganizationTally & { readonly listing: Listing; readonly result: PartResult };

function invoicesOf(own: readonly ListingRead[], listing: Listing): ListingFigures<DirectionFigures> {
  const { tally, failure } = readListing(own, listing);
  return tally?.of === 'invoices' ? { figures: tally.figures.finish() } : { failure };
}

function fundsOf(own: readonly ListingRead[]): ListingFigures<FundFigures> {
  const { tally, failure } = readListing(own, 'funds');
  return tally?.of === 'funds' ? { figures: tally.figures.finish() } : { failure };
}

/** What was read of a listing, be it not all; without it, why there is nothing. */
function readListing(
  own: readonly ListingRead[],
  listing: Listing,
): { tally: Tally | undefined; failure: Omit<MissingFigure, 'figure'> } {
  const read = own.find((one) => one.listing === listing);
  const failure = read?.result.failure;
  const reason =
    failure === undefined ? `No ${RESOURCES[listing].records} were given.` : `${failure.message}.`;
  return {
    tally: read !== undefined && hasRecords(read.result) ? read.tally : undefined,
    failure: { reason, hint: failure?.hint, ...(failure === undefined && { isNotGiven: true }) },
  };
}
