import type { OrganizationFigures, ReportFigures } from './figures.ts';
import { markup, type Html } from './html.ts';
import { htmlPage } from './page-frame.ts';
import { doubtText } from './doubts.ts';
import { organizationSection } from './sections.ts';
import { fiscalIdTerm } from './terms.ts';
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
  const { organization, dates } = figures;
  const { profile } = organization;
  const period = capital(writing.period(dates.period.name));
  const name = title ?? organization.name ?? profile;
  const facts = [
    name === undefined ? undefined : words.title,
    `${words.asOf} ${writing.longDay(dates.asOf)}`,
    idsOf(organization, writing),
    profile === name ? undefined : profile,
  ];
  const body = markup`<header>
      <h1><bdi>${name ?? words.title}</bdi></h1>
      ${factLine(facts)}
    </header>
    <main>
      ${verdict(figures, writing)} ${organizationSection(organization, { writing, dates, heading: period, id: 'o1' })}
    </main>
    <footer>${factLine([`${words.made} ${version}`, organization.organization && `${words.organization} ${organization.organization}`])}</footer>`;
  const who = name ?? organization.fiscalIds[0];
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

/** `RUT 96486919-7`. */
function idsOf({ fiscalIds }: OrganizationFigures, writing: Writing): string | undefined {
  return fiscalIds.length === 0 ? undefined : `${fiscalIdTerm(fiscalIds, writing)} ${fiscalIds.join(', ')}`;
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
