import { compareDecimals } from '../json/decimal.ts';
import { overdueOf, totalOf } from '../query/aging.ts';
import { compareOrders } from '../query/cell-order.ts';
import { byCurrency } from '../query/result-rows.ts';
import { agesStrip } from './bars.ts';
import { sumOf } from './figures.ts';
import { el, noteLine, type Html } from './html.ts';
import { htmlPage, leftOutTexts, recordNotes, warning } from './page-frame.ts';
import type { StatedCurrency, StatedDocument } from './statement.ts';
import type { OwnStatement, StatementFacts } from './statement-rows.ts';
import { titledTable, type Column } from './table.ts';
import { CANCELLED, CREDIT, fiscalIdTerm, typeTerm } from './terms.ts';
import { scaleOf, writingAt, type Writing } from './texts.ts';

interface StatementPageOptions extends StatementFacts {
  readonly writing: Writing;
  /** The sender's text below the documents; undefined for none. */
  readonly note: string | undefined;
}

/** A statement to send: it names only the sender and the counterparty, and tells of errors only that there were some. */
export function statementPage(
  { party, currencies, unreadable, profile, organization, organizationFiscalId, isWhole }: OwnStatement,
  { writing, note, ...facts }: StatementPageOptions,
): string {
  const { texts } = writing;
  // Readers of the page do not know the name of the profile.
  const sender = organization ?? organizationFiscalId ?? profile ?? texts.organization;
  const name = party.name ?? party.fiscalId ?? texts.noName;
  const open = currencies.filter(({ documents, credits }) => documents.length + credits.length > 0);
  const alsoUnreadable = unreadable > 0 ? texts.unreadable({ count: writing.count(unreadable) }) : '';
  const settled = open.length === 0 ? el('p.verdict', texts.settled) : undefined;
  const body = [
    el(
      'header.letter',
      el('div', el('p.sender', el('bdi', sender)), idLine(organizationFiscalId, sender, writing)),
      el('div.what', el('h1', texts.statement), el('p', texts.asOf({ day: writing.longDay(facts.asOf) }))),
    ),
    el(
      'main',
      el(
        'section.to',
        { 'aria-label': texts.to },
        el('p.note', texts.to),
        el('p.party', el('bdi', name)),
        idLine(party.fiscalId, name, writing),
      ),
      isWhole ? settled : warning(el('strong', texts.statementNotWhole), ` ${alsoUnreadable}`),
      recordNotes(facts, writing),
      open.map((one) => currencySection(one, facts.listing, writing)),
      noteLine(
        currencies.flatMap(({ currency, balance }) =>
          leftOutTexts(balance, writing, (value) => [currency ?? [], writing.amount(value)].flat().join(' ')),
        ),
      ),
      note === undefined ? undefined : el('section.message', linesOfText(note)),
    ),
  ];
  return htmlPage({ language: writing.language, title: `${texts.statement}: ${name}`, body, style: STYLE });
}

/** A fiscal ID after its term, which differs in Chile; left out if the ID is shown in place of the owner's name. */
function idLine(fiscalId: string | undefined, shown: string, writing: Writing): Html | undefined {
  if (fiscalId === undefined || fiscalId === shown) return undefined;
  return el('p.note', `${fiscalIdTerm([{ fiscalId }], writing)} `, el('bdi.id', fiscalId));
}

/** The texts for an amount that is owed, by a customer or to a supplier, and for one below zero. */
const LABELS = {
  issued: { owed: 'amountDue', inFavour: 'inFavour' },
  received: { owed: 'amountPayable', inFavour: 'inOurFavour' },
} as const;

