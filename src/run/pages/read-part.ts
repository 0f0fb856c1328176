import { errorOf } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import type { FieldsOf } from '../../invoices/fields.ts';
import type { RecordBatch } from '../../json/records.ts';
import { written } from '../../output/files/destination.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import type { Resource } from '../../resources/resource.ts';
import type { QuestionFlags } from '../flags.ts';
import { fieldsOf, withFieldsWatched } from '../open-questions.ts';
import { checkPart, ownerOf, recordsOf, tryPart, type PartOptions } from '../part.ts';
import { hasRecords, type PartState } from '../part-state.ts';
import type { Run } from '../run.ts';
import { remarkFile } from '../written.ts';

/** What the records of a part come to. */
interface Tally {
  add(batch: RecordBatch): void;
  /** May be called more than once. */
  finish(): { readonly failure?: Finding | undefined };
}

/** What was read of a listing of one organization. */
export interface PartRead<Read> {
  readonly result: PartState;
  /** As its records are asked for. */
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  /** Whether all of the listing was there, be there documents that cannot be read. */
  readonly isWhole: boolean;
  /** Undefined where there are no records. */
  readonly tally: Read | undefined;
}

interface ReadOptions extends PartOptions {
  readonly resource: Resource;
  readonly field: QuestionFlags['field'];
  /** Whether the columns of --field have to be there. */
  readonly watchesFields?: boolean;
}

/** Reads the records of a part into a tally, and finds out what became of it. */
export async function readPart<Read extends Tally>(
  run: Run,
  { resource, field, watchesFields = false, ...options }: ReadOptions,
  open: (fields: FieldsOf) => Read,
): Promise<PartRead<Read>> {
  let tally: Read | undefined;
  let [isWhole, profile] = [false, options.profile];
  let organization: string | undefined;
  const result = await tryPart(run, options, async (part) => {
    profile = ownerOf(part, options.profile);
    organization = part.session?.organization;
    const settings = { profile: part.profile, sandbox: part.flags.sandbox === true };
    tally = open(await fieldsOf(part.context, { resource, settings, field }));
    const watched = { field: watchesFields ? field : [], notices: part.notices };
    for await (const batch of await withFieldsWatched(recordsOf(part), watched)) tally.add(batch);
    checkPart(part);
    isWhole = true;
    const { failure } = tally.finish();
    if (failure !== undefined) throw errorOf(failure);
  });
  return { result, profile, organization, isWhole, tally: hasRecords(result) ? tally : undefined };
}

interface TextOptions {
  /** As given to -o; undefined for standard output. */
  readonly path: string | undefined;
  /** What it is, in the plural: `reports`. */
  readonly what: string;
}

/** Writes a page or another text as a whole. Its file is opened before the text is made. */
export async function deliverText(
  run: Run,
  { path, what }: TextOptions,
  make: () => Promise<string>,
): Promise<void> {
  const opened = await openDestination(path, run.context, { hasReceipt: run.hasReceipt });
  const delivered = await written(opened, async (destination) => destination.write(await make()));
  run.partNamed(undefined).delivered = delivered;
  remarkFile(run, delivered, { count: 1, what, place: path });
}
