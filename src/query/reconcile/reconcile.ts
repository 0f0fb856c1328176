import { UsageError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { DOCUMENT_ROLES, DocumentReader } from '../../invoices/document-reader.ts';
import type { Family } from '../../invoices/document-types.ts';
import { OWN_ID_AND_NAME, type FieldsOf, type Role } from '../../invoices/fields.ts';
import { foldFiscalId, isFiscalId } from '../../invoices/fiscal-ids.ts';
import { Unreadable } from '../../invoices/left-out.ts';
import { dayIn, readAmount } from '../../invoices/open-items.ts';
import { runCooperatively, type CooperativeTask } from '../../json/cooperative-task.ts';
import { compareDecimals, type Decimal } from '../../json/decimal.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { Question } from '../questions.ts';
import { batchesOfRows, chosenColumns, groupsBy } from '../result-rows.ts';
import { PESOS, type ListField } from './list-layout.ts';
import type { ListsRead, OpenLists } from './lists.ts';
import {
  entryOf,
  matchEntries,
  ROW_OUTCOMES,
  type Difference,
  type Entry,
  type Outcome,
  type Outcomes,
} from './matching.ts';
import { COLUMNS, countsOf, openPointsOf, rowsOf, shownFor, typeOfColumn } from './reconcile-rows.ts';

interface ReconcileOptions extends OpenLists, ListsRead {
  readonly tolerance: Decimal;
  /** The flag that narrows the service to one party; undefined if it is set. */
  readonly narrowing: string | undefined;
  readonly fields: FieldsOf;
  /** Whether documents that are the same on both sides have a row, too. */
  readonly all: boolean;
  /** Groups digits in messages. */
  readonly locale: string;
  readonly signal: AbortSignal;
}

/** The consequence of missing records of the service. */
export const WHERE_INCOMPLETE =
  'only what was read is compared, and what is said to be only in the list may be wrong';

/** The question of `folio reconcile`: a row for each document that is not the same on both sides. */
export function reconcileQuestion(options: ReconcileOptions): Question {
  const { all, lists, locale, signal } = options;
  const service = serviceReader(options);
  let entries: Outcomes = new Map();
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) service.add(batch);
      service.refuseWithout();
      entries = await runCooperatively(outcomesOf(service.served, options), signal);
      yield* batchesOfRows(rowsOf(entries, all));
    },
    result: {
      columns: (chosen = COLUMNS) => chosenColumns(COLUMNS, chosen, '--columns'),
      get shown() {
        return shownFor(entries, lists.length > 1);
      },
      typeOf: typeOfColumn,
    },
    findings: () => {
      const unreadable = service.unreadable.finding('reconcile');
      const last =
        unreadable.level === 'failure'
          ? { ...unreadable, text: `${unreadable.text}; ${WHERE_INCOMPLETE}` }
          : (difference(entries, options) ?? unreadable);
      const level = last.level === 'failure' ? 'answer' : 'remark';
      const matches = ROW_OUTCOMES.map((outcome) => [outcome, entries.get(outcome)?.length ?? 0] as const);
      const reconciled = { ...options, records: service.served.length, entries };
      return [
        { level: 'fact', text: '', facts: { matches: Object.fromEntries(matches) } },
        ...countsOf(reconciled, locale).map((text): Finding => ({ level, text })),
        ...[...openPointsOf(reconciled), ...service.notCompared()].map((text): Finding => ({
          level: 'answer',
          text,
        })),
        last,
      ];
    },
  };
}

