import { UsageError } from '../errors.ts';
import type { CounterpartyFlags } from './counterparties.ts';
import { DOCUMENT_FLAGS, type QuestionFlags } from '../query/question-syntax.ts';
import type { OutputFlags } from '../run/output-plan.ts';
import { flagNamed, type RequestFlags } from '../run/parse-values.ts';
import type { ReceiptFlags } from '../run/receipt.ts';
import type { AddressFlags, ProfilesFlags } from '../run/session.ts';
import type { FromFlags } from '../run/sources/export-source.ts';
import type { ExtentFlags, FilterFlags } from '../run/sources/listing-source.ts';

type Flags = QuestionFlags &
  ExtentFlags &
  FilterFlags &
  OutputFlags &
  ReceiptFlags &
  RequestFlags &
  ProfilesFlags &
  FromFlags &
  CounterpartyFlags &
  AddressFlags;

/** A flag as the groups name it, or what --all-profiles and --profile a,b say. */
type Term = keyof Flags | 'paginate' | 'tokenCommand' | 'several profiles';

/** Flags of which none goes with any of some others, or each needs one of them. */
type Conflict = {
  readonly flags: readonly Term[];
  /** Where one of these is given, the row does not hold. */
  readonly unless?: readonly Term[];
  /** The commands of which the row does not hold, or the only one of which it does. */
  readonly except?: readonly string[];
  readonly only?: string;
  /** What to do, instead of leaving one of them out. */
  readonly hint?: string;
} & (
  | { readonly against: readonly Term[]; readonly why?: string; readonly needs?: never }
  | { readonly needs: readonly Term[]; /** What follows the flag in the message. */ readonly says: string }
);

const AS_GROUPS = 'Leave --limit out; with --group-by it is how many groups to show.';
const SEVERAL = 'Name them with --profile a,b, or say --all-profiles.';

/** All flags that do not go together. The first row that a command line breaks is told. */
const CONFLICTS: readonly Conflict[] = [
  { flags: ['all'], against: ['limit', 'page'] },
  {
    flags: ['all'],
    against: ['customerFiscalId', 'issuerFiscalId'],
    only: 'folio statement',
    why: 'it is everyone',
  },
  { flags: ['allProfiles'], against: ['profile'] },
  {
    flags: ['allProfiles'],
    against: ['tokenFile', 'baseUrl'],
    only: 'folio auth status',
    why: 'each profile brings its own token and address',
  },
  {
    flags: ['from'],
    against: [
      ...(['concurrency', 'retries', 'retryDelay', 'timeout', 'sandbox', 'baseUrl', 'tokenFile'] as const),
      ...(['page', 'nextToken', 'pageSize', 'strict', 'param'] as const),
    ],
    why: 'a file is read, and no service asked',
  },
  {
    flags: ['from'],
    against: ['receipt'],
    except: ['folio report', 'folio statement'],
    why: 'a file is read, and no service asked',
  },
  {
    flags: ['sandbox'],
    against: ['baseUrl', 'tokenFile'],
    why: 'the sandbox brings its own address and token',
  },
  {
    flags: ['awkward'],
    needs: ['sandbox'],
    except: ['folio sandbox'],
    says: 'is about the data of --sandbox, which is not given',
  },
  {
    flags: ['changesSince'],
    against: ['sum', 'count', 'groupBy'],
    hint: 'Write the changes to a file, or sum the listing itself.',
  },
  {
    flags: ['changesSince'],
    against: ['page', 'nextToken'],
    why: 'what is not on one page would look as if it were gone',
  },
  { flags: ['expand'], against: ['changesSince'], why: 'changes are told of whole records' },
  {
    flags: ['count'],
    against: ['sum'],
    why: 'the result of --sum has the number of records too',
    hint: 'Leave --count out.',
  },
  {
    flags: ['limit'],
    against: ['sum'],
    unless: ['groupBy'],
    why: 'a sum is of all records for which --where holds',
    hint: AS_GROUPS,
  },
  {
    flags: ['limit'],
    against: ['count'],
    unless: ['groupBy'],
    why: 'a count is of all records for which --where holds',
    hint: AS_GROUPS,
  },
  {
    flags: ['sort'],
    against: ['count'],
    unless: ['groupBy'],
    why: 'a count is one number',
    hint: 'Leave --sort out; with --group-by it is the order of the groups.',
  },
  {
    flags: ['sort'],
    against: ['sortOrder'],
    unless: ['sortBy'],
    why: '--sort-order is for --sort-by',
    hint: 'Put a minus before a column that is to descend, as in --sort -totalAmount.',
  },
  {
    flags: ['field'],
    needs: [...DOCUMENT_FLAGS, 'sum', 'groupBy', 'where', 'sort', 'columns'],
    except: ['folio aging', 'folio reconcile', 'folio report', 'folio statement'],
    says: 'says what a column means, and no question asks for it',
    hint: 'Leave --field out, or ask with --overdue, --since <date>, --until <date> or --sum <column>.',
  },
  { flags: ['asSent'], needs: ['sum'], says: 'goes with --sum: records always leave as they were sent' },
  {
    flags: ['columns', 'format', 'delimiter', 'excel', 'wide', 'raw', 'outputDir'],
    against: ['listColumns'],
    why: 'names of columns come out, one a line',
  },
  {
    flags: ['outputDir'],
    needs: ['all'],
    only: 'folio statement',
    says: 'is for a page for everyone',
  },
  {
    flags: ['outputDir'],
    against: ['output'],
    only: 'folio statement',
    why: 'it has a page for each',
  },
  {
    flags: ['outputDir'],
    needs: ['several profiles', 'profile'],
    except: ['folio statement'],
    says: 'needs several profiles',
    hint: SEVERAL,
  },
  {
    flags: ['outputDir'],
    against: ['output'],
    why: 'it writes a file for each profile',
  },
  {
    flags: ['outputDir'],
    against: ['changesSince'],
    why: 'one export was of all',
    hint: 'Write the changes of all into one file with -o.',
  },
  {
    flags: ['nextToken'],
    against: ['several profiles', 'outputDir'],
    why: 'it is a place in the listing of one organization',
    hint: 'Leave it out, or name one profile.',
  },
  { flags: ['tokenCommand'], against: ['tokenFile'] },
  {
    flags: [
      ...(['format', 'columns', 'listColumns', 'delimiter', 'header'] as const),
      ...(['excel', 'wide', 'raw'] as const),
    ],
    needs: ['paginate'],
    only: 'folio get',
    says: 'goes with --paginate: without it, get hands over the body as served',
  },
];

