/** Letters of Europe, one cell each, none of them combining: the common case, for which length is width. */
const NARROW = /^[\x20-\x7e\xa0-\u02ff]*$/;

/** Two cells: Wide and Fullwidth of Unicode's East Asian Width, and what is an emoji without being told to be. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{2fffd}\u{30000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** No cell: marks upon the letter before, ignorable characters, vowels and finals that complete a Hangul syllable. */
const ZERO = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\p{Cc}\u1160-\u11ff\ud7b0-\ud7fb]/u;

/** A character that is shown as a picture: told so by U+FE0F, a key cap, or a flag of two letters. */
const PICTURE =
  /\ufe0f|\u20e3|\p{Regional_Indicator}{2}|\u200d\p{Extended_Pictographic}|\p{Emoji_Modifier}$/u;

/** What makes one of several characters. Without any, a text need not be segmented, which is ten times as slow. */
const JOINING =
  /[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\u1100-\u11ff\ud7b0-\ud7fb]/u;

/** Made when first needed: that takes 10 ms. */
let graphemes: Intl.Segmenter | undefined;

/** The cells of a terminal that the text takes. For text without controls: see `visible`. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const unit of unitsOf(text)) width += unitWidth(unit);
  return width;
}

/** The text, or as much of its beginning as leaves room for the `…` that says it was cut, in at most `width` cells. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  if (NARROW.test(text)) return `${text.slice(0, width - 1)}…`;
  let [kept, room] = ['', width - 1];
  for (const unit of unitsOf(text)) {
    room -= unitWidth(unit);
    if (room < 0) break;
    kept += unit;
  }
  return `${kept}…`;
}

/** What is shown in one piece, and must not be cut apart. */
function unitsOf(text: string): Iterable<string> {
  if (!JOINING.test(text)) return text;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function unitWidth(unit: string): number {
  if (PICTURE.test(unit)) return 2;
  let width = 0;
  for (const character of unit) {
    if (WIDE.test(character)) width += 2;
    else if (!ZERO.test(character)) width += 1;
  }
  return width;
}
