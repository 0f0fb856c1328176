import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

const millisecondsPerHour = 3_600_000;

/** Links that open a file without a token, until they end (spec 2.5). */
export class LinkSigner {
  readonly #key: KeyObject;
  readonly #now: () => number;

  constructor(seed: number, now: () => number) {
    this.#key = createSecretKey(Buffer.from(`folio sandbox links ${seed}`));
    this.#now = now;
  }

  /**
   * The end of a link made now, in seconds since 1970: 24 hours on, rounded up to the hour. So two reads of a record
   * within the hour are the same bytes, and a page that was made once can be sent again.
   */
  expiry(hours = 24): number {
    return (Math.ceil(this.#now() / millisecondsPerHour) + hours) * (millisecondsPerHour / 1000);
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
