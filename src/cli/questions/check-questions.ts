import { UsageError } from '../../errors.ts';
import type { GlobalFlags } from '../global-flags.ts';
import type { ListingFlags } from '../listing-flags.ts';
import type { QuestionFlags } from './question-flags.ts';

type Flags = QuestionFlags & ListingFlags & Pick<GlobalFlags, 'profile'>;

/** Flags that do not go together: when both of a pair are given, why they do not and what to do. */
const CLASHES: readonly (readonly [one: Test, other: Test, message: string, hint: string])[] = [
  [
    ({ changesSince }) => changesSince !== undefined,
    (flags) => isTotal(flags),
    '--changes-since does not go together with --sum and --group-by',
    'write the changes to a file, or sum the listing itself',
  ],
  [
    ({ changesSince }) => changesSince !== undefined,
    ({ page, nextToken }) => (page ?? nextToken) !== undefined,
    '--changes-since needs the whole listing: what is not on one page would look as if it were gone',
    'leave out --page or --next-token',
  ],
  [
    ({ key }) => key !== undefined,
    ({ changesSince }) => changesSince === undefined,
    '--key goes with --changes-since',
    'name the file to compare with: --changes-since yesterday.jsonl',
  ],
  [
    ({ limit }) => limit !== undefined,
    ({ sum, groupBy }) => sum !== undefined && groupBy === undefined,
    '--limit and --sum do not go together: a sum is of all records for which --where holds',
    'leave --limit out; with --group-by it is how many groups to show',
  ],
  [
    ({ sort }) => sort !== undefined,
    ({ sortOrder, sortBy }) => sortOrder !== undefined && sortBy === undefined,
    '--sort-order is for --sort-by, not for --sort',
    'put a minus before a column that is to descend: --sort -totalAmount',
  ],
  [
    ({ sheetPerProfile }) => sheetPerProfile === true,
    ({ allProfiles, profile }) => !allProfiles && profile?.includes(',') !== true,
    '--sheet-per-profile: of which profiles?',
    'name them with --profile a,b, or say --all-profiles',
  ],
];

type Test = (flags: Flags) => boolean;

/** Throws UsageError for questions that make no sense together, or not with the extent of the listing. */
export function checkQuestions(flags: Flags): void {
  const clash = CLASHES.find(([one, other]) => one(flags) && other(flags));
  if (clash !== undefined) throw new UsageError(clash[2], { hint: clash[3] });
}

/** Whether totals are asked for instead of records. */
export function isTotal({ sum, groupBy }: QuestionFlags): boolean {
  return (sum ?? groupBy) !== undefined;
}