/** The failure that describes the differences; undefined if both sides are the same. */
function difference(entries: Outcomes, { listed, narrowing }: ReconcileOptions): Finding | undefined {
  const kinds = ROW_OUTCOMES.filter((outcome) => outcome !== 'same' && entries.has(outcome));
  if (kinds.length === 0) return undefined;
  const isDifferent = kinds.some((outcome) => outcome !== 'not compared');
  const what = isDifferent ? 'the list and the service differ' : 'not all could be compared';
  const counts = kinds.map((kind) => `${entries.get(kind)!.length.toLocaleString('en-US')} ${kind}`);
  const hints: string[] = [];
  if (entries.has('only in the service')) {
    hints.push(
      'What is only in the service may stand in the list of a neighbouring month: give that list, too.',
    );
    const isOfOne = new Set(listed.map(({ party }) => party)).size === 1;
    if (isOfOne && narrowing !== undefined)
      hints.push(`Where the list is about one party alone, say so with ${narrowing} <id>.`);
  }
  if (entries.has('not compared'))
    hints.push('Where the service means pesos by another word, say so with --field currency==CLP.');
  const text = `${what}: ${counts.join(', ')}`;
  return { level: 'failure', kind: 'differs', text, hint: hints.join(' ') || undefined };
}

/** Kinds of documents that lists may lack, or have only sums of. */
const APART: readonly Family[] = ['receipt', 'fee note', 'guide', 'quote', 'order'];

/** How many days outside the period a mistaken document may be. */
const REACH = 31;

/** The documents of both sides by their outcome. */
function* outcomesOf(served: readonly Entry[], options: ReconcileOptions): CooperativeTask<Outcomes> {
  const { against, lists, listed, months, tolerance, fields } = options;
  const families = new Set(listed.map(({ family }) => family));
  const sharedIds = new Set(fields.usual.sharedIds.map(foldFiscalId));
  const isIn = (day: number | undefined, reach = 0): boolean =>
    day !== undefined && months.some(({ first, last }) => day >= first - reach && day <= last + reach);
  const isApart = ({ family }: Entry): boolean => APART.includes(family) && !families.has(family);
  const outcomeInService = (entry: Entry): Outcome => {
    const { outcome, repeats, validity, day } = entry;
    // A document that came twice years ago does not belong to this month.
    if (repeats !== undefined)
      return ROW_OUTCOMES.some((one) => one === repeats.outcome) || isIn(day)
        ? 'twice in the service'
        : 'elsewhere';
    if (outcome !== 'unmatched') return outcome;
    if (validity === 'void') return 'void';
    if (isApart(entry)) return isIn(day) ? 'apart' : 'elsewhere';
    if (isIn(day)) return 'only in the service';
    return day === undefined && months.length > 0 ? 'undated' : 'elsewhere';
  };

  const both = [...listed, ...served];
  yield* matchEntries(both, {
    against,
    hasIds: lists.every(({ layout }) => layout.fields.has('counterpartyFiscalId')),
    hasTypes: lists.every(({ layout }) => layout.fields.has('documentType')),
    tolerance,
    isShared: ({ party }) => party !== undefined && sharedIds.has(party),
    mayBeNear: (entry) => {
      if (entry.side === 'service' && (isApart(entry) || entry.validity === 'void')) return false;
      // A list without dates is of any time.
      if (entry.day === undefined) return entry.side === 'list' && months.length > 0;
      return isIn(entry.day, REACH);
    },
  });
  for (const entry of both) {
    if (entry.side === 'service') entry.outcome = outcomeInService(entry);
    else if (entry.outcome === 'unmatched') entry.outcome = 'only in the list';
  }
  // A document of both sides counts once, as the entry of the list.
  const once = both.filter(({ side, mate }) => side === 'list' || mate === undefined);
  return groupsBy(once, ({ outcome }) => outcome);
}

const ROLES = [...DOCUMENT_ROLES, 'total', 'net', 'tax'] as const;
/** What is compared where both sides have it: the role in the service, and what the list has of it. */
const COMPARED = [
  ['net', 'net', ({ net, exempt }) => net ?? exempt],
  ['tax', 'tax', ({ tax }) => tax],
  ['type', 'documentType', ({ type }) => type],
  ['counterparty', 'counterpartyFiscalId', ({ party }) => party],
] as const satisfies readonly (readonly [Difference, Role, (entry: Entry) => unknown])[];
/** The column with the pesos that one unit of the record's currency is worth. */
const EXCHANGE_RATE = 'exchangeRate';
const ONE: Decimal = { coefficient: 1n, scale: 0 };

