import { addDecimals, compareDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import { overdueOf, totalOf } from '../query/aging.ts';
import { compareOrders } from '../query/cell-order.ts';
import { byCurrency } from '../query/result-rows.ts';
import { el, type Html } from './html.ts';
import { htmlPage, recordNotes, warning } from './page-frame.ts';
import type { OwnStatement, StatementFacts } from './statement-rows.ts';
import { table, type Column } from './table.ts';
import { fiscalIdTerm } from './terms.ts';
import type { Writing } from './words.ts';

/** A page of the folder. */
export interface IndexedStatement {
  readonly own: OwnStatement;
  /** Its name in the folder. */
  readonly file: string;
}

interface IndexOptions extends StatementFacts {
  readonly writing: Writing;
  /** Whether everything could be read. */
  readonly isWhole: boolean;
}

/** The index of a folder of statements, for the sender alone: it names everyone, with what is open and the link to each page. */
export function statementIndex(pages: readonly IndexedStatement[], options: IndexOptions): string {
  const { asOf, isWhole, writing } = options;
  const { words, language } = writing;
  const profiles = [...new Set(pages.map(({ own }) => own.profile))];
  const body = [
    el(
      'header',
      el('h1', words.index),
      el('p.facts', el('span', words.asOf({ day: writing.longDay(asOf) }))),
      el('p.note', words.indexNote),
    ),
    el(
      'main',
      isWhole ? undefined : warning(el('strong', words.indexNotWhole)),
      recordNotes(options, writing),
      pages.length === 0 ? el('p', words.nobody) : undefined,
      profiles.map((profile) => {
        const own = pages.filter((page) => page.own.profile === profile);
        return senderSection(own, options);
      }),
    ),
  ];
  return htmlPage({ language, title: words.index, body, style: STYLE });
}

/** The pages of one organization, a table for each currency, the largest amount first. */
function senderSection(pages: readonly IndexedStatement[], options: IndexOptions): Html {
  const { organization, organizationFiscalId, profile } = pages[0]!.own;
  return el(
    'section',
    el(
      'h2',
      el('bdi', organization ?? profile ?? organizationFiscalId ?? options.writing.words.organization),
    ),
    byCurrency(pages.flatMap(linesOf), ({ currency }) => currency)
      .toSorted(([left], [right]) => compareOrders(left!.currency, right!.currency))
      .map((ofOne) => currencyTable(ofOne, options)),
  );
}

/** A line for each currency in which something is open. */
function linesOf({ own: { statement }, file }: IndexedStatement) {
  return statement.currencies
    .map(({ currency, documents, credits, balance }) => ({
      ...statement.party,
      file,
      currency,
      count: documents.length + credits.length,
      overdue: overdueOf(balance),
      total: totalOf(balance),
    }))
    .filter(({ count }) => count > 0);
}

type IndexLine = ReturnType<typeof linesOf>[number];

function currencyTable(lines: readonly IndexLine[], { listing, writing }: IndexOptions): Html {
  const { words } = writing;
  const caption = lines[0]!.currency ?? words.noCurrency;
  // A link to a file beside the index: whatever its name is, it leads nowhere else.
  const link = ({ name, fiscalId, file }: IndexLine): Html =>
    el('a', { href: `./${encodeURIComponent(file)}` }, el('bdi', name ?? fiscalId ?? words.noName));
  const sum = (of: (line: IndexLine) => Decimal): Decimal => lines.map(of).reduce(addDecimals, DECIMAL_ZERO);
  const ids = lines.map(({ fiscalId }) => fiscalId);
  const columns: Column<IndexLine>[] = [
    ['text', listing === 'issued' ? words.customer : words.supplier, link],
    ['id', fiscalIdTerm(ids, writing), ({ fiscalId }) => fiscalId],
    ['count', words.documents, ({ count }) => count],
    ['amount', words.overdue, ({ overdue }) => overdue],
    ['amount', words.amountDue, ({ total }) => total],
  ];
  const rows = lines.toSorted((left, right) => compareDecimals(right.total, left.total));
  const foot = [[words.sum, undefined, undefined, sum(({ overdue }) => overdue), sum(({ total }) => total)]];
  const content = table({ caption, columns, rows, foot }, writing);
  return el('section.block', el('h3', caption), content);
}

const STYLE = 'a { color: var(--accent); overflow-wrap: anywhere; }';
