import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { OutputError } from '../../errors.ts';
import { Spool } from '../spool.ts';
import type { Sink } from '../writer.ts';

/** One file of an archive, already deflated. */
export interface ZipEntry {
  readonly name: string;
  /** CRC-32 of the content. */
  readonly crc: number;
  /** Bytes of the content, and of what it was deflated to. Both less than 4 GiB. */
  readonly size: number;
  readonly deflatedSize: number;
  readonly deflated: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const DEFLATE = 8;
/** The first of January 1980, the earliest that zip knows: equal content makes equal bytes. */
const DATE = 0x0021;
const MAX_BYTES = 0xffffffff;

/** Writes a zip archive file by file. The sizes stand before each file, so that every reader can stream it. */
export class ZipArchive {
  readonly #sink: Sink;
  readonly #directory: Buffer[] = [];
  #offset = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Throws OutputError if the archive would pass 4 GiB: that needs a form of zip that many readers lack. */
  async add(entry: ZipEntry): Promise<void> {
    const name = Buffer.from(entry.name);
    if (this.#offset + name.length + entry.deflatedSize + 1024 > MAX_BYTES) {
      throw new OutputError('the workbook would be larger than 4 GB', {
        hint: 'Write csv or jsonl, or fewer columns with --columns.',
      });
    }
    this.#directory.push(centralHeader(entry, name, this.#offset), name);
    await this.#write(localHeader(entry, name));
    await this.#write(name);
    for await (const chunk of entry.deflated) await this.#write(chunk);
  }

  addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    const deflated = deflateRawSync(content);
    const [crc, size, deflatedSize] = [crc32(content), content.length, deflated.length];
    return this.add({ name, crc, size, deflatedSize, deflated: [deflated] });
  }

  /** Writes the directory. Does not close the sink. */
  async end(): Promise<void> {
    const start = this.#offset;
    const directory = Buffer.concat(this.#directory);
    await this.#write(directory);
    const end = Buffer.alloc(22);
    const count = this.#directory.length / 2;
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(count, 8);
    end.writeUInt16LE(count, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(start, 16);
    await this.#write(end);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#sink.write(bytes);
    this.#offset += bytes.length;
  }
}

function localHeader(entry: ZipEntry, name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  writeCommon(header, 4, { entry, name });
  return header;
}

function centralHeader(entry: ZipEntry, name: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(CENTRAL, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, { entry, name });
  header.writeUInt32LE(offset, 42);
  return header;
}

/** The part that both headers have in common. */
function writeCommon(header: Buffer, at: number, { entry, name }: { entry: ZipEntry; name: Buffer }): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt16LE(DEFLATE, at + 4);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt32LE(entry.crc, at + 10);
  header.writeUInt32LE(entry.deflatedSize, at + 14);
  header.writeUInt32LE(entry.size, at + 18);
  header.writeUInt16LE(name.length, at + 22);
}

const deflate = promisify(deflateRaw);

/** Characters that are deflated together. Larger pieces would save less than a hundredth. */
const PIECE = 1 << 18;

/** At level 3 a workbook is a sixteenth larger than at 6, and takes three quarters of the time. */
const DEFLATE_OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH, level: 3, chunkSize: 1 << 16 };

/**
 * Text deflated as it comes, in pieces that end on a byte and refer to nothing before them: so a head that is known only at the
 * end can be put before them. Deflating runs in a thread of its own.
 */
export class DeflatedText {
  /** CRC-32 of the text so far, and its bytes; complete after `end`. */
  crc = 0;
  size = 0;
  deflatedSize = 0;
  readonly #spool = new Spool();
  #text = '';
  #piece: Promise<void> = Promise.resolve();

  /** Takes text. Await `drain` before much more. */
  append(text: string): void {
    this.#text += text;
  }

  /** Resolves when more text may come. Rejects with OutputError when there is no room for temporary files. */
  async drain(): Promise<void> {
    if (this.#text.length < PIECE) return;
    const content = this.#take();
    await this.#piece;
    this.#piece = this.#deflate(content);
    // The next call that waits for the piece throws its failure.
    this.#piece.catch(() => undefined);
  }

  /** Finishes the text. Nothing can be appended any more. */
  async end(): Promise<void> {
    await this.#piece;
    await this.#keep(deflateRawSync(this.#take()));
  }

  /** The deflated bytes. Call it once: the temporary file is gone afterwards. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    yield* this.#spool.read({ reuse: true });
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
    await this.#keep(await deflate(content, DEFLATE_OPTIONS));
  }

  async #keep(deflated: Buffer): Promise<void> {
    this.deflatedSize += deflated.length;
    await this.#spool.append(deflated);
  }
}

/** Deflates a text that other deflated text follows. */
export function deflateHead(text: string): { crc: number; size: number; deflated: Buffer } {
  const content = Buffer.from(text);
  const deflated = deflateRawSync(content, {
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: PIECE,
    level: 1,
  });
  return { crc: crc32(content), size: content.length, deflated };
}

/** The polynomial of CRC-32, lowest power in the highest bit, as zip, gzip and PNG have it. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
/** The polynomial of one more byte of zeros. */
const ONE_BYTE = 0x00800000;

/**
 * The CRC-32 of two texts one after the other, from the CRC-32 of each and the length of the second in bytes. The head of a
 * sheet is known only after its rows. It is zlib's crc32_combine, which Node does not have.
 */
export function combineCrc(first: number, second: number, length: number): number {
  let shift = ONE;
  let power = ONE_BYTE;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(power, shift);
    power = multiply(power, power);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

/** The product of two polynomials over the field of two elements, modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = ONE, shifted = b; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}
