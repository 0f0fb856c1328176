import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/*
 * `node-minimal <url> <pages> <csv|jsonl>`: the least that a program of one thread can do for these pages: ask for them eight at
 * once, inflate them beside, look at each byte once, hash it, write it. It takes for granted what folio proves: that no record comes
 * twice or is missing, that the text is UTF-8 and JSON, and that all records have the columns of the first one, in its order.
 */

const [QUOTE, COMMA, COLON, BACKSLASH, LINE_FEED, LETTER_N] = [0x22, 0x2c, 0x3a, 0x5c, 0x0a, 0x6e];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

const inflate = promisify(gunzip);

async function fetchPage(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      const body = buffer(response);
      const isPacked = response.headers['content-encoding'] === 'gzip';
      resolve(isPacked ? body.then((packed) => inflate(packed)) : body);
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
    let at = page.indexOf('"pageResults":[') + '"pageResults":['.length;
    while (page[at] === OPEN_BRACE) {
      if (this.#isCsv) {
        at = this.#row(page, at);
        this.#out[this.#to - 1] = LINE_FEED;
      } else {
        const start = at;
        at = this.#end(page, start);
        this.#to += page.copy(this.#out, this.#to, start, at);
        this.#out[this.#to++] = LINE_FEED;
      }
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
      at = page.indexOf(COLON, this.#endOfString(page, at)) + 1;
      if (page[at] === OPEN_BRACE) at = this.#row(page, at);
      else at = this.#cell(page, at);
    }
    return at + 1;
  }

  #cell(page: Buffer, start: number): number {
    const end = this.#end(page, start);
    const isText = page[start] === QUOTE;
    if (page[start] === LETTER_N) {
      this.#out[this.#to++] = COMMA;
      return end;
    }
    const [from, until] = isText ? [start + 1, end - 1] : [start, end];
    const out = this.#out;
    const begun = this.#to;
    let mustQuote = false;
    out[this.#to++] = QUOTE;
    for (let at = from; at < until; at++) {
      let byte = page[at]!;
      // Of the escapes, those that the records have.
      if (byte === BACKSLASH && isText) byte = page[++at] === LETTER_N ? LINE_FEED : page[at]!;
      if (byte === QUOTE) out[this.#to++] = QUOTE;
      mustQuote ||= byte === QUOTE || byte === COMMA || byte === LINE_FEED;
      out[this.#to++] = byte;
    }
    if (mustQuote) out[this.#to++] = QUOTE;
    else {
      out.copyWithin(begun, begun + 1, this.#to);
      this.#to--;
    }
    out[this.#to++] = COMMA;
    return end;
  }

  /** The place behind a value. */
  #end(page: Buffer, start: number): number {
    let depth = 0;
    for (let at = start; ; at++) {
      const byte = page[at]!;
      this.#hash = Math.imul(this.#hash ^ byte, 0x9e3779b1);
      if (byte === QUOTE) {
        at = this.#endOfString(page, at) - 1;
        if (depth === 0) return at + 1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
      } else if (byte === COMMA && depth === 0) return at;
    }
  }

  #endOfString(page: Buffer, start: number): number {
    let at = start + 1;
    for (; page[at] !== QUOTE; at++) {
      this.#hash = Math.imul(this.#hash ^ page[at]!, 0x9e3779b1);
      if (page[at] === BACKSLASH) at++;
    }
    return at + 1;
  }
}

const [url, pages, format] = process.argv.slice(2);
const converter = new Converter(format === 'csv');
const waiting: Promise<Buffer>[] = [];
let next = 0;
for (let page = 0; page < Number(pages); page++) {
  while (next < Number(pages) && next < page + 8) waiting.push(fetchPage(`${url}${next++}`));
  const rows = converter.convert(await waiting.shift()!);
  await new Promise((written) => process.stdout.write(rows, written));
}
