import { crc32, deflateRawSync } from 'node:zlib';
import { OutputError } from '../../errors.ts';
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
const MOST_BYTES = 0xffffffff;

/** Writes a zip archive as it comes; sizes are in front of each file, so that every reader can stream it. */
export class ZipArchive {
  readonly #sink: Sink;
  readonly #directory: Buffer[] = [];
  #offset = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Throws OutputError where the archive would pass 4 GiB, which needs a form of zip that many readers lack. */
  async add(entry: ZipEntry): Promise<void> {
    const name = Buffer.from(entry.name);
    if (this.#offset + name.length + entry.deflatedSize + 1024 > MOST_BYTES) {
      throw new OutputError('the workbook would be larger than 4 GB', {
        hint: 'Write csv or jsonl, or fewer columns with --columns',
      });
    }
    this.#directory.push(centralHeader(entry, name, this.#offset), name);
    await this.#write(localHeader(entry, name));
    await this.#write(name);
    for await (const chunk of entry.deflated) await this.#write(chunk);
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    const deflated = deflateRawSync(content);
    const [crc, size, deflatedSize] = [crc32(content), content.length, deflated.length];
    await this.add({ name, crc, size, deflatedSize, deflated: [deflated] });
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

/** What both headers say of a file, in the same order. */
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
