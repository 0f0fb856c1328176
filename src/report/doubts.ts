import { fieldOf, type Role } from '../invoices/fields.ts';
import type { FindingDetails } from '../findings.ts';
import type { Doubt } from './figures.ts';
import { el, noteLine, type Content } from './html.ts';
import type { RecordNote } from './invoice-figures.ts';
import type { DoubtWords, Writing } from './words.ts';

/** Why figures are not whole: in the words of the page, else in folio's own, which are English. */
export function doubtText(doubt: Doubt, writing: Writing): Content {
  const { listing, text } = doubt;
  const { doubts } = writing.words;
  if (doubts === undefined) return text;
  const own = ownText(doubt, doubts, writing);
  return own === undefined ? saidByFolio(text, writing) : `${doubts.listings[listing]}: ${own}`;
}

/** Which column a figure lacks, in the words of the page; undefined where folio's own say it. */
export function missingColumnText(
  details: FindingDetails | undefined,
  { words: { doubts } }: Writing,
): string | undefined {
  if (details?.code !== 'column missing' || doubts === undefined) return undefined;
  const role = details.role as Role;
  return doubts.column(doubts.roles[role], details.columns, fieldOf(role));
}

/** The day to which a page counts, that of its balances, in days since 1970-01-01, and what else there is to say of its records. */
interface RecordsTold {
  readonly asOf: number;
  readonly today: number;
  readonly notes: readonly RecordNote[];
  /** The period of whose documents it tells alone. */
  readonly onlyPeriod?: string | undefined;
}

/** What a reader of a page might not expect of its records. That they are a part is said apart. */
export function recordNotes(
  { asOf, today, notes, onlyPeriod }: RecordsTold,
  { words, longDay }: Writing,
): Content {
  const balances = words[asOf < today ? 'laterPayments' : 'earlierBalances'];
  const texts = notes.flatMap((note) => (note === 'part' ? [] : words[note]));
  if (asOf !== today) texts.unshift(balances({ day: longDay(today) }));
  if (onlyPeriod !== undefined) texts.push(words.onlyPeriod({ period: onlyPeriod }));
  return noteLine(texts);
}

/** What folio says on the command line, be the page in another language. */
export function saidByFolio(text: string, { words: { doubts } }: Writing): Content {
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
