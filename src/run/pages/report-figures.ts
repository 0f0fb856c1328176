import {
  FundTally,
  organizationFigures,
  type Doubt,
  type ListingFigures,
  type ReportFigures,
} from '../../report/figures.ts';
import { InvoiceFigures, type ReportDates } from '../../report/invoice-figures.ts';
import type { QuestionFlags } from '../flags.ts';
import type { Run } from '../run.ts';
import { readPart, type PartRead } from './read-part.ts';
import { RESOURCES, type Listing, type ReportPart } from './report-sources.ts';

/** What became of a listing, and what its records come to, be it not all of them. */
export interface ListingRead extends PartRead<InvoiceFigures | FundTally> {
  readonly listing: Listing;
}

interface Reading {
  readonly profile: string | undefined;
  readonly signal: AbortSignal;
  readonly dates: ReportDates;
  readonly field: QuestionFlags['field'];
}

/** Reads one listing into figures. */
export async function readListing(
  run: Run,
  { listing, source }: ReportPart,
  { profile, signal, dates, field }: Reading,
): Promise<ListingRead> {
  const options = { name: listing, source, profile, signal, field, resource: RESOURCES[listing] };
  const read = await readPart<InvoiceFigures | FundTally>(run, options, (fields) =>
    listing === 'funds' ? new FundTally(fields) : new InvoiceFigures({ fields, listing, dates }),
  );
  return { ...read, listing };
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
