import type { Reply } from './endpoints/reply.ts';

/** Answers that were sent lately, so that a page asked for again costs nothing. Bounded in bytes; the oldest go first. */
export class PageCache {
  readonly #replies = new Map<string, Reply>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(key: string): Reply | undefined {
    return this.#replies.get(key);
  }

  /** Keeps an answer whose body is whole and not too large to share the room with others. */
  set(key: string, reply: Reply): void {
    const size = sizeOf(reply);
    if (size > this.#mostBytes / 8 || this.#replies.has(key)) return;
    this.#replies.set(key, reply);
    this.#bytes += size;
    for (const [oldest, kept] of this.#replies) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#replies.delete(oldest);
      this.#bytes -= sizeOf(kept);
    }
  }
}

/** The body and what the entry itself takes, in bytes. */
function sizeOf({ body }: Reply): number {
  return Buffer.isBuffer(body) ? body.length + 512 : Infinity;
}
