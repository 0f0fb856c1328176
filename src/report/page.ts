import type { OrganizationFigures, ReportFigures } from './figures.ts';
import { markup, type Html } from './html.ts';
import { htmlPage } from './page-frame.ts';
import { doubtText } from './doubts.ts';
import { organizationSection } from './sections.ts';
import { fiscalIdTerm } from './terms.ts';
import { amountCell, table, textCell } from './table.ts';
import type { Writing } from './words.ts';

interface PageOptions {
  readonly writing: Writing;
  /** As `--version` prints it. */
  readonly version: string;
  /** What stands at the top; undefined for the organization's name. */
  readonly title: string | undefined;
}

/**
 * The report as one HTML page that asks for nothing: style, script and charts are in it, and its own policy allows no
 * request. Data of the service is escaped; the page has no token and no signed link, as no figure has.
 */
export function reportPage(figures: ReportFigures, { writing, version, title }: PageOptions): string {
  const { words } = writing;
  const { organizations, dates } = figures;
  const [only] = organizations.length === 1 ? organizations : [];
  const period = capital(writing.period(dates.period.name));
  const name = title ?? (only && ownNameOf(only));
  const ids = only && idsOf(only, writing);
  const facts = [
    name === undefined ? undefined : words.title,
    `${words.asOf} ${writing.longDay(dates.asOf)}`,
    only === undefined ? period : ids,
    only?.profile === name ? undefined : only?.profile,
  ];
  const sections = organizations.map((one, index) =>
    organizationSection(one, {
      ...{ writing, dates, id: `o${index + 1}` },
      ...(one === only
        ? { heading: period, facts: undefined }
        : { heading: nameOf(one, writing), facts: factsOf(one, writing) }),
    }),
  );
  const body = markup`<header>
      <h1><bdi>${name ?? words.title}</bdi></h1>
      ${factLine(facts)}
    </header>
    <main>
      ${verdict(figures, writing)}
      ${organizations.length > 1 ? overviewTable(organizations, writing) : undefined} ${sections}
    </main>
    <footer>${factLine([`${words.made} ${version}`, only?.organization && `${words.organization} ${only.organization}`])}</footer>`;
  const who = name ?? only?.fiscalIds[0];
  const full = `${words.title}${who === undefined ? '' : `: ${who}`}, ${writing.period(dates.period.name)}`;
  return htmlPage({ language: writing.language, title: full, body, script: SORT_SCRIPT });
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

/** A line of facts; those that are not there are left out. */
function factLine(facts: readonly (string | undefined)[]): Html {
  const there = facts.filter((fact) => fact !== undefined && fact !== '');
  return markup`<p class="facts">
    ${there.map((fact) => markup`<span><bdi>${fact}</bdi></span>`)}
  </p>`;
}

/** What an organization is called: as its invoices do, else by its profile. */
function ownNameOf({ name, profile }: OrganizationFigures): string | undefined {
  return name ?? profile;
}

/** The same, else its fiscal ID, else what its token says. */
function nameOf(figures: OrganizationFigures, { words }: Writing): string {
  const { fiscalIds, organization } = figures;
  return ownNameOf(figures) ?? fiscalIds[0] ?? organization ?? words.organization;
}

/** `RUT 96486919-7`. */
function idsOf({ fiscalIds }: OrganizationFigures, writing: Writing): string | undefined {
  return fiscalIds.length === 0 ? undefined : `${fiscalIdTerm(fiscalIds, writing)} ${fiscalIds.join(', ')}`;
}

/** What tells an organization from others, beside its name. */
function factsOf(figures: OrganizationFigures, writing: Writing): Html {
  const { profile, organization } = figures;
  const name = nameOf(figures, writing);
  return factLine([
    name === figures.fiscalIds[0] ? undefined : idsOf(figures, writing),
    name === profile ? undefined : profile,
    organization === undefined || organization === name
      ? undefined
      : `${writing.words.organization} ${organization}`,
  ]);
}

function verdict({ complete, doubts, dates }: ReportFigures, writing: Writing): Html {
  const { words } = writing;
  const later = dates.asOf < dates.today ? markup`<p class="note">${words.laterPayments}</p>` : undefined;
  if (complete)
    return markup`<p class="verdict">${words.whole}</p>
      ${later}`;
  const list = markup`<ul>
    ${doubts.map((doubt) => markup`<li>${doubtText(doubt, writing)}</li>`)}
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
      const body = table.tBodies[0];
      const rows = [...body.rows].filter((row) => row.className !== 'sum').sort((a, b) => sign * compare(a.cells[column], b.cells[column]));
      body.prepend(...rows);
    });
  });
}
`.trim();
