import { PROFILE_COLUMN, type DeclaredType } from '../invoices/fields.ts';
import { formatDay } from '../json/calendar-day.ts';
import { cellJson } from '../json/cells.ts';
import { formatDecimal, type Decimal } from '../json/decimal.ts';
import type { ShownColumns } from '../output/column-looks.ts';
import { digitGrouper } from '../output/terminal/number-text.ts';
import { overdueOf, sumOfBalances, totalOf } from '../query/aging.ts';
import { compareOrders } from '../query/cell-order.ts';
import type { ResultForm } from '../query/questions.ts';
import { amountJson, byCurrency, chosenColumns, textJson, type Row } from '../query/result-rows.ts';
import { ageNames, AGES, statusTerm } from './terms.ts';
import type { RecordFacts } from './page-frame.ts';
import type { StatedCurrency, StatedDay, StatedDocument, Statement } from './statement.ts';
import { scaleOf, type Writing } from './texts.ts';

/** A statement with its sender. */
export interface OwnStatement extends Statement {
  /** Undefined where the source has no profiles. */
  readonly profile: string | undefined;
  readonly organization: string | undefined;
  readonly organizationFiscalId: string | undefined;
  /** Whether all its documents were there, and could be read. */
  readonly isWhole: boolean;
}

/** The facts that all statements of a run share. */
export interface StatementFacts extends RecordFacts {
  readonly listing: 'issued' | 'received';
}

/** The names of ages in columns, by position; the last is for cancelled documents. */
const AGE_NAMES: readonly string[] = [...AGES, 'cancelled'];

interface Column<Of> extends NonNullable<ShownColumns[string]> {
  readonly type: DeclaredType;
  /** @param ages what ages are called */
  readonly json: (of: Of, ages: readonly string[]) => string;
}

interface RowOwner {
  readonly profile: string | undefined;
  readonly party: Statement['party'];
  readonly currency: string | undefined;
}

const OWNER_COLUMNS: Readonly<Record<string, Column<RowOwner>>> = {
  [PROFILE_COLUMN]: { rank: 0, type: 'text', json: ({ profile }) => textJson(profile) },
  counterparty: { rank: 4, type: 'text', json: ({ party }) => textJson(party.name) },
  fiscalId: { rank: 8, type: 'text', json: ({ party }) => textJson(party.fiscalId) },
  currency: { rank: 11, word: 'cur', type: 'text', json: ({ currency }) => textJson(currency) },
};

const DOCUMENT_COLUMNS: Readonly<Record<string, Column<StatedDocument>>> = {
  number: { rank: 1, type: 'text', json: ({ number }) => cellJson(number) },
  documentType: {
    rank: 10,
    look: 'document',
    word: 'type',
    type: 'text',
    json: ({ type }) => cellJson(type),
  },
  date: { rank: 6, type: 'date', json: ({ date }) => dayJson(date) },
  due: { rank: 3, type: 'date', json: ({ due }) => dayJson(due) },
  daysLate: { rank: 5, word: 'late', type: 'count', json: ({ daysLate = null }) => String(daysLate) },
  total: { rank: 7, type: 'money', json: ({ total }) => amountJson(total) },
  open: { rank: 2, look: 'amount', type: 'money', json: ({ open }) => amountJson(open) },
  age: { rank: 9, look: 'kind', type: 'text', json: ({ age }, ages) => JSON.stringify(ages[age]) },
  payments: { rank: undefined, type: 'list', json: ({ payments }) => paymentsJson(payments) },
};

/** How a table shows the columns of `statementRows`: a narrow terminal leaves out the highest ranks. */
const SHOWN = { ...OWNER_COLUMNS, ...DOCUMENT_COLUMNS };

/** The form of `statementRows`, also where there are no rows. */
export function statementForm(isSeveral: boolean): ResultForm {
  const columns = Object.keys(SHOWN).slice(isSeveral ? 0 : 1);
  return {
    columns: (named) => (named === undefined ? columns : chosenColumns(columns, named, '--columns')),
    shown: SHOWN,
    typeOf: (column) => SHOWN[column]?.type,
  };
}

/**
 * A row for each open document and credit, and for each one cancelled beside credit notes, without an open amount: the sum of
 * `open` is what `folio aging` calls the total.
 *
 * @param writing of a workbook in a language: the ages are in it, as the headings are
 */
export function* statementRows(statements: readonly OwnStatement[], writing?: Writing): Generator<Row> {
  const ages = writing && [...ageNames(writing.texts), statusTerm('CANCELLED', writing.language)];
  for (const { profile, party, currencies } of statements) {
    for (const { currency, documents, credits, cancelled } of currencies) {
      const owner = fieldsOf(OWNER_COLUMNS, { profile, party, currency });
      for (const document of [...documents, ...credits, ...cancelled])
        yield [...owner, ...fieldsOf(DOCUMENT_COLUMNS, document, ages)];
    }
  }
}

