import { fieldOf, meaningOf, type Role } from '../invoices/fields.ts';
import type { Finding } from '../findings.ts';
import type { ListingFinding, MissingFigure } from './figures.ts';
import { el, type Content } from './html.ts';
import type { DoubtWords, Writing } from './words.ts';

/** Why figures are not whole: in the words of the page, else in folio's own, which are English. */
export function failureText(failure: ListingFinding, writing: Writing): Content {
  const { part, text } = failure;
  const { doubts } = writing.words;
  if (doubts === undefined) return `${part}: ${text}`;
  const own = ownText(failure, doubts, writing);
  return own === undefined ? wordsOfFolio(`${part}: ${text}`, writing) : `${doubts.listings[part]}: ${own}`;
}

/** Why a figure is not on the page, in its words or in folio's own. */
export function missingText({ text, hint = '', details }: MissingFigure, writing: Writing): Content {
  const { doubts, notGiven } = writing.words;
  if (details?.code === 'no source') return notGiven;
  if (details?.code !== 'column missing' || doubts === undefined)
    return wordsOfFolio(`${text}. ${hint}`, writing);
  const role = details.role as Role;
  return doubts.column(doubts.roles[role] ?? meaningOf(role), details.columns, fieldOf(role));
}

/** A message of folio's, which is in English whatever the language of the page. */
function wordsOfFolio(text: string, { words: { doubts } }: Writing): Content {
  return [doubts && `${doubts.folioSays} `, el('code', { lang: 'en' }, text.trim())];
}

/** The reason in the words of the page; undefined where it has none. */
function ownText({ details, kind }: Finding, words: DoubtWords, { count }: Writing): string | undefined {
  switch (details?.code) {
    case 'records missing': {
      const { delivered, unserved, reason } = details;
      const reasons = [
        ...(unserved.length === 0 ? [] : [words.unserved(positionsText(unserved, count))]),
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

const MAX_POSITIONS = 20;

function positionsText(positions: readonly number[], count: Writing['count']): string {
  const more = positions.length > MAX_POSITIONS ? ', …' : '';
  return `${positions.slice(0, MAX_POSITIONS).map(count).join(', ')}${more}`;
}
