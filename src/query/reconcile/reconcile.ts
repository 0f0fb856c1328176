import { UsageError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { dayIn, readAmount } from '../../invoices/open-items.ts';
import { DOCUMENT_ROLES } from '../../invoices/document.ts';
import { DocumentReader } from '../../invoices/document-reader.ts';
import type { Family } from '../../invoices/document-types.ts';
import { OWN_ID_AND_NAME, type FieldsOf, type Role } from '../../invoices/fields.ts';
import { foldFiscalId, isFiscalId } from '../../invoices/fiscal-ids.ts';
import { Unreadable } from '../../invoices/left-out.ts';
import { runCooperatively, type CooperativeTask } from '../../json/cooperative-task.ts';
import { compareDecimals, type Decimal } from '../../json/decimal.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { Question } from '../questions.ts';
import { batchesOfRows, chosenColumns } from '../result-rows.ts';
import { ROW_OUTCOMES, bareNumber, entryOf, matchEntries, type Entry, type Outcome } from './matching.ts';
import type { ListField } from './list-file.ts';
import type { ListsRead, OpenLists } from './lists.ts';
import { COLUMNS, countsOf, rowsOf, shownFor, typeOfColumn } from './reconcile-rows.ts';

interface ReconcileOptions extends OpenLists, ListsRead {
  readonly tolerance: Decimal;
  /** The flag that narrows the service to one party; undefined where it is there. */
  readonly narrowing: string | undefined;
  readonly fields: FieldsOf;
  /** Whether documents that are the same on both sides have a row, too. */
  readonly all: boolean;
  /** Groups digits in messages. */
  readonly locale: string;
  readonly signal: AbortSignal;
}

/** What the answer is worth where records of the service are missing. */
export const WHERE_INCOMPLETE =
  'only what was read is compared, and what is said to be only in the list may be wrong';

/** Kinds that lists may have none of, or sums alone. */
const APART: readonly Family[] = ['receipt', 'fee note', 'guide', 'quote', 'order'];

/** How many days outside the period a mistaken document may be. */
const REACH = 31;

/** The question of `folio reconcile`: a row for each document that is not the same on both sides. */
export function reconcileQuestion(options: ReconcileOptions): Question {
  const { against, lists, listed, months, tolerance, narrowing, fields, all, locale, signal } = options;
  const service = serviceReader(options);
  const { served } = service;
  const families = new Set(listed.map(({ family }) => family));
  const sharedIds = new Set(fields.usual.sharedIds.map(foldFiscalId));
  const entries = new Map<Outcome, Entry[]>();
  const apart = { ofKind: new Map<Family, number>(), undated: 0, voids: 0 };

  const isIn = (day: number | undefined, reach = 0): boolean =>
    day !== undefined && months.some(({ first, last }) => day >= first - reach && day <= last + reach);
  const isApart = ({ family }: Entry): boolean => APART.includes(family) && !families.has(family);

  /** Whether an unmatched entry may be one of the other side with a mistake in it. A list without dates is of any time. */
  const mayBeNear = (entry: Entry): boolean => {
    if (entry.side === 'service' && (isApart(entry) || entry.validity === 'void')) return false;
    if (entry.day === undefined) return entry.side === 'list' && months.length > 0;
    return isIn(entry.day, REACH);
  };

  const outcomeInService = (entry: Entry): Outcome => {
    const { outcome, repeats, day } = entry;
    // A document that came twice years ago does not belong to this month.
    if (repeats !== undefined)
      return repeats.outcome !== 'unmatched' || isIn(day) ? 'twice in the service' : 'unmatched';
    if (outcome !== 'unmatched') return outcome;
    if (entry.validity === 'void') apart.voids++;
    else if (isApart(entry)) {
      const { ofKind } = apart;
      if (isIn(day)) ofKind.set(entry.family, (ofKind.get(entry.family) ?? 0) + 1);
    } else {
      if (day === undefined && months.length > 0) apart.undated++;
      if (isIn(day)) return 'only in the service';
    }
    return 'unmatched';
  };

  function* matchAll(): CooperativeTask<void> {
    const both = [...listed, ...served];
    yield* matchEntries(both, {
      against,
      hasIds: lists.every(({ layout }) => layout.fields.has('counterpartyFiscalId')),
      hasTypes: lists.every(({ layout }) => layout.fields.has('documentType')),
      tolerance,
      isShared: ({ party }) => party !== undefined && sharedIds.has(party),
      mayBeNear,
    });
    for (const entry of both) {
      if (entry.side === 'service') entry.outcome = outcomeInService(entry);
      else if (entry.outcome === 'unmatched') entry.outcome = 'only in the list';
      // A document of both sides counts once, as the entry of the list.
      if (entry.outcome === 'unmatched' || (entry.side === 'service' && entry.mate !== undefined)) continue;
      const known = entries.get(entry.outcome);
      if (known === undefined) entries.set(entry.outcome, [entry]);
      else known.push(entry);
    }
  }

  const hintForDifferences = (): string | undefined => {
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
    return hints.join(' ') || undefined;
  };

  /** What could not be read, else in what the sides differ: a failure unless both are the same. */
  const outcomeFinding = (): Finding => {
    const unreadable = service.unreadable.finding('reconcile');
    if (unreadable.level === 'failure')
      return { ...unreadable, text: `${unreadable.text}; ${WHERE_INCOMPLETE}` };
    const kinds = ROW_OUTCOMES.filter((outcome) => outcome !== 'same' && entries.has(outcome));
    if (kinds.length === 0) return unreadable;
    const isDifferent = kinds.some((outcome) => outcome !== 'not compared');
    const what = isDifferent ? 'the list and the service differ' : 'not all could be compared';
    const counts = kinds.map((kind) => `${entries.get(kind)!.length.toLocaleString('en-US')} ${kind}`);
    const text = `${what}: ${counts.join(', ')}`;
    return { level: 'failure', kind: 'differs', text, hint: hintForDifferences() };
  };

  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) service.add(batch);
      service.refuseWithout();
      await runCooperatively(matchAll(), signal);
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
      const last = outcomeFinding();
      const isSame = last.level !== 'failure';
      const matches = ROW_OUTCOMES.map((outcome) => [outcome, entries.get(outcome)?.length ?? 0] as const);
      return [
        { level: 'fact', text: '', facts: { matches: Object.fromEntries(matches) } },
        ...countsOf({ ...options, records: service.records(), ...apart, entries, isSame }, locale),
        last,
      ];
    },
  };
}

