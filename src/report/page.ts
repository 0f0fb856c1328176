import type { OrganizationFigures, ReportFigures } from './figures.ts';
import { markup, type Html } from './html.ts';
import { htmlPage } from './page-frame.ts';
import { organizationSection } from './sections.ts';
import { amountCell, table, textCell } from './table.ts';
import type { Writing } from './words.ts';

interface PageOptions {
  readonly writing: Writing;
  /** As `--version` prints it. */
  readonly version: string;
}

/**
 * The report as one HTML page that asks for nothing: style, script and charts are in it, and its own policy allows no
 * request. Data of the service is escaped; the page has no token and no signed link, as no figure has.
 */
export function reportPage(figures: ReportFigures, { writing, version }: PageOptions): string {
  const { words } = writing;
  const { organizations, dates } = figures;
  const name = organizations.map((one) => nameOf(one, writing)).join(', ');
  const title = organizations.length === 1 ? `${words.title}: ${name}` : words.title;
  const body = markup`<header>
      <h1>${words.title}</h1>
      <p class="facts">
        <span>${words.asOf} ${writing.day(dates.asOf)}</span>
        <span>${words.period} ${dates.period.name}</span>
        <span>${organizations.length === 1 ? markup`<bdi>${name}</bdi>` : undefined}</span>
      </p>
    </header>
    <main>
      ${verdict(figures, writing)}
      ${organizations.length > 1 ? overviewTable(organizations, writing) : undefined}
      ${organizations.map((one, index) => organizationSection(one, { writing, dates, name: nameOf(one, writing), id: `o${index + 1}` }))}
    </main>
    <footer><p>${words.made} ${version}</p></footer>`;
  return htmlPage({ language: writing.language, title, body, script: SORT_SCRIPT });
}

/** What an organization is called: by its profile, else by its fiscal ID, else by what its token says. */
function nameOf({ profile, organization, fiscalIds }: OrganizationFigures, { words }: Writing): string {
  return profile ?? fiscalIds[0] ?? organization ?? words.organization;
}

function verdict({ complete, doubts, dates }: ReportFigures, { words }: Writing): Html {
  const later = dates.asOf < dates.today ? markup`<p class="note">${words.laterPayments}</p>` : undefined;
  if (complete)
    return markup`<p class="verdict">${words.whole}</p>
      ${later}`;
  const list = markup`<ul>
    ${doubts.map((doubt) => markup`<li>${doubt}</li>`)}
  </ul>`;
  return markup`<div class="verdict doubt" role="alert"><strong>${words.notWhole}</strong>${list}</div>
    ${later}`;
}

function overviewTable(organizations: readonly OrganizationFigures[], writing: Writing): Html {
  const { words } = writing;
  const rows = organizations.flatMap((one) =>
    one.currencies.map(({ currency, receivable, payable, net }) => [
      textCell(nameOf(one, writing)),
      textCell(currency ?? words.noCurrency),
      amountCell(receivable.open, writing),
      amountCell(receivable.overdue, writing),
      amountCell(payable.open, writing),
      amountCell(net, writing),
    ]),
  );
  const heads = [
    words.organization,
    words.currency,
    words.receivable,
    words.overdue,
    words.payable,
    words.net,
  ];
  return markup`<section>
    <h2>${words.overview}</h2>
    ${table({ heads, amounts: 2, rows, caption: words.overview }, writing)}
  </section>`;
}

/**
 * Makes the heads of tables into buttons that sort. Cells of numbers and dates carry a text to sort by, whose order is that of
 * the exact values. Without the script the tables are only not sortable.
 */
const SORT_SCRIPT = `
for (const table of document.querySelectorAll('table[data-sort]')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = table.dataset.sort + ' ' + head.textContent;
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') !== 'descending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const sign = down ? -1 : 1;
      const compare = (a, b) => (a.dataset.k === undefined ? a.textContent.localeCompare(b.textContent) : a.dataset.k < b.dataset.k ? -1 : a.dataset.k > b.dataset.k ? 1 : 0);
      const rows = [...table.tBodies[0].rows].sort((a, b) => sign * compare(a.cells[column], b.cells[column]));
      table.tBodies[0].append(...rows);
    });
  });
}
`.trim();
