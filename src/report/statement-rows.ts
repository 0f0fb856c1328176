import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { formatDay } from '../json/calendar-day.ts';
import { cellJson } from '../json/cells.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { agesOf, overdueOf, totalOf } from '../query/aging.ts';
import { AGES } from './ages.ts';
import { amountJson, textJson, type Row } from '../query/rows.ts';
import type { RecordNote } from './invoice-figures.ts';
import type { StatedCurrency, StatedDay, StatedDocument, Statement } from './statement.ts';

/** A statement, and the organization that sends it. */
export interface OwnStatement {
  readonly statement: Statement;
  /** By which its invoices are asked for; undefined where nothing says it. */
  readonly profile: string | undefined;
  readonly isOneOfSeveral: boolean;
  /** Its name; undefined where nothing says it. */
  readonly organization: string | undefined;
  readonly organizationFiscalId: string | undefined;
  /** Whether all its invoices were there. */
  readonly isWhole: boolean;
}

/** What all statements of a run have in common. */
export interface StatementFacts {
  /** The day to which is counted, and that of the balances, in days since 1970-01-01. */
  readonly asOf: number;
  readonly today: number;
  readonly notes: readonly RecordNote[];
  /** The period of whose documents it is alone; undefined for all. */
  readonly onlyPeriod: string | undefined;
  readonly listing: 'issued' | 'received';
}

/** The columns, what they are to a reader, and in which order they matter: a terminal that is narrow leaves out those of the highest ranks. */
export const STATEMENT_SHOWN: ShownColumns = {
  [PROFILE_COLUMN]: { rank: 0 },
  counterparty: { rank: 4 },
  fiscalId: { rank: 8 },
  currency: { word: 'cur', rank: 11 },
  number: { rank: 1 },
  documentType: { role: 'document', word: 'type', rank: 10 },
  date: { rank: 6 },
  due: { rank: 3 },
  daysLate: { word: 'late', rank: 5 },
  total: { rank: 7 },
  open: { role: 'amount', rank: 2 },
  age: { role: 'kind', rank: 9 },
  payments: { rank: undefined },
};

/** The columns of `statementRows`, also where there are no rows. */
export function statementColumns(isSeveral: boolean): readonly string[] {
  return Object.keys(STATEMENT_SHOWN).slice(isSeveral ? 0 : 1);
}

/** A row for each open document and credit, and for what was cancelled beside credit notes, which has no open amount: the sum of `open` is what `folio aging` calls the total. */
export function* statementRows(statements: readonly OwnStatement[], isSeveral: boolean): Generator<Row> {
  for (const { profile, statement } of statements) {
    const { name, fiscalId } = statement.party;
    for (const { currency, documents, credits, cancelled } of statement.currencies) {
      for (const document of [...documents, ...credits, ...cancelled]) {
        yield [
          ...(isSeveral ? [[PROFILE_COLUMN, textJson(profile)] as const] : []),
          ['counterparty', textJson(name)],
          ['fiscalId', textJson(fiscalId)],
          ['currency', textJson(currency)],
          ...documentFields(document),
        ];
      }
    }
  }
}

function documentFields({ payments, ...document }: StatedDocument): Row {
  const { number, type, date, due, daysLate, total, open, age } = document;
  const paid = payments.map((one) => `{"date":${dayJson(one.date)},"amount":${amountJson(one.amount)}}`);
  return [
    ['number', cellJson(number)],
    ['documentType', cellJson(type)],
    ['date', dayJson(date)],
    ['due', dayJson(due)],
    ['daysLate', daysLate === undefined ? 'null' : String(daysLate)],
    ['total', amountJson(total)],
    ['open', amountJson(open)],
    ['age', JSON.stringify(AGES[age] ?? 'cancelled')],
    ['payments', `[${paid.join(',')}]`],
  ];
}

function dayJson(day: StatedDay): string {
  return JSON.stringify(typeof day === 'number' ? formatDay(day) : (day ?? null));
}

/** The statements as one JSON document. Amounts are numbers with every digit; null is what the records do not say. */
export function statementsJson(
  statements: readonly OwnStatement[],
  { asOf, today, notes, onlyPeriod, listing }: StatementFacts,
): string {
  const isWhole = (own: OwnStatement): boolean => own.isWhole && own.statement.unreadable === 0;
  const all = statements.map((own) => {
    const { profile, organization, organizationFiscalId, statement } = own;
    return objectJson([
      ['profile', textJson(profile)],
      ['organization', textJson(organization)],
      ['organizationFiscalId', textJson(organizationFiscalId)],
      ['counterparty', textJson(statement.party.name)],
      ['fiscalId', textJson(statement.party.fiscalId)],
      ['complete', String(isWhole(own))],
      ['unreadable', String(statement.unreadable)],
      ['currencies', listJson(statement.currencies.map(currencyJson))],
    ]);
  });
  return `${objectJson([
    ['asOf', JSON.stringify(formatDay(asOf))],
    ['balancesOf', JSON.stringify(formatDay(today))],
    ['notes', JSON.stringify(notes)],
    ...(onlyPeriod === undefined ? [] : [['onlyPeriod', JSON.stringify(onlyPeriod)] as const]),
    ['listing', JSON.stringify(listing)],
    ['statements', listJson(all)],
  ])}\n`;
}

function currencyJson({ currency, documents, credits, cancelled, balance }: StatedCurrency): string {
  const ages = agesOf(balance).map((amount, age) => [AGES[age]!, amountJson(amount)] as const);
  return objectJson([
    ['currency', textJson(currency)],
    ['amountDue', amountJson(totalOf(balance))],
    ['overdue', amountJson(overdueOf(balance))],
    ['ages', objectJson(ages)],
    ['creditNotes', amountJson(balance.creditNotes)],
    ['cancelled', amountJson(balance.cancelled)],
    ['missing', String(balance.missing)],
    ['documents', listJson(documents.map((one) => objectJson(documentFields(one))))],
    ['credits', listJson(credits.map((one) => objectJson(documentFields(one))))],
    ['cancelledDocuments', listJson(cancelled.map((one) => objectJson(documentFields(one))))],
  ]);
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
