import { plainWords } from './plain-words.ts';
import { sortErrors, wordsOf } from './partial-errors.ts';
import type { PartialErrors } from './partial-errors.ts';
import type { Redact } from './redact.ts';

/** What the body of a refusal says. */
export interface ErrorBody {
  /** The service's own words as part of a line, or undefined where it has none. */
  readonly words: string | undefined;
  /** The `message` (or `Message`) alone, by which the kinds of 403 are told apart (spec 5). */
  readonly message: string;
  readonly errors: PartialErrors;
}

/** Longer bodies are no error messages. */
const LONGEST_BYTES = 2 ** 20;
/** More would not fit the line anyway. */
const MOST_PARTS = 20;

/**
 * Reads the body of a response other than 200. Three forms occur (spec 7), which endpoint uses which is not shown:
 * `errors` as an array, `errors` as a string, `error` and `message`; 401 and 403 have `message` or `Message` alone.
 * Plain text is its own words; HTML, which a proxy or gateway sends, has none. Never throws.
 */
export function readErrorBody(body: Buffer, redact: Redact): ErrorBody {
  const text = body.length > LONGEST_BYTES ? '' : body.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text.trimStart().startsWith('<') ? undefined : text;
  }
  const { error, message, Message, errors } = (isObject(value) ? value : { message: value }) as Record<
    string,
    unknown
  >;
  const sorted = sortErrors(errors, redact);
  const own = [error, message ?? Message].filter(Boolean).map((part) => plainWords(redact(wordsOf(part))));
  const missing = sorted.missingFiscalIds.map((id) => plainWords(redact(`${id} is unknown`)));
  const words = distinct([...own, ...sorted.warnings, ...missing].slice(0, MOST_PARTS)).join(': ');
  return { words: words === '' ? undefined : plainWords(words), message: own.at(-1) ?? '', errors: sorted };
}

/** Leaves out a part that another one says already. */
function distinct(parts: readonly string[]): string[] {
  return parts.filter(
    (part, index) =>
      !parts.some((other, at) => at !== index && other.includes(part) && (other !== part || at < index)),
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
