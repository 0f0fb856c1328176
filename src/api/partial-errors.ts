import { plainWords } from './plain-words.ts';
import type { Redact } from './redact.ts';

/** What a page's `errors` say (spec 2.4, 7). */
export interface PartialErrors {
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
  return sortErrors(value, redact);
}

/** The same for a value that has been parsed. */
export function sortErrors(value: unknown, redact: Redact): PartialErrors {
  const missing = new Set<string>();
  const warnings = new Set<string>();
  for (const element of Array.isArray(value) ? value : [value]) {
    const fiscalId = missingFiscalId(element);
    if (fiscalId !== undefined) missing.add(fiscalId);
    else if (!isNothing(element)) warnings.add(plainWords(redact(wordsOf(element))));
  }
  return { missingFiscalIds: [...missing], warnings: [...warnings] };
}

/** Text as it is; of an object its kind and its message where they go by a usual name, else all of it. */
export function wordsOf(value: unknown): string {
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
