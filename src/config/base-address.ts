import { UsageError } from '../errors.ts';

const hint = 'It looks like https://api.example.com/v1; the /v1 may be left out.';

/**
 * Reads the service's address, given with or without `/v1`; what comes out always ends in `/v1`, without a slash.
 *
 * Everything is refused that could send the token elsewhere than it looks: anything but https (plain http on loopback
 * only, where a test service runs), user names, and characters that the URL parser would quietly drop or turn.
 *
 * @param from where the address comes from, for the message: `--base-url`, `FOLIO_BASE_URL`
 */
export function parseBaseAddress(text: string, from: string): URL {
  const given = text.trim();
  const refuse = (reason: string): never => {
    // Not quoted when it holds an "@": what stands before it may be a password.
    const quoted = given.includes('@') ? '' : ` ${JSON.stringify(given.slice(0, 200))}`;
    throw new UsageError(`${from}${quoted}: ${reason}`, { hint });
  };
  if (/[^\x21-\x7e]|[\\<>"`{}|^]/.test(given)) return refuse('holds a character that an address cannot hold');
  if (!/^https?:\/\/[^/]/i.test(given)) return refuse('an address begins with https://');
  if (given.includes('@')) return refuse('an address holds no user name or password');
  if (/[?#]/.test(given)) return refuse('the base address has no query and no fragment');
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(given))
    return refuse('an address has no "." or ".." in its path');
  if (!URL.canParse(given)) return refuse('this is not an address');
  const url = new URL(given);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    return refuse('only https is spoken, except to this machine (localhost, 127.0.0.1, [::1])');
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/v1') ? path : `${path}/v1`;
  return url;
}

function isLoopback(host: string): boolean {
  // The parser has already turned 127.1, 0x7f.1 and the like into four numbers.
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
