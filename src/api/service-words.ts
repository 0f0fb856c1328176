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
const MAX_ERROR_BODY_BYTES = 2 ** 20;
/** More would not fit the line anyway. */
const MAX_PARTS = 20;

/**
 * Reads the body of a response other than 200. Three forms occur (spec 7), which endpoint uses which is not shown:
 * `errors` as an array, `errors` as a string, `error` and `message`; 401 and 403 have `message` or `Message` alone.
 * Plain text is its own words; HTML, which a proxy or gateway sends, has none. Never throws.
 */
export function readErrorBody(body: Buffer, redact: Redact): ErrorBody {
  const text = body.length > MAX_ERROR_BODY_BYTES ? '' : body.toString();
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
  const sorted = classifyErrors(errors, redact);
  const own = [error, message ?? Message].filter(Boolean).map((part) => asOneLine(redact(messageIn(part))));
  const missing = sorted.missingFiscalIds.map((id) => asOneLine(redact(`${id} is unknown`)));
  const words = withoutRepeats([...own, ...sorted.warnings, ...missing].slice(0, MAX_PARTS)).join(': ');
  return { words: words === '' ? undefined : asOneLine(words), message: own.at(-1) ?? '', errors: sorted };
}

/** Leaves out a part that another one says already. */
function withoutRepeats(parts: readonly string[]): string[] {
  return parts.filter(
    (part, index) =>
      !parts.some((other, at) => at !== index && other.includes(part) && (other !== part || at < index)),
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** What a page's `errors` say (spec 2.4, 7). */
interface PartialErrors {
  /** Fiscal IDs in the filter that matched nobody, as the service normalizes them: without dots and dash. */
  readonly missingFiscalIds: readonly string[];
  /** Any other problem, which is not fatal: a line each, no two the same. */
  readonly warnings: readonly string[];
}

/**
 * Reads the value of a page's `errors` as it stands in the body (undefined where the page has none). The
 * specification says an array of objects; text, one object or anything else is a warning as well, for a
 * problem must not be lost over its form. `redact` goes over the words before they are cut.
 */
export function readPartialErrors(json: Buffer | undefined, redact: Redact = (text) => text): PartialErrors {
  if (json === undefined) return { missingFiscalIds: [], warnings: [] };
  let value: unknown;
  try {
    value = JSON.parse(json.toString());
  } catch {
    value = json.toString();
  }
  return classifyErrors(value, redact);
}

/** The same for a value that has been parsed. */
function classifyErrors(value: unknown, redact: Redact): PartialErrors {
  const missing = new Set<string>();
  const warnings = new Set<string>();
  for (const element of Array.isArray(value) ? value : [value]) {
    const fiscalId = missingFiscalId(element);
    if (fiscalId !== undefined) missing.add(fiscalId);
    else if (!isNothing(element)) warnings.add(asOneLine(redact(messageIn(element))));
  }
  return { missingFiscalIds: [...missing], warnings: [...warnings] };
}

/** Text as it is; of an object its kind and its message where they go by a usual name, else all of it. */
function messageIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>;
    const words = ['message', 'Message', 'error', 'description', 'detail']
      .map((name) => object[name])
      .find(isText);
    if (words !== undefined) return isText(object['_type']) ? `${object['_type']}: ${words}` : words;
  }
  try {
    return JSON.stringify(value);
  } catch {
    return 'an error nested too deeply to be shown';
  }
}

function missingFiscalId(element: unknown): string | undefined {
  const { _type, requestParams } = (element ?? {}) as Record<string, unknown>;
  if (_type !== 'EmptyResponseError') return undefined;
  const { fiscalId } = (requestParams ?? {}) as Record<string, unknown>;
  return isText(fiscalId) || typeof fiscalId === 'number' ? String(fiscalId) : undefined;
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const MAX_CHARACTERS = 500;

/**
 * Text of the service as part of one line of ours: runs of white space are one space; control characters, and those
 * that turn or hide text (bidirectional marks, zero-width ones), become visible as `\u001b`; cut at 500 characters.
 */
export function asOneLine(text: string): string {
  // Enough for the result, and little enough that a message of megabytes costs nothing.
  const line = text
    .slice(0, 20 * MAX_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim();
  const words = line.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, visibleEscape);
  if (words.length <= MAX_CHARACTERS) return words;
  const cut = words.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  return `${cut.replace(/[\w.~+/=%\\-]+$/, '').trimEnd()}…`;
}

function visibleEscape(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}
