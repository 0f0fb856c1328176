import { visible } from '../output/terminal/terminal-text.ts';

/** Text that is HTML already. Only this file makes one, so that no text of the service becomes HTML unescaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | readonly Part[];

/**
 * HTML from a template. Whatever is put into it is escaped, unless it is HTML itself; a list is put in part by part, and
 * undefined is nothing. Controls and characters that turn the direction of text become visible marks.
 */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + textOf(parts[index])).join(''));
}

/** A paragraph of notes; undefined where there are none. */
export function noteLine(notes: readonly string[]): Html | undefined {
  return notes.length === 0 ? undefined : markup`<p class="note">${notes.join(' ')}</p>`;
}

/** For text that is HTML because we wrote it: the style and the script. */
export function trusted(text: string): Html {
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escape(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