function currencySection(section: StatedCurrency, listing: 'issued' | 'received', ofPage: Writing): Html {
  const { currency, documents, credits, cancelled, balance } = section;
  const due = totalOf(balance);
  const overdue = overdueOf(balance);
  const all = [...documents, ...credits, ...cancelled];
  const amounts = all.flatMap(({ open, total }) => [open, total]).filter((one) => one !== undefined);
  const writing = writingAt(ofPage, scaleOf(currency, amounts));
  const { texts, amount } = writing;
  const isOwed = due.coefficient >= 0n;
  const label = texts[LABELS[listing][isOwed ? 'owed' : 'inFavour']];
  const shown = isOwed ? due : { ...due, coefficient: -due.coefficient };
  const late = texts[credits.length === 0 ? 'overdueNow' : 'overdueBeforeCredits'];
  return el(
    'section.currency',
    el(
      'div.due',
      el('h2', label),
      el('p.sum', el('span.code', currency ?? texts.noCurrency), ` ${amount(shown)}`),
      overdue.coefficient === 0n ? undefined : el('p.late', late({ amount: amount(overdue) })),
    ),
    agesStrip(balance.ages, texts.ages, writing),
    documentsTable(texts.openDocuments, documents, writing),
    documentsTable(texts.creditDocuments, credits, writing),
    documentsTable(texts.cancelledDocuments, cancelled, writing),
  );
}

/** Documents with their payments below them. Cancelled documents have no open amount and no sum. */
function documentsTable(
  caption: string,
  documents: readonly StatedDocument[],
  writing: Writing,
): Html | undefined {
  if (documents.length === 0) return undefined;
  const { texts, language, count } = writing;
  const [{ age }] = documents as [StatedDocument];
  const late = ({ daysLate = 0 }: StatedDocument): Html | undefined =>
    daysLate === 0 ? undefined : el('span.late', count(daysLate));
  const columns: Column<StatedDocument>[] = [
    ['text', texts.number, ({ number }) => number?.text],
    ['text', texts.type, ({ type }) => typeTerm(type?.text, language)],
    ['day', texts.date, ({ date }) => date],
    ...(age < CREDIT
      ? ([
          ['day', texts.dueDate, ({ due }) => due],
          ['count', texts.daysLate, late],
        ] satisfies Column<StatedDocument>[])
      : []),
    ['amount', texts.total, ({ total }) => total],
    ['amount', texts.open, ({ open }) => open],
  ];
  const sum = sumOf(documents.flatMap(({ open }) => open ?? []));
  const foot = [[texts.sum, ...columns.slice(2).map(() => undefined), sum]];
  const content = { columns, rows: documents, hasZeros: true, foot: age === CANCELLED ? undefined : foot };
  return titledTable(caption, { ...content, below: (one) => paymentsText(one, writing) }, writing, 'h3');
}

function paymentsText({ payments }: StatedDocument, { texts, day, ...writing }: Writing): string | undefined {
  if (payments.length === 0) return undefined;
  const paid = payments.map(({ date, ...one }) => {
    const amount = [writing.amount(one.amount), one.currency].filter((text) => text !== undefined).join(' ');
    return date === undefined
      ? amount
      : texts.paid({ amount, day: typeof date === 'number' ? day(date) : date });
  });
  return `${texts.payments}: ${paid.join('; ')}`;
}

/** A paragraph for each line; one that is blank has its height, too. */
function linesOfText(note: string): Html[] {
  const lines = note.trim().split(/\r?\n/);
  return lines.map((line) => el('p', line.trim() === '' ? '\u00a0' : line));
}

interface IndexedStatement {
  readonly own: OwnStatement;
  readonly file: string;
}

interface IndexOptions extends StatementFacts {
  readonly writing: Writing;
  readonly isWhole: boolean;
}

/** The index of a folder of statements, for the sender alone: it names everyone, with what is open and the link to each page. */
export function statementIndex(pages: readonly IndexedStatement[], options: IndexOptions): string {
  const { asOf, isWhole, writing } = options;
  const { texts, language } = writing;
  const profiles = [...new Set(pages.map(({ own }) => own.profile))];
  const body = [
    el(
      'header',
      el('h1', texts.index),
      el('p.facts', el('span', texts.asOf({ day: writing.longDay(asOf) }))),
      el('p.note', texts.indexNote),
    ),
    el(
      'main',
      isWhole ? undefined : warning(el('strong', texts.indexNotWhole)),
      recordNotes(options, writing),
      pages.length === 0 ? el('p', texts.nobody) : undefined,
      profiles.map((profile) => {
        const own = pages.filter((page) => page.own.profile === profile);
        return senderSection(own, options);
      }),
    ),
  ];
  return htmlPage({
    language,
    title: texts.index,
    body,
    style: 'a { color: var(--accent); overflow-wrap: anywhere; }',
  });
}

