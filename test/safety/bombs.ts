import { constants, deflateRawSync } from 'node:zlib';

const MIB = 2 ** 20;

/** An answer that means harm by its size. */
export interface Bomb {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent one after the other. */
  readonly chunks: () => Iterable<Buffer>;
}

/**
 * So many megabytes of zeros as one gzip member: about a thousandth of that. Each megabyte is the same block; the checksum at
 * the end, to which nobody who is careful gets, is none.
 */
export function zerosInGzip(megabytes: number): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const block = deflateRawSync(Buffer.alloc(MIB), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const end = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  end.writeUInt32LE(megabytes * MIB, 6);
  return Buffer.concat([header, ...Array.from({ length: megabytes }, () => block), end]);
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
