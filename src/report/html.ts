import { visible } from '../output/terminal/terminal-text.ts';

/** Text that is HTML already. Only this file makes one, so that no text of the service becomes HTML unescaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | undefined | readonly Content[];
type Attributes = Readonly<Record<string, Html | string | number | undefined>>;

/** Elements that have no end tag when they are empty. */
const CLOSED = new Set(['meta', 'rect']);

/**
 * An element, as `p` or `p.note.late` with classes. Attributes may come first: undefined ones are left out. Content
 * is escaped, unless it is HTML itself; lists are flattened, and undefined is left out. Controls and
 * characters that turn the direction of text become visible marks.
 */
export function el(name: string, ...inner: readonly (Attributes | Content)[]): Html {
  const [tag, ...classes] = name.split('.');
  const [first, ...rest] = inner;
  const [attributes, parts] = isAttributes(first) ? [first, rest as Content[]] : [{}, inner as Content[]];
  const all = { class: classes.length === 0 ? undefined : classes.join(' '), ...attributes };
  const written = Object.entries(all).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${textOf(value)}"`,
  );
  const content = textOf(parts);
  const end = content === '' && CLOSED.has(tag!) ? '/>' : `>${content}</${tag}>`;
  return new Html(`<${tag}${written.join('')}${end}`);
}

function isAttributes(value: Attributes | Content): value is Attributes {
  return typeof value === 'object' && !(value instanceof Html) && !Array.isArray(value);
}

/** A paragraph of notes; undefined where there are none. */
export function noteLine(texts: readonly string[]): Html | undefined {
  return texts.length === 0 ? undefined : el('p.note', texts.join(' '));
}

/** For text that is HTML because we wrote it: the style and the script. */
export function trusted(text: string): Html {
  return new Html(text);
}

export function textOf(part: Content): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