/** Throws UsageError where both --from and another flag are to read standard input. */
function checkInput(values: Readonly<Record<string, unknown>>): void {
  if (values['from'] !== '-') return;
  if (!Object.values(values).flat().includes('@-')) return;
  throw new UsageError('--from - and @- both read standard input', {
    hint: 'Put one of them into a file.',
  });
}

/** Flags `--no-…`: they are given where the value is false. */
const NEGATIVE: ReadonlySet<Term> = new Set<Term>(['header']);

/**
 * Throws UsageError for flags that do not go together.
 *
 * @param command as it is typed: `folio issued`
 * @param values of its flags, by the names that the groups have for them
 */
export function checkFlags(command: string, values: Readonly<Record<string, unknown>>): void {
  checkInput(values);
  const { allProfiles, profile } = values;
  const isSeveral = allProfiles === true || (typeof profile === 'string' && profile.includes(','));
  const isGiven = (term: Term): boolean => {
    if (term === 'several profiles') return isSeveral;
    return NEGATIVE.has(term) ? values[term] === false : values[term] !== undefined;
  };
  for (const row of CONFLICTS) {
    const { flags, unless = [], except = [], only = command, hint } = row;
    const flag = flags.find(isGiven);
    if (flag === undefined || only !== command || except.includes(command) || unless.some(isGiven)) continue;
    if (row.needs !== undefined) {
      if (row.needs.some(isGiven)) continue;
      const [needed] = row.needs.map(shown);
      throw new UsageError(`${shown(flag)} ${row.says}`, {
        hint: hint ?? `Add ${needed}, or leave ${shown(flag)} out.`,
      });
    }
    const other = row.against.find(isGiven);
    if (other === undefined) continue;
    const why = row.why === undefined ? '' : `: ${row.why}`;
    throw new UsageError(`${shown(flag)} and ${shown(other)} do not go together${why}`, {
      hint: hint ?? 'Leave one of them out.',
    });
  }
}

function shown(term: Term): string {
  if (term === 'several profiles') return term;
  return flagNamed(NEGATIVE.has(term) ? `no-${term}` : term);
}
