import { gzipSync } from 'node:zlib';
import { pageBody, type ModelPage, type ModelResponse } from './model-service.ts';
import type { SeenRequest } from './servers.ts';

/** What happens to one request instead of the good answer. */
export type Fault =
  /** The connection is closed: before the first byte of the response, or after half of it. */
  | { readonly kind: 'reset' | 'cut' }
  /** The response comes a byte at a time, or not at all, for longer than any time limit. */
  | { readonly kind: 'drip' | 'silence' }
  /** Another response, made from the page that would have been the good one. */
  | {
      readonly kind: 'answer';
      readonly of: (page: ModelPage) => ModelResponse;
      readonly milliseconds?: number;
    };

/** What happens to a request; undefined lets the good answer through. `page` is what would be sent. */
export type FaultScript = (request: SeenRequest, page: ModelPage) => Fault | undefined;

/** One fault after the other, then none. */
export function inTurn(...faults: readonly (Fault | undefined)[]): FaultScript {
  return ({ number }) => faults[number];
}

export const always =
  (fault: Fault): FaultScript =>
  () =>
    fault;

/** The fault from the request with this number on. */
export function from(number: number, fault: Fault): FaultScript {
  return (request) => (request.number >= number ? fault : undefined);
}

/** The fault for pages that meet the condition. */
export function where(refused: (page: ModelPage) => boolean, fault: Fault): FaultScript {
  return (_, page) => (refused(page) ? fault : undefined);
}

export const reset: Fault = { kind: 'reset' };
export const cut: Fault = { kind: 'cut' };
export const drip: Fault = { kind: 'drip' };
export const silence: Fault = { kind: 'silence' };

const JSON_TYPE = { 'content-type': 'application/json' };

/** The status with a body of the service's third form (spec 7), or with this one. */
export function status(
  code: number,
  headers: Readonly<Record<string, string>> = {},
  text = `{"error":"Refused","message":"answered with ${code}"}`,
): Fault {
  const response = { status: code, headers: { ...JSON_TYPE, ...headers }, body: Buffer.from(text) };
  return { kind: 'answer', of: () => response };
}

/** A fault that comes after so many milliseconds of the test's clock; a real server sends it at once. */
export function after(milliseconds: number, fault: Fault): Fault {
  return fault.kind === 'answer' ? { ...fault, milliseconds } : fault;
}

/** Status 200 with another body. */
export function body(text: string, type = 'application/json'): Fault {
  return status(200, { 'content-type': type }, text);
}

export const html = body('<!doctype html><title>Sign in</title>', 'text/html; charset=utf-8');

/** The page with other members, as JSON texts; undefined leaves one out. */
export function members(changes: Readonly<Record<string, string | undefined>>): Fault {
  return changed((page) => {
    const texts = Object.entries({ ...page.members, ...changes }).filter(([, text]) => text !== undefined);
    return { ...page, members: Object.fromEntries(texts) as Record<string, string> };
  });
}

/** The page with other records, and the members of the true ones. */
export function records(change: (records: readonly string[]) => readonly string[]): Fault {
  return changed((page) => ({ ...page, records: change(page.records) }));
}

const changed = (change: (page: ModelPage) => ModelPage): Fault => bytes((good) => good, {}, change);

/** The good body without its last half; its length is not announced. */
export const jsonCutShort = bytes((good) => good.subarray(0, good.length >> 1));

const GZIP = { 'content-encoding': 'gzip' };
export const truncatedGzip = bytes((good) => {
  const packed = gzipSync(good);
  return packed.subarray(0, packed.length >> 1);
}, GZIP);
export const gzipWithoutEnd = bytes((good) => gzipSync(good).subarray(0, -8), GZIP);
export const wrongCrc = bytes((good) => {
  const packed = gzipSync(good);
  packed[packed.length - 8]! ^= 1;
  return packed;
}, GZIP);

function bytes(
  change: (good: Buffer) => Buffer,
  headers: Readonly<Record<string, string>> = {},
  changePage = (page: ModelPage): ModelPage => page,
): Fault {
  const of = (page: ModelPage): ModelResponse => ({
    status: 200,
    headers: { ...JSON_TYPE, ...headers },
    body: change(pageBody(changePage(page))),
  });
  return { kind: 'answer', of };
}
