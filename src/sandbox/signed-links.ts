import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Seconds that a link opens its file (spec 2.5). */
const linkLife = 24 * 3600;

/** Links that open a file without a token, until they end (spec 2.5). */
export class LinkSigner {
  readonly #key: KeyObject;
  readonly #now: () => number;

  constructor(key: Buffer, now: () => number) {
    this.#key = createSecretKey(key);
    this.#now = now;
  }

  /** The end of a link made now, in seconds since 1970. So a record that is read again a second later has another link. */
  expiry(seconds = linkLife): number {
    return Math.ceil(this.#now() / 1000) + seconds;
  }

  /** The path with its end and its signature. */
  sign(path: string, expires: number): string {
    return `${path}?expires=${expires}&signature=${this.#signature(path, String(expires))}`;
  }

  /** Judges a link that came back; `query` is what follows the question mark. */
  check(path: string, query: string): 'valid' | 'expired' | 'forged' {
    const form = /^expires=(\d{1,12})&signature=([\w-]{43})$/.exec(query);
    if (form === null) return 'forged';
    const [expected, given] = [this.#signature(path, form[1]!), form[2]!];
    if (!timingSafeEqual(Buffer.from(expected), Buffer.from(given))) return 'forged';
    return Number(form[1]) * 1000 > this.#now() ? 'valid' : 'expired';
  }

  #signature(path: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${path}\n${expires}`).digest('base64url');
  }
}