const ROLES = [...DOCUMENT_ROLES, 'total', 'net', 'tax'] as const;
/** The column with the pesos that one unit of the record's currency is worth. */
const EXCHANGE_RATE = 'exchangeRate';
const ONE: Decimal = { coefficient: 1n, scale: 0 };

function serviceReader({ against, lists, owner, months, fields }: ReconcileOptions) {
  const served: Entry[] = [];
  const unreadable = new Unreadable();
  const ownIds = OWN_ID_AND_NAME[against].fiscalId;
  const documents = new DocumentReader({ fields }, { roles: ROLES, names: [...ownIds, EXCHANGE_RATE] });
  const anyHas = (...names: ListField[]): boolean =>
    lists.some(({ layout }) => names.some((field) => layout.fields.has(field)));
  /** Only what the lists or their period need has to be readable. */
  const isCompared = {
    total: true,
    net: anyHas('net', 'exempt'),
    tax: anyHas('tax'),
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
    if (!isCompared[role]) return undefined;
    const amount = readAmount(documents.cell(role));
    if (amount === 'unreadable') noteUnreadable(role);
    return typeof amount === 'string' ? undefined : amount;
  };

  /** Services write a rate of 1 where there is none. */
  const rateOf = (): Decimal | undefined => {
    const rate = readAmount(documents.named(ownIds.length));
    return typeof rate === 'string' || compareDecimals(rate, ONE) === 0 ? undefined : rate;
  };

  const addRecord = (): void => {
    checkOwner();
    const day = dayIn(documents, 'date');
    if (day === 'unreadable' && isCompared.date) noteUnreadable('date');
    const { name, fiscalId } = documents.counterparty;
    served.push(
      entryOf({
        side: 'service',
        number: bareNumber(documents.text('number')),
        type: documents.text('documentType'),
        fiscalId,
        name,
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
    /** Takes records. Throws UsageError for one of another organization than the lists. */
    add: (batch: RecordBatch): void => documents.fold(batch, addRecord),
    /** Throws UsageError where no record has a column by which documents are matched. */
    refuseWithout(): void {
      if (documents.records === 0) return;
      const wanted: Role[] = ['number', 'total'];
      if (isCompared.date) wanted.push('date');
      if (against === 'received' && anyHas('counterpartyFiscalId')) wanted.push('counterpartyFiscalId');
      documents.refuseWithout(wanted, 'nothing to match by');
    },
    records: () => documents.records,
  };
}
