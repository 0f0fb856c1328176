import { createHash } from 'node:crypto';
import type { OrganizationFigures, ReportFigures } from './figures.ts';
import { markup, trusted, type Html } from './html.ts';
import { organizationSection } from './sections.ts';
import { amountCell, table, textCell } from './table.ts';
import { SORT_SCRIPT } from './sort-script.ts';
import { STYLE } from './style.ts';
import type { Writing } from './words.ts';

export interface PageOptions {
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
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(STYLE)}'`,
    `script-src '${hashOf(SORT_SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const page = markup`<!doctype html>
    <html lang="${writing.language}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trusted(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>${trusted(STYLE)}</style>
      </head>
      <body>
        <header>
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
        <footer><p>${words.made} ${version}</p></footer>
        <script>${trusted(SORT_SCRIPT)}</script>
      </body>
    </html> `;
  return page.text;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
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
