import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { Spool } from '../spool.ts';

const deflate = promisify(deflateRaw);

/** Characters that are deflated together: what is lost where a piece begins anew is then under a hundredth. */
const PIECE = 1 << 18;

/** At level 3 a workbook is a sixteenth larger than at 6, and done in three quarters of the time. */
const DEFLATE = { finishFlush: constants.Z_SYNC_FLUSH, level: 3, chunkSize: 1 << 16 };

/**
 * Text deflated as it comes, in pieces that end on a byte and refer to nothing before them. So the pieces can be put
 * one behind the other, and behind a head that is known only later. Deflating goes on beside whoever writes.
 */
export class DeflatedText {
  /** CRC-32 of the text so far, and its bytes; complete after `end`. */
  crc = 0;
  size = 0;
  deflatedSize = 0;
  readonly #spool = new Spool();
  #text = '';
  #piece: Promise<void> = Promise.resolve();

  /** Takes text; `drain` is to be awaited before much more. */
  append(text: string): void {
    this.#text += text;
  }

  /** Resolves when more text may come. Rejects with OutputError when there is no room for temporary files. */
  async drain(): Promise<void> {
    if (this.#text.length < PIECE) return;
    const content = this.#take();
    await this.#piece;
    this.#piece = this.#deflate(content);
    // A failure is met by whoever waits for the piece next.
    this.#piece.catch(() => undefined);
  }

  /** Takes the last text; nothing can be appended any more. */
  async end(): Promise<void> {
    await this.#piece;
    await this.#keep(deflateRawSync(this.#take()));
  }

  /** The deflated bytes, once: the temporary file is gone afterwards. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    yield* this.#spool.read();
    await this.#spool.close();
  }

  #take(): Buffer {
    const content = Buffer.from(this.#text);
    this.#text = '';
    this.crc = crc32(content, this.crc);
    this.size += content.length;
    return content;
  }

  async #deflate(content: Buffer): Promise<void> {
    await this.#keep(await deflate(content, DEFLATE));
  }

  async #keep(deflated: Buffer): Promise<void> {
    this.deflatedSize += deflated.length;
    await this.#spool.append(deflated);
  }
}

/** A head for deflated text: not the end of it. */
export function deflateHead(text: string): { crc: number; size: number; deflated: Buffer } {
  const content = Buffer.from(text);
  const deflated = deflateRawSync(content, {
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: PIECE,
    level: 1,
  });
  return { crc: crc32(content), size: content.length, deflated };
}
