import { ServiceError } from '../errors.ts';
import { isLoopback } from './base-url.ts';

/** Redirects that are followed from a link to its file: one is what the service does (spec 2.5). */
export const MOST_REDIRECTS = 5;

/**
 * A link to a file, or where one redirects to, checked before anything is sent: https only, without user and password.
 * This machine may be named, and then also with http, only where the service itself is on it: else a service, or
 * whoever speaks for it, could have folio ask programs that listen for nobody but their user.
 *
 * @param link the text of the link; relative to `from` in a redirect
 * @throws ServiceError, whose message shows no more of the link than its host
 */
export function checkLink(link: string, options: { readonly onLoopback: boolean; readonly from?: URL }): URL {
  const { onLoopback, from } = options;
  if (!URL.canParse(link, from?.href)) throw refused('', 'is no address');
  const url = new URL(link, from?.href);
  url.hash = '';
  const local = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    throw refused(url.host, `is ${url.protocol}// and not https://`);
  }
  if (url.username !== '' || url.password !== '') throw refused(url.host, 'names a user');
  if (local && !onLoopback) throw refused(url.host, 'leads to this machine, where the service is not');
  return url;
}

function refused(host: string, why: string): ServiceError {
  return new ServiceError(`the link${host === '' ? '' : ` to ${host}`} ${why}: it is not followed`);
}
