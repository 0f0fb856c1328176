import type { ReportFigures } from './figures.ts';
import { failureText } from './doubts.ts';
import { el, type Content } from './html.ts';
import { factLine, htmlPage, recordNotes } from './page-frame.ts';
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

/** The report as one HTML page. Data of the service is escaped; no figure has a token or a signed link. */
export function reportPage(figures: ReportFigures, { writing, version, title }: PageOptions): string {
  const { words } = writing;
  const { organization, dates } = figures;
  const { profile, fiscalIds } = organization;
  const ids =
    fiscalIds.length === 0 ? undefined : `${fiscalIdTerm(fiscalIds, writing)} ${fiscalIds.join(', ')}`;
  // A profile's name means nothing to whoever gets the page.
  const name = title ?? organization.name ?? ids ?? profile;
  const facts = [
    name === undefined ? undefined : words.title,
    words.asOf({ day: writing.longDay(dates.asOf) }),
    ids === name ? undefined : ids,
    profile === name ? undefined : profile,
  ];
  const made = [
    `${words.made} ${version}`,
    organization.organization && `${words.organization} ${organization.organization}`,
  ];
  const body = [
    el('header', el('h1', el('bdi', name ?? words.title)), factLine(...facts)),
    el('main', verdict(figures, writing), organizationSection(organization, { writing, dates })),
    el('footer', factLine(...made)),
  ];
  const full = `${words.title}${name === undefined ? '' : `: ${name}`}, ${writing.period(dates.period.name)}`;
  return htmlPage({ language: writing.language, title: full, body, script: SORT_SCRIPT });
}

function verdict({ complete, failures, dates, caveats }: ReportFigures, writing: Writing): Content {
  const { words } = writing;
  const line = recordNotes({ ...dates, caveats: caveats.filter((note) => note !== 'part') }, writing);
  if (complete) return [el('p.verdict', words.whole), line];
  const list = failures.map((failure) => el('li', failureText(failure, writing)));
  if (caveats.includes('part')) list.push(el('li', words.part));
  return [el('div.verdict.warning', { role: 'alert' }, el('strong', words.notWhole), el('ul', list)), line];
}

/** Makes heads of tables sort, by a text of each number and date in the order of the exact values. A table is whole without it. */
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