/** Takes the records of the service as documents. */
function serviceReader({ against, lists, listed, owner, months, fields }: ReconcileOptions) {
  const served: Entry[] = [];
  const unreadable = new Unreadable();
  const ownIds = OWN_ID_AND_NAME[against].fiscalId;
  const documents = new DocumentReader({ fields }, { roles: ROLES, names: [...ownIds, EXCHANGE_RATE] });
  const listsHave = (...names: ListField[]): boolean =>
    lists.some(({ layout }) => names.some((field) => layout.fields.has(field)));
  /** Which facts the comparison needs: only these have to be readable. */
  const isCompared = {
    total: true,
    net: listsHave('net', 'exempt'),
    tax: listsHave('tax'),
    date: months.length > 0,
  };

  const checkOwner = (): void => {
    if (owner === undefined) return;
    const own = ownIds.map((_, at) => documents.named(at)?.text).find(isFiscalId);
    if (own === undefined || foldFiscalId(own) === foldFiscalId(owner.value)) return;
    throw new UsageError(`${owner.path} is of ${owner.value}, and the ${against} invoices are of ${own}`, {
      hint: 'Name the list of that organization, or choose the other with --profile.',
    });
  };

  const noteUnreadable = (role: Role): void => {
    if (documents.validity !== 'void') unreadable.noteRole(documents, role);
  };
  const amountOf = (role: 'total' | 'net' | 'tax'): Decimal | undefined => {
    const amount = isCompared[role] ? readAmount(documents.cell(role)) : 'absent';
    if (amount === 'unreadable') noteUnreadable(role);
    return typeof amount === 'string' ? undefined : amount;
  };
  /** The exchange rate. Services write 1 for a missing rate; pesos need none. */
  const rateOf = (): Decimal | undefined => {
    if (documents.currency === PESOS) return undefined;
    const rate = readAmount(documents.named(ownIds.length));
    return typeof rate === 'string' || compareDecimals(rate, ONE) === 0 ? undefined : rate;
  };

  const addRecord = (): void => {
    checkOwner();
    const fiscalId = documents.text('counterpartyFiscalId');
    const day = dayIn(documents, 'date');
    if (day === 'unreadable' && isCompared.date) noteUnreadable('date');
    served.push(
      entryOf({
        name: documents.text('counterpartyName'),
        fiscalId: isFiscalId(fiscalId) ? fiscalId : undefined,
        number: documents.text('number'),
        type: documents.text('documentType'),
        currency: documents.currency,
        day: day === 'unreadable' ? undefined : day,
        total: amountOf('total'),
        net: amountOf('net'),
        tax: amountOf('tax'),
        rate: rateOf(),
        validity: documents.validity,
      }),
    );
  };

  return {
    served,
    /** Documents with a fact that cannot be read. */
    unreadable,
    /** Throws UsageError for a record of another organization than the lists. */
    add: (batch: RecordBatch): void => documents.fold(batch, addRecord),
    /** A clause for each fact that the list has, and no record: an export may have left its column out. */
    notCompared: (): string[] =>
      COMPARED.flatMap(([fact, role, of]) => {
        if (documents.records === 0 || documents.hasColumnOf(role)) return [];
        if (!listed.some((entry) => of(entry) !== undefined)) return [];
        return `${fact} is not compared: ${documents.noneHas(role).text}`;
      }),
    /** Throws UsageError where no record has a column by which documents are matched. */
    refuseWithout(): void {
      if (documents.records === 0) return;
      const wanted: Role[] = ['number', 'total'];
      if (isCompared.date) wanted.push('date');
      if (listsHave('currency')) wanted.push('currency');
      if (against === 'received' && listsHave('counterpartyFiscalId')) wanted.push('counterpartyFiscalId');
      documents.refuseWithout(wanted, 'nothing to match by');
    },
  };
}
