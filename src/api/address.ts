import { ServiceError, UsageError } from '../errors.ts';

const VERSION = '/v1';

/** A part of a host between dots, and of a path between slashes: only characters that all programs read in the same way. */
const LABEL = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?';
const SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[a-z0-9._~-]+`;
const HOST = String.raw`${LABEL}(?:\.${LABEL})*|\[[0-9a-f:.]+\]`;
const SHAPE = new RegExp(String.raw`^https?://(${HOST})(?::\d{1,5})?((?:/${SEGMENT})*)/*$`, 'i');

/**
 * Reads the base address and returns its normal form, `https://host[:port][/prefix]/v1`. The text may leave out `/v1`, may name
 * another version, and may end with a slash. Only `https` is allowed, except on this machine (`localhost`, `127.x.x.x`, `[::1]`).
 * An address that two programs could read differently is refused before any DNS, so that the token goes where the user sees it
 * go. Throws UsageError.
 */
export function parseBaseUrl(text: string): URL {
  const [match, host = '', path = ''] = SHAPE.exec(text) ?? [];
  const url = match !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.port === '0')
    throw addressRefused(text, 'it is not of the form https://host[:port][/path], in plain letters');
  if (url.hostname !== host.toLowerCase())
    throw addressRefused(text, `its host is another spelling of ${url.hostname}; write it so`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw addressRefused(text, 'plain http would show the token to the network; write it with https://');
  url.pathname = /\/v\d+$/i.test(path) ? path : path + VERSION;
  return url;
}

/** Whether a host, in lower case, names this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Whether the host of a URL leads to this machine: also by an address that systems take for it (`0.0.0.0`, `[::]`), by IPv4
 * within IPv6, and with a dot behind its name. A URL has no decimal or octal spellings any more.
 */
export function leadsToThisMachine(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (isLoopback(host) || host.endsWith('.localhost') || host === '[::]') return true;
  if (/^(?:0|127)(?:\.\d{1,3}){3}$/.test(host)) return true;
  // ::ffff:127.0.0.1, ::127.0.0.1 and 64:ff9b::127.0.0.1 are written so in a URL.
  const [, high] = /^\[(?:::ffff:(?:0:)?|::|64:ff9b::)([0-9a-f]{1,4}):[0-9a-f]{1,4}\]$/.exec(host) ?? [];
  return high !== undefined && [0, 127].includes(Number.parseInt(high, 16) >> 8);
}

/**
 * Checks a link to a file, or the target of a redirect, before anything is sent. It must be https, without user and
 * password. A link to this machine, which may also be http, is allowed only when the service itself is on this machine.
 * Otherwise a service could make folio send requests to programs that listen for the local user alone.
 *
 * @param link the text of the link; in a redirect it may be relative to `from`
 * @throws ServiceError, whose message shows only the host of the link
 */
export function checkLink(link: string, options: { readonly onLoopback: boolean; readonly from?: URL }): URL {
  const { onLoopback, from } = options;
  if (!URL.canParse(link, from?.href)) throw linkNotFollowed('', 'is not an address');
  const url = new URL(link, from?.href);
  url.hash = '';
  const local = leadsToThisMachine(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    throw linkNotFollowed(url.host, `is ${url.protocol}// and not https://`);
  }
  if (url.username !== '' || url.password !== '') throw linkNotFollowed(url.host, 'names a user');
  if (local && !onLoopback) throw linkToThisMachine(url.host);
  return url;
}

/** The failure for a link to this machine, where the service is elsewhere. */
export function linkToThisMachine(host: string): ServiceError {
  return linkNotFollowed(host, 'leads to this machine, where the service is not');
}

function linkNotFollowed(host: string, why: string): ServiceError {
  return new ServiceError(`the link${host === '' ? '' : ` to ${host}`} ${why}: it is not followed`);
}

/** Shows the text only when it is an address without secrets, not when it may be a token or contains a password. */
function addressRefused(text: string, reason: string): UsageError {
  const shown = /^[a-z]+:\/\/[\x21-\x7e]{1,200}$/i.test(text) && !/[@?#]/.test(text) ? ` ${text}` : '';
  return new UsageError(`the base address${shown} is refused: ${reason}`, {
    hint: 'Give it like https://api.example.com/v1, where it was given: --base-url, FOLIO_BASE_URL or a profile.',
  });
}

/**
 * The address of a request below the base address. `path` begins with a slash and is percent-encoded. Throws UsageError for a
 * path that a URL would change (`..`, a backslash, a query, a line break), because it could lead out of the base address.
 */
export function requestUrl(baseUrl: URL, path: string, query: readonly QueryPair[]): URL {
  const written = baseUrl.pathname + path;
  const url = new URL(baseUrl.origin + written);
  if (!path.startsWith('/') || url.pathname !== written) {
    throw new UsageError(`${JSON.stringify(path)} is not a path below the base address`, {
      hint: 'Give it like /invoices/issued, with special characters percent-encoded and the query in --param.',
    });
  }
  url.search = queryString(query);
  return url;
}

/** How a list is written in a query: `a=1,2`, `a=1&a=2` or `a[]=1&a[]=2`. What services read most often comes first. */
export type ListEncoding = (typeof LIST_ENCODINGS)[number];
export const LIST_ENCODINGS = ['comma', 'repeat', 'brackets'] as const;
/** A parameter of a query, neither of the two encoded. */
export type QueryPair = readonly [name: string, value: string];

/**
 * The query as `a=1&b=x%20y`, without a question mark. Keeps the order and the repetitions of the pairs; and commas as they are,
 * since lists are a third shorter so.
 */
export function queryString(pairs: readonly QueryPair[]): string {
  const encoded = pairs.map((pair) => pair.map(percentEncode).join('='));
  return encoded.join('&').replaceAll('%2C', ',');
}

/**
 * The pairs that send a list. The specification does not say how (spec 4.9), so the user may choose. An empty list has no
 * pairs. Throws UsageError for a value with a comma where commas separate the values.
 */
export function listPairs(name: string, values: readonly string[], encoding: ListEncoding): QueryPair[] {
  if (encoding === 'repeat') return values.map((value) => [name, value]);
  if (encoding === 'brackets') return values.map((value) => [`${name}[]`, value]);
  const divided = values.find((value) => value.includes(','));
  if (divided !== undefined) {
    throw new UsageError(
      `${JSON.stringify(divided)} contains a comma, and commas separate the values of ${name}`,
      {
        hint: 'Send each value by itself with folio config set listEncoding repeat.',
      },
    );
  }
  return values.length === 0 ? [] : [[name, values.join(',')]];
}

/**
 * `id` as one segment of a path, so that it cannot lead to another path. Throws UsageError for an empty ID, and for `.`
 * and `..`, which mean another path even when they are encoded.
 */
export function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..') {
    throw new UsageError(`${JSON.stringify(id)} is not an ID`, {
      hint: 'Give the ID as a listing shows it.',
    });
  }
  return percentEncode(id);
}

/** Percent-encodes all but the unreserved characters of RFC 3986. encodeURIComponent alone leaves `!'()*`. */
function percentEncode(text: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch (cause) {
    throw new UsageError(`${JSON.stringify(text)} contains half a character, which cannot be sent`, {
      hint: 'Take the broken character out of it.',
      cause,
    });
  }
}