/** The amounts due in each currency, a line for each organization: `amount due: CLP 1,190, of which 100 overdue`. */
export function amountsDue(
  statements: readonly OwnStatement[],
  { listing }: Pick<StatementFacts, 'listing'>,
  locale: string,
): { readonly profile: string | undefined; readonly text: string }[] {
  const group = digitGrouper(locale);
  return [...new Set(statements.map(({ profile }) => profile))].flatMap((profile) => {
    const own = statements.filter((one) => one.profile === profile);
    const balances = own.flatMap(({ currencies }) => currencies.map(({ balance }) => balance));
    const open = balances.filter(({ invoices }) => invoices > 0);
    const texts = byCurrency(open, ({ currency }) => currency)
      .map((ofOne) => sumOfBalances(ofOne))
      .toSorted((left, right) => compareOrders(left.currency, right.currency))
      .map((sum) => {
        const [due, overdue] = [totalOf(sum), overdueOf(sum)];
        const scale = scaleOf(sum.currency, [due]);
        const amount = (value: Decimal): string => group(formatDecimal(value, scale));
        const late = overdue.coefficient === 0n ? '' : ` (${amount(overdue)} overdue)`;
        return `${sum.currency ?? 'no currency'} ${amount(due)}${late}`;
      });
    const what = listing === 'issued' ? 'amount due' : 'amount payable';
    if (texts.length === 0) return [];
    return { profile, text: `${what}: ${texts.join(' · ')}` };
  });
}

function fieldsOf<Of>(columns: Readonly<Record<string, Column<Of>>>, of: Of, ages = AGE_NAMES): Row {
  return Object.entries(columns).map(([name, { json }]) => [name, json(of, ages)]);
}

function paymentsJson(payments: StatedDocument['payments']): string {
  const paid = payments.map(({ date, amount, currency }) => {
    const other = currency === undefined ? '' : `,"currency":${textJson(currency)}`;
    return `{"date":${dayJson(date)},"amount":${amountJson(amount)}${other}}`;
  });
  return `[${paid.join(',')}]`;
}

function dayJson(day: StatedDay): string {
  return JSON.stringify(typeof day === 'number' ? formatDay(day) : (day ?? null));
}

/** The statements as one JSON document. Amounts are numbers with every digit; null is what the records do not have. */
export function statementsJson(
  statements: readonly OwnStatement[],
  { asOf, today, caveats, onlyPeriod, listing }: StatementFacts,
): string {
  const all = statements.map(({ profile, party, ...own }) =>
    objectJson([
      ['profile', textJson(profile)],
      ['organization', textJson(own.organization ?? profile)],
      ['organizationFiscalId', textJson(own.organizationFiscalId)],
      ['counterparty', textJson(party.name)],
      ['fiscalId', textJson(party.fiscalId)],
      ['complete', String(own.isWhole)],
      ['unreadable', String(own.unreadable)],
      ['currencies', listJson(own.currencies.map(currencyJson))],
    ]),
  );
  return `${objectJson([
    ['asOf', JSON.stringify(formatDay(asOf))],
    ['balancesOf', JSON.stringify(formatDay(today))],
    ['notes', JSON.stringify(caveats)],
    ...(onlyPeriod === undefined ? [] : [['onlyPeriod', JSON.stringify(onlyPeriod)] as const]),
    ['listing', JSON.stringify(listing)],
    ['statements', listJson(all)],
  ])}\n`;
}

function currencyJson({ currency, documents, credits, cancelled, balance }: StatedCurrency): string {
  const ages = balance.ages.map((amount, age) => [AGES[age]!, amountJson(amount)] as const);
  return objectJson([
    ['currency', textJson(currency)],
    ['amountDue', amountJson(totalOf(balance))],
    ['overdue', amountJson(overdueOf(balance))],
    ['ages', objectJson(ages)],
    ['creditNotes', amountJson(balance.creditNotes)],
    ['cancelled', amountJson(balance.cancelled)],
    ['missing', String(balance.missing)],
    ['documents', documentsJson(documents)],
    ['credits', documentsJson(credits)],
    ['cancelledDocuments', documentsJson(cancelled)],
  ]);
}

function documentsJson(documents: readonly StatedDocument[]): string {
  return listJson(documents.map((one) => objectJson(fieldsOf(DOCUMENT_COLUMNS, one))));
}

/** An object of members that are JSON already, a line each. */
function objectJson(members: Row): string {
  return `{\n${members.map(([name, json]) => indented(`${JSON.stringify(name)}: ${json}`)).join(',\n')}\n}`;
}

function listJson(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.map(indented).join(',\n')}\n]`;
}

/** No JSON text has a newline within a string. */
function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
