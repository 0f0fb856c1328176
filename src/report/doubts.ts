import { fieldOf } from '../invoices/fields.ts';
import type { Doubt, Lack } from './figures.ts';
import { markup, type Html } from './html.ts';
import type { MissingFigure } from './invoice-figures.ts';
import type { DoubtWords, Writing } from './words.ts';

/** Why figures are not whole: in the words of the page, else in folio's own, which are English. */
export function doubtText({ listing, organization, text, lack }: Doubt, writing: Writing): Html | string {
  const { doubts } = writing.words;
  if (doubts === undefined) return text;
  const name = [organization, doubts.listings[listing]].filter((one) => one !== undefined).join(', ');
  return lack === undefined ? saidByFolio(text, writing) : `${name}: ${lackText(lack, doubts, writing)}`;
}

/** Which column a figure lacks, in the words of the page; undefined where folio's own say it. */
export function lacksText(lacks: MissingFigure['lacks'], { words: { doubts } }: Writing): string | undefined {
  if (lacks === undefined || doubts === undefined) return undefined;
  const { role, columns } = lacks;
  return doubts.column(doubts.roles[role], columns, fieldOf(role));
}

/** What folio says on the command line, be the page in another language. */
export function saidByFolio(text: string, { words: { folioSays } }: Writing): Html {
  return markup`${folioSays === undefined ? undefined : `${folioSays} `}<code lang="en">${text.trim()}</code>`;
}

function lackText(lack: Lack, words: DoubtWords, { count }: Writing): string {
  switch (lack.kind) {
    case 'missing': {
      const { delivered, unserved, reason } = lack;
      const reasons = [
        ...(unserved.length === 0 ? [] : [words.unserved(placesText(unserved, count))]),
        ...(reason === undefined ? [] : [words.reasons[reason]]),
      ];
      return words.missing(delivered, count(delivered), reasons);
    }
    case 'unreadable':
      return words.unreadable(lack.count, count(lack.count), lack.cells.map(words.cell));
    default:
      return words[lack.kind];
  }
}

/** The most places that are named. */
const MAX_PLACES = 20;

function placesText(places: readonly number[], count: Writing['count']): string {
  const more = places.length > MAX_PLACES ? ', …' : '';
  return `${places.slice(0, MAX_PLACES).map(count).join(', ')}${more}`;
}
