import { fsyncSync, openSync, write } from 'node:fs';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/*
 * `node-minimal <url> <pages> <csv|jsonl> [file]`: what a program of one thread can hardly do without for these pages: ask for them eight at
 * once, inflate them beside, scan, hash and write. It takes for granted what folio proves: that no record comes
 * twice or is missing, that the text is UTF-8 and JSON, and that all records have the columns of the first one, in its order. A file is
 * flushed to the disk, as folio's is.
 */

const [QUOTE, COMMA, BACKSLASH, LINE_FEED, LETTER_N] = [0x22, 0x2c, 0x5c, 0x0a, 0x6e];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

const inflate = promisify(gunzip);

async function fetchPage(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      const body = buffer(response);
      const isPacked = response.headers['content-encoding'] === 'gzip';
      resolve(isPacked ? body.then((packed) => inflate(packed, { chunkSize: 4 * 1024 * 1024 })) : body);
    }).on('error', reject);
  });
}

class Converter {
  readonly #isCsv: boolean;
  #out = Buffer.allocUnsafeSlow(1024);
  #to = 0;
  #hash = 0;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
  }

  /** The rows or lines of a page, valid until the next page. */
  convert(page: Buffer): Buffer {
    if (this.#out.length < 2 * page.length) this.#out = Buffer.allocUnsafeSlow(2 * page.length);
    this.#to = 0;
    const words = new DataView(page.buffer, page.byteOffset, page.length);
    let at = page.indexOf('"pageResults":[') + '"pageResults":['.length;
    while (page[at] === OPEN_BRACE) {
      const start = at;
      if (this.#isCsv) {
        at = this.#row(page, at);
        this.#out[this.#to - 1] = LINE_FEED;
      } else {
        at = endOfNested(page, at);
        this.#to += page.copy(this.#out, this.#to, start, at);
        this.#out[this.#to++] = LINE_FEED;
      }
      let hash = this.#hash;
      for (let word = start; word + 4 <= at; word += 4)
        hash = Math.imul(hash ^ words.getInt32(word, true), 0x9e3779b1);
      this.#hash = hash;
      if (page[at] === COMMA) at++;
    }
    if (this.#hash === 1) process.stderr.write('the hash is used, so that it is computed\n');
    return this.#out.subarray(0, this.#to);
  }

  /** Writes the cells of an object, a comma behind each. Returns the place behind it. */
  #row(page: Buffer, start: number): number {
    let at = start + 1;
    while (page[at] !== CLOSE_BRACE) {
      if (page[at] === COMMA) at++;
      // Behind the name and its colon.
      at = endOfString(page, at) + 1;
      if (page[at] === OPEN_BRACE) at = this.#row(page, at);
      else at = this.#cell(page, at);
    }
    return at + 1;
  }

  #cell(page: Buffer, start: number): number {
    const out = this.#out;
    let to = this.#to;
    let at = start;
    const first = page[start];
    if (first === OPEN_BRACKET) {
      const end = endOfNested(page, start);
      out[to++] = QUOTE;
      for (; at < end; at++) {
        if (page[at] === QUOTE) out[to++] = QUOTE;
        out[to++] = page[at]!;
      }
      out[to++] = QUOTE;
    } else if (first === QUOTE) {
      const behind = endOfString(page, start);
      let mustQuote = false;
      for (at = start + 1; at < behind - 1 && !mustQuote; at++)
        mustQuote = page[at] === COMMA || page[at] === BACKSLASH;
      if (mustQuote) out[to++] = QUOTE;
      for (at = start + 1; at < behind - 1; at++) {
        let byte = page[at]!;
        // Of the escapes, those that the records have.
        if (byte === BACKSLASH) {
          byte = page[++at] === LETTER_N ? LINE_FEED : page[at]!;
          if (byte === QUOTE) out[to++] = QUOTE;
        }
        out[to++] = byte;
      }
      if (mustQuote) out[to++] = QUOTE;
      at = behind;
    } else {
      // A cell of null is empty.
      for (; page[at] !== COMMA && page[at] !== CLOSE_BRACE; at++)
        if (first !== LETTER_N) out[to++] = page[at]!;
    }
    out[to++] = COMMA;
    this.#to = to;
    return at;
  }
}

/** The place behind the object or array that begins at `start`. */
function endOfNested(page: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const byte = page[at]!;
    if (byte === QUOTE) at = endOfString(page, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
}

function endOfString(page: Buffer, start: number): number {
  let at = start + 1;
  for (; page[at] !== QUOTE; at++) if (page[at] === BACKSLASH) at++;
  return at + 1;
}

const [url, pages, format, path] = process.argv.slice(2);
const file = path === undefined ? undefined : openSync(path, 'w');
const converter = new Converter(format === 'csv');
const waiting: Promise<Buffer>[] = [];
let next = 0;
for (let page = 0; page < Number(pages); page++) {
  while (next < Number(pages) && next < page + 8) waiting.push(fetchPage(`${url}${next++}`));
  const rows = converter.convert(await waiting.shift()!);
  if (file === undefined) await new Promise((written) => process.stdout.write(rows, written));
  else await promisify(write)(file, rows);
}
if (file !== undefined) fsyncSync(file);
