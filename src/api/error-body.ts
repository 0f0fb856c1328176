import { isJsonObject } from '../json/json-object.ts';
import type { Redact } from './redact.ts';

/** The errors in the body of a response other than 200. */
export interface ErrorBody {
  /** The service's own words as part of a line, or undefined when there are none. */
  readonly words: string | undefined;
  /** The `message` (or `Message`) alone, else the `error`: it tells the kinds of 403 apart (spec 5). */
  readonly message: string;
  /** Whether the message came as `Message`, as the service itself writes about a token; the gateway writes `message`. */
  readonly isFromService: boolean;
  readonly errors: PartialErrors;
}

/** A longer body is not an error message. */
const MAX_ERROR_BODY_BYTES = 2 ** 20;
/** A line has no room for more parts. */
const MAX_PARTS = 20;

/**
 * Reads the body of a response other than 200. It has one of three forms (spec 7): `errors` as an array, `errors` as a
 * string, or `error` and `message`. 401 and 403 have `message` or `Message` alone. Plain text is taken as it is. HTML,
 * which a proxy or gateway sends, is ignored. Never throws.
 */
export function readErrorBody(body: Buffer, redact: Redact): ErrorBody {
  const text = body.length > MAX_ERROR_BODY_BYTES ? '' : body.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text.trimStart().startsWith('<') ? undefined : text;
  }
  const other = Array.isArray(value) ? { errors: value } : { message: value };
  const fields: Record<string, unknown> = isJsonObject(value) ? value : other;
  const { error, message, Message, errors } = fields;
  const sorted = classifyErrors(errors, redact);
  const own = [error, message ?? Message].filter(Boolean).map((part) => asOneLine(redact(messageIn(part))));
  const words = [...new Set([...own, ...sorted.warnings])].slice(0, MAX_PARTS).join(': ');
  return {
    words: words === '' ? undefined : asOneLine(words),
    message: own.at(-1) ?? '',
    isFromService: isText(Message) && !message,
    errors: sorted,
  };
}

/** What the `errors` of a page say (spec 2.4, 7). */
interface PartialErrors {
  /** The unmatched fiscal IDs of the filter, as the service writes them: without dots and dash. */
  readonly missingFiscalIds: readonly string[];
  /** All other problems, which are not fatal: one line each, no two the same. */
  readonly warnings: readonly string[];
}

/**
 * Reads the `errors` of a page from their JSON. By the specification they are an array of objects. A text, a single object or
 * anything else becomes a warning as well, so that no problem is lost because of its form. `redact` gets the words before they are
 * cut.
 */
export function readPartialErrors(json: Buffer, redact: Redact = (text) => text): PartialErrors {
  let value: unknown;
  try {
    value = JSON.parse(json.toString());
  } catch {
    value = json.toString();
  }
  return classifyErrors(value, redact);
}

/** Does the same for a value that has been parsed. */
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

/** The message in a value: a text as it is, the kind and message of an object with a usual name, else the whole as JSON. */
function messageIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) {
    const words = ['message', 'Message', 'error', 'description', 'detail']
      .map((name) => value[name])
      .find(isText);
    if (words !== undefined) return isText(value['_type']) ? `${value['_type']}: ${words}` : words;
  }
  try {
    return JSON.stringify(value);
  } catch {
    return 'an error nested too deeply to be shown';
  }
}

function missingFiscalId(element: unknown): string | undefined {
  if (!isJsonObject(element) || element['_type'] !== 'EmptyResponseError') return undefined;
  const { requestParams } = element;
  const fiscalId = isJsonObject(requestParams) ? requestParams['fiscalId'] : undefined;
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
 * Makes the service's text safe as a part of one line. White space becomes one space. Control characters, and those that
 * turn or hide text (bidirectional marks, zero-width ones), become visible, as in `\u001b`. Cuts at 500 characters.
 */
export function asOneLine(text: string): string {
  // This is enough for the result, and a message of many megabytes costs no time.
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