/** The pages of one organization, a table for each currency, the largest amount first. */
function senderSection(pages: readonly IndexedStatement[], options: IndexOptions): Html {
  const { organization, organizationFiscalId, profile } = pages[0]!.own;
  return el(
    'section',
    el(
      'h2',
      el('bdi', organization ?? profile ?? organizationFiscalId ?? options.writing.texts.organization),
    ),
    byCurrency(pages.flatMap(linesOf), ({ currency }) => currency)
      .toSorted(([left], [right]) => compareOrders(left!.currency, right!.currency))
      .map((ofOne) => currencyTable(ofOne, options)),
  );
}

/** A line for each currency in which something is open. */
function linesOf({ own: { party, currencies }, file }: IndexedStatement) {
  return currencies
    .map(({ currency, documents, credits, balance }) => ({
      ...party,
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
  const { texts } = writing;
  const caption = lines[0]!.currency ?? texts.noCurrency;
  // A link to a file beside the index; encoding keeps any name from leading elsewhere.
  const link = ({ name, fiscalId, file }: IndexLine): Html =>
    el('a', { href: `./${encodeURIComponent(file)}` }, el('bdi', name ?? fiscalId ?? texts.noName));
  const columns: Column<IndexLine>[] = [
    ['text', listing === 'issued' ? texts.customer : texts.supplier, link],
    ['id', fiscalIdTerm(lines, writing), ({ fiscalId }) => fiscalId],
    ['count', texts.documents, ({ count }) => count],
    ['amount', texts.overdue, ({ overdue }) => overdue],
    ['amount', listing === 'issued' ? texts.amountDue : texts.payable, ({ total }) => total],
  ];
  const rows = lines.toSorted((left, right) => compareDecimals(right.total, left.total));
  const sums = [lines.map(({ overdue }) => overdue), lines.map(({ total }) => total)].map(sumOf);
  const foot = [[texts.sum, undefined, undefined, ...sums]];
  return titledTable(caption, { columns, rows, foot }, writing, 'h3');
}

/** The style of a statement, a letter, added to that of all pages. */
const STYLE = `
body { max-width: 54rem; }
.letter { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1rem 2rem; padding-bottom: 1.25rem; border-bottom: 2px solid var(--ink); }
.letter p, .to p { margin: 0; } .letter .what { text-align: right; } .letter h1 { font-size: 1.35rem; font-weight: 600; }
.sender { font-size: 1.35rem; font-weight: 700; letter-spacing: -0.01em; overflow-wrap: anywhere; }
.to { margin: 1.5rem 0; } .party { font-size: 1.1rem; font-weight: 600; overflow-wrap: anywhere; }
.currency { margin-top: 2rem; } .block > h3 { color: var(--ink); margin: 1.75rem 0 0.3rem; break-after: avoid; }
.due { padding: 0.9rem 1.1rem; background: var(--band); border-left: 4px solid var(--accent); break-inside: avoid; }
.due h2 { font-size: 0.95rem; font-weight: 400; margin: 0; padding: 0; border: 0; color: var(--soft); } .due p { margin: 0; }
.due .sum { font-size: 1.7rem; line-height: 1.3; font-weight: 700; overflow-wrap: anywhere; } .due .code { font-size: 1rem; font-weight: 400; color: var(--soft); }
.block td:first-child { min-width: 4.5rem; overflow-wrap: anywhere; } .block td:nth-child(2) { min-width: 5rem; overflow-wrap: anywhere; } .block td:nth-child(n + 5):last-child { font-weight: 600; }
.message { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); break-inside: avoid; } .message p { margin: 0; overflow-wrap: anywhere; }
@media screen and (max-width: 46rem) { .letter .what { text-align: left; } }
`.trim();
