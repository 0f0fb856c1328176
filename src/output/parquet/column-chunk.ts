import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { WIDE, type ParquetValue, type SchemaElement, type StoredColumn } from './stored-column.ts';

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
type PhysicalType = NonNullable<SchemaElement['type']>;
type Statistics = NonNullable<NonNullable<ColumnChunk['meta_data']>['statistics']>;
type PageHeader = Parameters<typeof writePageHeader>[1];

/** Bytes of a value that is no text; of a text those of its length. */
const WIDTHS: Readonly<Partial<Record<PhysicalType, number>>> = {
  INT32: 4,
  INT64: 8,
  FIXED_LEN_BYTE_ARRAY: WIDE,
  BYTE_ARRAY: 4,
};

/**
 * Writes the values of a column in a group of rows: their dictionary, where they repeat, and one page of all rows. The library that
 * writes the rest of the file takes an object for each cell, which takes more time than all else.
 */
export function writeColumnChunk(writer: ByteWriter, column: StoredColumn): ColumnChunk {
  const { element, values, rows, nulls } = column;
  const start = writer.offset;
  const type = element.type!;
  const indices = column.indices();
  const indexBits = Math.ceil(Math.log2(Math.max(1, values.length)));
  // A dictionary and what points into it have to take less than half of the room.
  const dictionarySize = plainSize(type, values) + Math.ceil((indices.length * indexBits) / 8);
  const all = values.length === indices.length ? values : indices.map((index) => values[index]!);
  const isDictionary = column.isShared && type !== 'BOOLEAN' && 2 * dictionarySize < plainSize(type, all);
  let size = 0;
  if (isDictionary) {
    const bytes = plainBytes(type, values);
    size = writePage(writer, {
      bytes,
      header: (compressed_page_size) => ({
        type: 'DICTIONARY_PAGE',
        uncompressed_page_size: bytes.length,
        compressed_page_size,
        dictionary_page_header: { num_values: values.length, encoding: 'PLAIN' },
      }),
    });
  }
  const pageStart = writer.offset;
  const encoding = isDictionary ? 'RLE_DICTIONARY' : 'PLAIN';
  const bytes = isDictionary ? indexBytes(indices, indexBits) : plainBytes(type, all);
  const levels = new ByteWriter();
  writeRleBitPackedHybrid(levels, column.levels(), 1);
  size += writePage(writer, {
    bytes,
    levels: levels.getBytes(),
    header: (compressed) => ({
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.offset + bytes.length,
      compressed_page_size: levels.offset + compressed,
      data_page_header_v2: {
        num_values: rows,
        num_nulls: nulls,
        num_rows: rows,
        encoding,
        definition_levels_byte_length: levels.offset,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    }),
  });
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: isDictionary ? ['PLAIN', encoding] : [encoding],
      path_in_schema: [element.name],
      codec: 'SNAPPY',
      num_values: BigInt(rows),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(size),
      data_page_offset: BigInt(pageStart),
      ...(isDictionary && { dictionary_page_offset: BigInt(start) }),
      statistics: statisticsOf(column),
    },
  };
}

interface Page {
  readonly bytes: Uint8Array;
  /** Of a page of rows: which of them have a value. They stand before the bytes, uncompressed. */
  readonly levels?: Uint8Array;
  readonly header: (compressedBytes: number) => PageHeader;
}

/** Writes a page and returns its size before compression, with its header. */
function writePage(writer: ByteWriter, { bytes, levels = new Uint8Array(), header }: Page): number {
  const start = writer.offset;
  const compressed = snappyCompress(bytes);
  writePageHeader(writer, header(compressed.length));
  const headerSize = writer.offset - start;
  writer.appendBytes(levels);
  writer.appendBytes(compressed);
  return headerSize + levels.length + bytes.length;
}

/** The indexes of the values of the rows in the dictionary. */
function indexBytes(indices: readonly number[], bits: number): Uint8Array {
  const page = new ByteWriter();
  page.appendUint8(bits);
  writeRleBitPackedHybrid(page, Int32Array.from(indices), bits);
  return page.getBytes();
}

function plainSize(type: PhysicalType, values: readonly ParquetValue[]): number {
  const texts = type === 'BYTE_ARRAY' ? (values as readonly string[]) : [];
  return texts.reduce((sum, { length }) => sum + length, values.length * (WIDTHS[type] ?? 0));
}

function plainBytes(type: PhysicalType, values: readonly ParquetValue[]): Uint8Array {
  if (type === 'BOOLEAN') {
    const page = new ByteWriter();
    writePlain(page, [...values], type, undefined);
    return page.getBytes();
  }
  const bytes = Buffer.allocUnsafeSlow(plainSize(type, values));
  let at = 0;
  for (const value of values) {
    if (typeof value === 'string') {
      at = bytes.writeUInt32LE(value.length, at);
      at += bytes.write(value, at, 'latin1');
    } else if (type === 'INT32') at = bytes.writeInt32LE(Number(value), at);
    else if (type === 'INT64') at = bytes.writeBigInt64LE(BigInt(value), at);
    else {
      at = bytes.writeBigInt64BE(BigInt(value) >> 64n, at);
      at = bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), at);
    }
  }
  return bytes;
}

function statisticsOf({ values, nulls }: StoredColumn): Statistics {
  const null_count = BigInt(nulls);
  let [least, greatest] = [values[0], values[0]];
  if (least === undefined || greatest === undefined) return { null_count };
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  const shown = (value: ParquetValue) => (typeof value === 'string' ? Buffer.from(value, 'latin1') : value);
  return { min_value: shown(least), max_value: shown(greatest), null_count };
}
