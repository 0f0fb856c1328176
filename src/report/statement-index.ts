import { addDecimals, compareDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import { overdueOf, totalOf } from '../query/aging.ts';
import { compareOrders } from '../query/cell-order.ts';
import { byCurrency } from '../query/result-rows.ts';
import { markup, type Html } from './html.ts';
import { htmlPage } from './page-frame.ts';
import type { StatedCurrency } from './statement.ts';
import type { OwnStatement, StatementFacts } from './statement-rows.ts';
import { amountCell, blankCell, countCell, idCell, table, textCell } from './table.ts';
import { fiscalIdTerm } from './terms.ts';
import type { Words, Writing } from './words.ts';

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
export function statementIndex(
  pages: readonly IndexedStatement[],
  { asOf, listing, isWhole, writing }: IndexOptions,
): string {
  const words = writing.words.statement;
  const profiles = [...new Set(pages.map(({ own }) => own.profile))];
  const body = markup`<header>
      <h1>${words.index}</h1>
      <p class="facts"><span>${words.asOf(writing.longDay(asOf))}</span></p>
      <p class="note">${words.indexNote}</p>
    </header>
    <main>
      ${isWhole ? undefined : markup`<p class="verdict doubt" role="alert"><strong>${words.indexNotWhole}</strong></p>`}
      ${pages.length === 0 ? markup`<p>${words.nobody}</p>` : undefined}
      ${profiles.map((profile) =>
        senderSection(
          pages.filter(({ own }) => own.profile === profile),
          { words, writing, listing },
        ),
      )}
    </main>`;
  return htmlPage({ language: writing.language, title: words.index, body, style: STYLE });
}

interface PageContext {
  readonly words: Words['statement'];
  readonly writing: Writing;
  readonly listing: 'issued' | 'received';
}

/** One line: a counterparty in one currency. */
interface IndexLine {
  readonly page: IndexedStatement;
  readonly section: StatedCurrency;
  readonly currency: string | undefined;
}

/** The pages of one organization, a table for each currency, the largest amount first. */
function senderSection(pages: readonly IndexedStatement[], context: PageContext): Html | undefined {
  const [first] = pages;
  if (first === undefined) return undefined;
  const { writing } = context;
  const { organization, organizationFiscalId } = first.own;
  const lines = pages.flatMap((page) =>
    page.own.statement.currencies
      .filter(({ documents, credits }) => documents.length + credits.length > 0)
      .map((section): IndexLine => ({ page, section, currency: section.currency })),
  );
  return markup`<section>
    <h2><bdi>${organization ?? organizationFiscalId ?? writing.words.organization}</bdi></h2>
    ${byCurrency(lines, ({ currency }) => currency)
      .toSorted(([left], [right]) => compareOrders(left!.currency, right!.currency))
      .map((ofOne) => currencyTable(ofOne, context))}
  </section>`;
}

function currencyTable(lines: readonly IndexLine[], { words, writing, listing }: PageContext): Html {
  const caption = lines[0]!.currency ?? writing.words.noCurrency;
  const rows = lines
    .toSorted((left, right) => compareDecimals(totalOf(right.section.balance), totalOf(left.section.balance)))
    .map(({ page, section: { balance, documents, credits } }) => [
      { content: link(page, writing), order: undefined },
      idCell(page.own.statement.party.fiscalId ?? ''),
      countCell(documents.length + credits.length, writing),
      amountCell(overdueOf(balance), writing),
      amountCell(totalOf(balance), writing),
    ]);
  const sum = (of: (line: IndexLine) => Decimal): Decimal => lines.map(of).reduce(addDecimals, DECIMAL_ZERO);
  const foot = [
    textCell(words.sum),
    blankCell(),
    blankCell(),
    amountCell(
      sum(({ section }) => overdueOf(section.balance)),
      writing,
    ),
    amountCell(
      sum(({ section }) => totalOf(section.balance)),
      writing,
    ),
  ];
  const ids = lines.flatMap(({ page }) => page.own.statement.party.fiscalId ?? []);
  const heads = [
    listing === 'issued' ? words.customer : words.supplier,
    fiscalIdTerm(ids, writing),
    words.openDocuments,
    words.overdue,
    words.amount,
  ];
  return markup`<section class="block">
    <h3>${caption}</h3>
    ${table({ caption, heads, amounts: 2, rows, foot: [foot] }, writing)}
  </section>`;
}

/** A link to a file beside the index: whatever its name is, it leads nowhere else. */
function link({ own: { statement }, file }: IndexedStatement, { words }: Writing): Html {
  const { name, fiscalId } = statement.party;
  return markup`<a href="./${encodeURIComponent(file)}"><bdi>${name ?? fiscalId ?? words.noName}</bdi></a>`;
}

const STYLE = 'a { color: var(--accent); overflow-wrap: anywhere; }';
