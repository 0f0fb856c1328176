import { fieldOf, meaningOf, type Role } from '../invoices/fields.ts';
import type { FindingDetails } from '../findings.ts';
import type { Doubt } from './figures.ts';
import { el, type Content } from './html.ts';
import type { DoubtWords, Writing } from './words.ts';

/** Why figures are not whole: in the words of the page, else in folio's own, which are English. */
export function doubtText(doubt: Doubt, writing: Writing): Content {
  const { listing, text } = doubt;
  const { doubts } = writing.words;
  if (doubts === undefined) return text;
  const own = ownText(doubt, doubts, writing);
  return own === undefined ? wordsOfFolio(text, writing) : `${doubts.listings[listing]}: ${own}`;
}

/** Which column a figure lacks, in the words of the page; undefined where folio's own say it. */
export function missingColumnText(
  details: FindingDetails | undefined,
  { words: { doubts } }: Writing,
): string | undefined {
  if (details?.code !== 'column missing' || doubts === undefined) return undefined;
  const role = details.role as Role;
  return doubts.column(doubts.roles[role] ?? meaningOf(role), details.columns, fieldOf(role));
}

/** What folio says on the command line, be the page in another language. */
export function wordsOfFolio(text: string, { words: { doubts } }: Writing): Content {
  return [doubts && `${doubts.folioSays} `, el('code', { lang: 'en' }, text.trim())];
}

/** What the page says itself; undefined for what is rare. */
function ownText({ details, kind }: Doubt, words: DoubtWords, { count }: Writing): string | undefined {
  switch (details?.code) {
    case 'records missing': {
      const { delivered, unserved, reason } = details;
      const reasons = [
        ...(unserved.length === 0 ? [] : [words.unserved(placesText(unserved, count))]),
        ...(reason === undefined ? [] : [words.reasons[reason]]),
      ];
      return words.missing(delivered, count(delivered), reasons);
    }
    case 'unreadable':
      return words.unreadable(details.count, count(details.count), details.cells.map(words.cell));
    default:
      return kind === 'auth' ? words.token : kind === 'service' ? words.service : undefined;
  }
}

/** The most places that are named. */
const MAX_PLACES = 20;

function placesText(places: readonly number[], count: Writing['count']): string {
  const more = places.length > MAX_PLACES ? ', …' : '';
  return `${places.slice(0, MAX_PLACES).map(count).join(', ')}${more}`;
}
