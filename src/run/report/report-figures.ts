import { errorOf } from '../../errors.ts';
import {
  FundTally,
  organizationFigures,
  type Doubt,
  type ListingFigures,
  type ReportFigures,
} from '../../report/figures.ts';
import { InvoiceFigures, type ReportDates } from '../../report/invoice-figures.ts';
import { fieldsOf } from '../open-questions.ts';
import { checkPart, ownerOf, recordsOf, tryPart } from '../part.ts';
import { hasRecords, type PartState } from '../part-state.ts';
import type { Run } from '../run.ts';
import { RESOURCES, type Listing, type ReportPart } from './report-sources.ts';

/** What became of a listing. */
export interface ListingRead {
  readonly listing: Listing;
  readonly result: PartState;
  /** As its records are asked for. */
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  /** What its records come to, be it not all of them; undefined where there are none. */
  readonly tally: InvoiceFigures | FundTally | undefined;
}

interface PartReading {
  readonly profile: string | undefined;
  readonly signal: AbortSignal;
  readonly dates: ReportDates;
  /** Columns of fields that are not where they usually are. */
  readonly field: readonly (readonly [field: string, column: string])[];
}

/** Reads one listing into figures. */
export async function readListing(
  run: Run,
  { listing, source }: ReportPart,
  { profile, signal, dates, field }: PartReading,
): Promise<ListingRead> {
  let read: Omit<ListingRead, 'listing' | 'result'> = { profile, organization: undefined, tally: undefined };
  const result = await tryPart(run, { name: listing, source, profile, signal }, async (open) => {
    const settings = { profile: open.profile, sandbox: open.flags.sandbox === true };
    const fields = await fieldsOf(open.context, { resource: RESOURCES[listing], settings, field });
    const tally =
      listing === 'funds' ? new FundTally(fields) : new InvoiceFigures({ fields, listing, dates });
    read = { profile: ownerOf(open, profile), organization: open.session?.organization, tally };
    for await (const batch of recordsOf(open)) tally.add(batch);
    checkPart(open);
    const { failure } = tally.finish();
    if (failure !== undefined) throw errorOf(failure);
  });
  return { ...read, listing, result, tally: hasRecords(result) ? read.tally : undefined };
}

/** The report of one organization, of the listings that were read. */
export function figuresOf(read: readonly ListingRead[], dates: ReportDates): ReportFigures {
  const known = read.find(({ organization }) => organization !== undefined) ?? read[0];
  const organization = organizationFigures({
    profile: known?.profile,
    organization: known?.organization,
    issued: figuresIn(read, 'issued', (tally) => (tally instanceof InvoiceFigures ? tally : undefined)),
    received: figuresIn(read, 'received', (tally) => (tally instanceof InvoiceFigures ? tally : undefined)),
    funds: figuresIn(read, 'funds', (tally) => (tally instanceof FundTally ? tally : undefined)),
  });
  const doubts = read.flatMap(({ listing, result: { failure } }): Doubt[] => {
    if (failure === undefined) return [];
    const { kind, message, details } = failure;
    return [{ level: 'failure', kind, text: `${listing}: ${message}`, details, listing }];
  });
  return { dates, complete: doubts.length === 0, doubts, organization };
}

/** The figures of a listing; without records, why there are none. */
function figuresIn<Figures>(
  read: readonly ListingRead[],
  listing: Listing,
  ofKind: (tally: ListingRead['tally']) => { finish: () => Figures } | undefined,
): ListingFigures<Figures> {
  const found = read.find((one) => one.listing === listing);
  const tally = ofKind(found?.tally);
  if (tally !== undefined) return { figures: tally.finish() };
  const failure = found?.result.failure;
  if (failure !== undefined) return { failure: { reason: `${failure.message}.`, hint: failure.hint } };
  const reason = `No ${RESOURCES[listing].records} were given.`;
  return { failure: { reason, hint: undefined, isNotGiven: true } };
}
