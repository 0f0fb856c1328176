import { addDecimals, DECIMAL_ZERO, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import { agesOf, overdueOf, totalOf } from '../query/aging.ts';
import { ageNames, lookOf, UNDATED } from './ages.ts';
import { fillOf, hatching } from './charts.ts';
import { markup, noteLine, type Html } from './html.ts';
import { htmlPage } from './page-frame.ts';
import type { StatedCurrency, StatedDay, StatedDocument } from './statement.ts';
import type { OwnStatement, StatementFacts } from './statement-rows.ts';
import { fiscalIdTerm, typeTerm } from './terms.ts';
import type { Words, Writing } from './words.ts';

interface StatementPageOptions extends StatementFacts {
  readonly writing: Writing;
  /** A text of the sender's, below; undefined for none. */
  readonly note: string | undefined;
}

/** What a page is made with. */
interface PageContext {
  readonly writing: Writing;
  readonly words: Words['statement'];
  readonly listing: 'issued' | 'received';
}

/**
 * A statement as one HTML page, for the one that it is about. It asks for nothing and runs nothing; it names nobody but the
 * sender and that one, and says of a fault only that there was one.
 */
export function statementPage(
  { statement, organization, organizationFiscalId, isWhole }: OwnStatement,
  { asOf, listing, writing, note }: StatementPageOptions,
): string {
  const words = writing.words.statement;
  const context = { writing, words, listing };
  const { party, unreadable, currencies } = statement;
  const sender = organization ?? organizationFiscalId ?? writing.words.organization;
  const name = party.name ?? party.fiscalId ?? writing.words.noName;
  const isDoubtful = !isWhole || unreadable > 0;
  const open = currencies.filter(({ documents, credits }) => documents.length + credits.length > 0);
  const body = markup`<header class="letter">
      <div>
        <p class="sender"><bdi>${sender}</bdi></p>
        ${organizationFiscalId === sender ? undefined : idLine(organizationFiscalId, writing)}
      </div>
      <div class="what">
        <h1>${words.title}</h1>
        <p>${words.asOf(writing.longDay(asOf))}</p>
      </div>
    </header>
    <main>
      <section class="to" aria-label="${words.to}">
        <p class="note">${words.to}</p>
        <p class="party"><bdi>${name}</bdi></p>
        ${party.fiscalId === name ? undefined : idLine(party.fiscalId, writing)}
      </section>
      ${
        isDoubtful
          ? markup`<p class="verdict doubt" role="alert"><strong>${words.notWhole}</strong> ${
              unreadable > 0 ? words.unreadable(writing.count(unreadable)) : undefined
            }</p>`
          : undefined
      }
      ${open.length === 0 && !isDoubtful ? markup`<p class="verdict">${words.settled}</p>` : undefined}
      ${open.map((one, index) => currencySection(one, context, `c${index + 1}`))}
      ${leftOut(currencies, context)}
      ${note === undefined ? undefined : markup`<section class="message">${noteHtml(note)}</section>`}
    </main>`;
  return htmlPage({
    language: writing.language,
    title: `${words.title}: ${name}`,
    body,
    style: STYLE,
  });
}

/** A fiscal ID with its name, which in Chile is another one. */
function idLine(fiscalId: string | undefined, writing: Writing): Html | undefined {
  if (fiscalId === undefined) return undefined;
  return markup`<p class="note">${fiscalIdTerm([fiscalId], writing)} <bdi class="id">${fiscalId}</bdi></p>`;
}

function currencySection(section: StatedCurrency, context: PageContext, id: string): Html {
  const { writing, words, listing } = context;
  const { currency, documents, credits, cancelled, balance } = section;
  const due = totalOf(balance);
  const overdue = overdueOf(balance);
  const all = [...documents, ...credits, ...cancelled];
  const told = all.flatMap(({ open, total }) => [open, total]).filter((one) => one !== undefined);
  const scale = Math.max(decimalsOf(currency), widestScale(told));
  // A sum has the wider scale of the two.
  const amount = (value: Decimal): string => writing.amount(addDecimals(value, { coefficient: 0n, scale }));
  const isOwed = due.coefficient >= 0n;
  const label = !isOwed ? words.inFavour : listing === 'issued' ? words.amountDue : words.amountPayable;
  const shown = isOwed ? due : { ...due, coefficient: -due.coefficient };
  return markup`<section class="currency">
    <div class="due">
      <h2>${label}</h2>
      <p class="sum"><span class="code">${currency ?? writing.words.noCurrency}</span> ${amount(shown)}</p>
      ${
        overdue.coefficient === 0n
          ? undefined
          : markup`<p class="late">${credits.length === 0 ? words.overdueNow(amount(overdue)) : words.overdueBeforeCredits(amount(overdue))}</p>`
      }
    </div>
    ${ages(section, context, { id, amount })}
    ${documentsTable(documents, { ...context, amount, caption: words.documents, id: `${id}d`, of: 'open' })}
    ${documentsTable(credits, { ...context, amount, caption: words.credits, id: `${id}k`, of: 'credits' })}
    ${documentsTable(cancelled, { ...context, amount, caption: words.cancelledDocuments, id: `${id}x`, of: 'cancelled' })}
  </section>`;
}

/** Digits that amounts of the currency have behind the point at least: more zeros are the same amount. */
function decimalsOf(currency: string | undefined): number {
  if (currency === undefined || !/^[a-z]{3}$/i.test(currency)) return 0;
  const { minimumFractionDigits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return minimumFractionDigits ?? 0;
}

interface StripOptions {
  readonly id: string;
  readonly amount: (value: Decimal) => string;
}

/** The strip of ages: a bar in scale, and each age with its exact sum. */
function ages(
  { balance }: StatedCurrency,
  { writing, words }: PageContext,
  { id, amount }: StripOptions,
): Html {
  const names = ageNames(writing.words);
  const sums = agesOf(balance);
  const isShown = (age: number): boolean => age < UNDATED || sums[age]!.coefficient !== 0n;
  return markup`<div class="ages" role="group" aria-label="${words.ages}">
    ${bar(sums, id)}
    <ul>
      ${sums.map((sum, age) =>
        isShown(age)
          ? markup`<li class="${sum.coefficient === 0n ? 'none' : 'some'}">
              <span
                >${
                  age > UNDATED
                    ? undefined
                    : markup`<svg aria-hidden="true"><rect width="100%" height="100%" ${fillOf({ look: lookOf(age) }, id)} /></svg>`
                }${names[age]}</span
              >
              <b>${amount(sum)}</b>
            </li>`
          : undefined,
      )}
    </ul>
  </div>`;
}

const WIDTH = 1000;

/** What is owed by age. */
function bar(sums: readonly Decimal[], id: string): Html | undefined {
  const lengths = sums.map((sum) => Math.max(0, Number(formatDecimal(sum))));
  const all = lengths.reduce((left, right) => left + right, 0);
  if (!(all > 0) || !Number.isFinite(all)) return undefined;
  let at = 0;
  const pieces = lengths.map((length, age) => {
    const [from, width] = [at, (length / all) * WIDTH];
    at += width;
    if (!(width > 0)) return undefined;
    return markup`<rect ${fillOf({ look: lookOf(age) }, id)} x="${from.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="12" />`;
  });
  return markup`<svg class="bar" viewBox="0 0 ${WIDTH} 12" preserveAspectRatio="none" aria-hidden="true">${hatching(id)}${pieces}</svg>`;
}

interface TableOptions extends PageContext {
  readonly amount: (value: Decimal) => string;
  readonly caption: string;
  readonly id: string;
  readonly of: 'open' | 'credits' | 'cancelled';
}

/** One cell of a line: its heading, what it holds, and its class. */
type LineCell = readonly [head: string, content: Html | string, look: string];

function documentsTable(documents: readonly StatedDocument[], options: TableOptions): Html | undefined {
  if (documents.length === 0) return undefined;
  const { words, caption, id, amount, of } = options;
  const lines = documents.map((one) => ({ one, cells: lineOf(one, options) }));
  const heads = lines[0]!.cells;
  const sum = documents.map(({ open = DECIMAL_ZERO }) => open).reduce(addDecimals);
  const isLong = documents.length > MAX_ROWS_KEPT;
  return markup`<section class="block">
    <h3 id="${id}">${caption}</h3>
    <table class="${isLong ? 'documents long' : 'documents'}" aria-labelledby="${id}">
      <thead>
        <tr>
          ${heads.map(([head, , look]) => markup`<th scope="col" class="${look.replace(' late', '')}">${head}</th>`)}
        </tr>
      </thead>
      ${lines.map(
        ({ one, cells }) =>
          markup`<tbody>
            <tr>
              ${cells.map(
                ([head, content, look]) => markup`<td class="${look}" data-head="${head}">${content}</td>`,
              )}
            </tr>
            ${paymentsLine(one, heads.length, options)}
          </tbody> `,
      )}
      ${
        of === 'cancelled'
          ? undefined
          : markup`<tfoot>
              <tr>
                <th scope="row" colspan="${heads.length - 1}">${words.sum}</th>
                <td class="amount">${amount(sum)}</td>
              </tr>
            </tfoot>`
      }
    </table>
  </section>`;
}

/** Longer tables may go on to the next page in print. */
const MAX_ROWS_KEPT = 20;

function lineOf(document: StatedDocument, { writing, words, amount, of }: TableOptions): LineCell[] {
  const { number, type, date, due, daysLate, total, open } = document;
  const late = daysLate === undefined || daysLate === 0 ? '' : writing.count(daysLate);
  return [
    [words.number, markup`<bdi class="id">${number?.text ?? ''}</bdi>`, 'number'],
    [words.type, markup`<bdi>${typeTerm(type?.text, writing.language)}</bdi>`, 'type'],
    [words.date, dayText(date, writing), 'day'],
    ...(of === 'open'
      ? ([
          [words.due, dayText(due, writing), 'day'],
          [words.daysLate, late, late === '' ? 'amount' : 'amount late'],
        ] as const)
      : []),
    [words.total, total === undefined ? '' : amount(total), 'amount whole'],
    ...(open === undefined ? [] : ([[words.open, amount(open), 'amount open']] as const)),
  ];
}

function dayText(day: StatedDay, writing: Writing): string {
  return typeof day === 'number' ? writing.day(day) : (day ?? '');
}

function paymentsLine(
  { payments }: StatedDocument,
  columns: number,
  { writing, words }: TableOptions,
): Html | undefined {
  if (payments.length === 0) return undefined;
  const texts = payments.map(({ amount, date }) =>
    date === undefined ? writing.amount(amount) : words.paid(writing.amount(amount), dayText(date, writing)),
  );
  return markup`<tr class="payments">
    <td colspan="${columns}">${words.payments}: ${texts.join('; ')}</td>
  </tr>`;
}

/** What is not in the sums: cancelled documents, and those that say no amount. */
function leftOut(currencies: readonly StatedCurrency[], { words, writing }: PageContext): Html | undefined {
  const notes = currencies.flatMap(({ currency, balance: { cancelled, missing } }) => {
    const code = currency === undefined ? '' : `${currency} `;
    return [
      ...(cancelled.coefficient === 0n ? [] : [words.cancelled(`${code}${writing.amount(cancelled)}`)]),
      ...(missing === 0 ? [] : [words.withoutAmount(writing.count(missing))]),
    ];
  });
  return noteLine(notes);
}

/** Paragraphs, as blank lines part them. */
function noteHtml(note: string): Html[] {
  return note
    .trim()
    .split(/\r?\n(?:[ \t]*\r?\n)+/)
    .map(
      (paragraph) =>
        markup`<p>${paragraph.split(/\r?\n/).flatMap((line, at) => (at === 0 ? [line] : [markup`<br />`, line]))}</p>`,
    );
}

/** What a statement looks like beside what all pages do: a letter, and on a narrow screen a list instead of a table. */
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
.ages { margin: 1rem 0 0; break-inside: avoid; }
.ages .bar { display: block; width: 100%; height: 0.75rem; }
.ages ul { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; margin: 0.6rem 0 0; padding: 0; list-style: none; font-size: 0.85rem; }
.ages li { flex: 1 1 auto; min-width: 5rem; max-width: 100%; }
.ages b { display: block; font-weight: 600; overflow-wrap: anywhere; } .ages .none b { font-weight: 400; color: var(--soft); }
.ages li svg { display: inline-block; width: 0.85em; height: 0.85em; margin-right: 0.4em; border: 1px solid var(--ink); vertical-align: -0.08em; }
.documents td.number { min-width: 4.5rem; } .documents td.number .id, .documents td.type, .payments td { white-space: normal; overflow-wrap: anywhere; } .documents td.type { min-width: 5rem; } .documents td { vertical-align: baseline; } .documents .day { white-space: nowrap; }
.documents td.open { font-weight: 600; } .documents tfoot th { text-align: left; } .documents tbody { break-inside: avoid; }
.documents tr:has(+ .payments) td { border-bottom: 0; padding-bottom: 0; } .payments td { padding-top: 0; font-size: 0.8rem; color: var(--soft); }
.message { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); break-inside: avoid; } .message p { overflow-wrap: anywhere; }
@media screen and (max-width: 46rem) {
  .letter .what { text-align: left; }
  .documents, .documents tbody, .documents tfoot { display: block; } .documents thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .documents tr { display: grid; grid-template-columns: 1fr auto; gap: 0.1rem 1rem; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .documents td, .documents th { display: block; padding: 0; border: 0; overflow-wrap: anywhere; white-space: normal; text-align: left; font-weight: 400; }
  .documents .number, .documents .open, .documents tfoot td, .documents tfoot th { font-weight: 600; } .documents .open, .documents .whole, .documents tfoot td { text-align: right; }
  .documents td:empty { display: none; } .documents td[data-head]::before { content: attr(data-head) " "; color: var(--soft); font-weight: 400; }
  .documents .number { order: 1; } .documents .open { order: 2; } .documents .type { order: 3; } .documents .whole { order: 4; }
  .documents .day { order: 5; } .documents .late { order: 7; grid-column: 1 / -1; text-align: left; } .documents td.day + td.day { text-align: right; order: 6; }
  .documents tr:has(+ .payments) { border-bottom: 0; padding-bottom: 0; } .documents .payments { display: block; padding-top: 0; } .documents tfoot tr { border-bottom: 0; }
}
@media print { .ages li { min-width: 4.6rem; } .ages ul { font-size: 0.8rem; gap: 0.4rem 0.8rem; }
  .documents.long tbody tr { break-after: auto; } .documents.long tbody:nth-of-type(-n + 2), .documents.long tbody:nth-last-of-type(2) { break-after: avoid; } .documents.long tfoot { break-before: avoid; } }
`.trim();
