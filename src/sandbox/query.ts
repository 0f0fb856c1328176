import { parseServiceDay } from './data/values.ts';

/** The query string breaks a rule of the endpoint; the answer is 400 with this message. */
export class BadQuery extends Error {
  override name = 'BadQuery';
}

/**
 * A query string as the service understands it. The specification does not say how a list is written: here with commas, repeated,
 * in brackets, or mixed. Nor does it say what a single value means that comes twice: here it is refused. All methods throw
 * BadQuery.
 */
export class Query {
  readonly #values = new Map<string, string[]>();

  /** `text` is what follows the question mark. */
  constructor(text: string) {
    for (const pair of text.split('&').filter((part) => part !== '')) {
      const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
      const name = decode(pair.slice(0, equals)).replace(/\[\d*\]$/, '');
      this.#values.set(name, [...(this.#values.get(name) ?? []), decode(pair.slice(equals + 1))]);
    }
  }

  /** Refuses parameters that the endpoint does not have. */
  allowOnly(names: readonly string[]): void {
    for (const name of this.#values.keys()) {
      if (!names.includes(name)) throw new BadQuery(`Unsupported parameter: ${name}`);
    }
  }

  /** The value as sent, or undefined when the parameter is absent. */
  text(name: string): string | undefined {
    const values = this.#values.get(name);
    if (values !== undefined && values.length > 1)
      throw new BadQuery(`Parameter ${name} was given more than once`);
    return values?.[0];
  }

  /** A date, with or without a time, as days since 1970-01-01. */
  day(name: string): number | undefined {
    const text = this.text(name);
    const day = text === undefined ? undefined : parseServiceDay(text);
    if (text !== undefined && day === undefined) throw new BadQuery(`Invalid date for ${name}: ${text}`);
    return day;
  }

  /** A whole number of at least `least`, or `absent`. */
  integer<T extends number | undefined>(name: string, absent: T, least: number): number | T {
    const text = this.text(name);
    if (text === undefined) return absent;
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || !Number.isSafeInteger(number)) {
      throw new BadQuery(`Invalid value for ${name}: ${text}`);
    }
    return number;
  }

  /** One of `values`, in exactly that spelling, or undefined. */
  oneOf<const T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : choose(name, text, values);
  }

  /** The elements of a list, or undefined when the parameter is absent. An empty list is refused. */
  list(name: string): string[] | undefined {
    const elements = this.#values.get(name)?.flatMap((value) => value.split(','));
    const filled = elements?.map((element) => element.trim()).filter((element) => element !== '');
    if (filled?.length === 0) throw new BadQuery(`Parameter ${name} is empty`);
    return filled;
  }

  /** The elements of a list, each one of `values`, or undefined. */
  listOf<const T extends string>(name: string, values: readonly T[]): T[] | undefined {
    return this.list(name)?.map((element) => choose(name, element, values));
  }
}

function choose<T extends string>(name: string, text: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === text);
  if (value === undefined)
    throw new BadQuery(`Invalid value for ${name}: ${text}. Allowed: ${values.join(', ')}`);
  return value;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new BadQuery('The query string is not properly encoded');
  }
}
