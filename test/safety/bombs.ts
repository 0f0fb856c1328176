import { createGzip } from 'node:zlib';

const MIB = 2 ** 20;

/** An answer that means harm by its size. */
export interface Bomb {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent one after the other. */
  readonly chunks: () => Iterable<Buffer>;
}

/** So many megabytes of zeros as one gzip member: about a thousandth of that. */
export async function zerosInGzip(megabytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const packed: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => packed.push(chunk));
  const zeros = Buffer.alloc(MIB);
  for (let written = 0; written < megabytes; written++) {
    await new Promise<void>((resolve) => gzip.write(zeros, () => resolve()));
  }
  await new Promise<void>((resolve) => gzip.end(resolve));
  return Buffer.concat(packed);
}

/** A whole body. */
export function bodyOf(text: string | Buffer, headers: Readonly<Record<string, string>> = {}): Bomb {
  return { headers, chunks: () => [Buffer.from(text)] };
}

/** A page whose only record is this text, for invoices and customers alike. */
export function pageOf(records: string, errors = '[]'): Bomb {
  return bodyOf(
    `{"total":1,"page":0,"errors":${errors},"nextToken":null,"data":[${records}],"pageResults":[${records}]}`,
  );
}

/** So many megabytes, without an end in sight. */
export function stream(megabytes: number, headers: Readonly<Record<string, string>> = {}): Bomb {
  const chunk = Buffer.alloc(MIB, ' ');
  return { headers, chunks: () => Array.from({ length: megabytes }, () => chunk) };
}

/** Brackets within brackets. */
export function deep(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

export function deepObject(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

/** A record with so many fields. */
export function wide(columns: number, from = 0): string {
  const fields = Array.from({ length: columns }, (_, at) => `"c${from + at}":1`);
  return `{${fields.join(',')}}`;
}

/** So many megabytes of empty values, which take many times that as objects. */
export function manyEmpty(megabytes: number, value = '{}'): string {
  return `[${`${value},`.repeat(Math.floor((megabytes * MIB) / (value.length + 1)))}${value}]`;
}

/** So many megabytes of members, no two of one name. */
export function names(megabytes: number): string {
  const members = Array.from(
    { length: (megabytes * MIB) / 13 },
    (_, at) => `"${String(at).padStart(8, '0')}":1`,
  );
  return members.join(',');
}
