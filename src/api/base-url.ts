import { UsageError } from '../errors.ts';

const VERSION = '/v1';

/** Scheme, host, port, path; of characters that every program reads alike. */
const SHAPE = /^(https?):\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?((?:\/[a-z0-9._~-]+)*)\/*$/i;

/**
 * The base address in its normal form, `https://host[:port][/prefix]/v1`, from an address with or without `/v1` and
 * a closing slash. `https` only, except on this machine (`localhost`, `127.x.x.x`, `[::1]`). Whatever two programs
 * could read differently is refused, long before DNS: the token goes where the user reads that it goes. Throws
 * UsageError.
 */
export function parseBaseUrl(text: string): URL {
  const match = SHAPE.exec(text);
  if (match === null) throw refused(text, misshapen(text));
  const [, scheme = '', host = '', port = '', path = ''] = match;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || port === '0') throw refused(text, 'its host or port does not exist');
  if (url.hostname !== host.toLowerCase()) {
    throw refused(text, `its host is another spelling of ${url.hostname}; write it so`);
  }
  if (host.split('.').some((label) => label === '' || label.startsWith('-'))) {
    throw refused(text, 'its host has an empty part or one that begins with a dash');
  }
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw refused(text, 'its path has a dot segment');
  }
  if (scheme.toLowerCase() === 'http' && !isLoopback(host.toLowerCase())) {
    throw refused(text, 'plain http would show the token to the network; write it with https://');
  }
  url.pathname = path.endsWith(VERSION) ? path : path + VERSION;
  return url;
}

/** Whether a host, in lower case, is this machine by its very name. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Why an address is not of the shape, the likeliest mistake first. */
function misshapen(text: string): string {
  if (text.trim() === '') return 'it is empty';
  if (/[\s\p{Cc}]/u.test(text)) return 'it holds a space or a control character';
  if (text.includes('\\')) return 'it holds a backslash';
  if (/[^\x20-\x7e]/.test(text)) return 'it holds a letter beyond ASCII; write such a host in its xn-- form';
  if (!/^https?:\/\//i.test(text)) {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1];
    return scheme === undefined
      ? 'it does not begin with https://'
      : `${scheme}:// is not a way to reach the service`;
  }
  if (text.includes('@')) return 'it holds a user or password; the token is given apart from it';
  if (text.includes('?')) return 'it holds a query (?)';
  if (text.includes('#')) return 'it holds a fragment (#)';
  if (text.includes('%')) return 'it holds a percent-encoded character';
  return 'it is not of the form https://host[:port][/path]';
}

/** Shows the text only where it is an address without secrets: not a token in the wrong place, nor a password. */
function refused(text: string, reason: string): UsageError {
  const shown = /^[a-z]+:\/\/[\x21-\x7e]{1,200}$/i.test(text) && !/[@?#]/.test(text) ? ` ${text}` : '';
  return new UsageError(`the base address${shown} is refused: ${reason}`, {
    hint: 'Give it like https://api.example.com/v1, with --base-url, FOLIO_BASE_URL or in the profile',
  });
}
