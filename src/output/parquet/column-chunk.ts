import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import type { ByteOrder, ColumnValues } from './column-values.ts';
import { readStored, type SchemaElement } from './stored-column.ts';

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
type Statistics = NonNullable<NonNullable<ColumnChunk['meta_data']>['statistics']>;

/**
 * Writes the values of a column in a group of rows: their dictionary, where they repeat, and one page of all rows. The library that
 * writes the rest of the file takes an object for each cell: of 100,000 invoices, that took more time than DuckDB for all of it.
 */
export function writeColumnChunk(
  writer: ByteWriter,
  element: SchemaElement,
  values: ColumnValues,
): ColumnChunk {
  const start = writer.offset;
  const type = element.type!;
  const present = values.rows - values.nulls;
  const indexBits = Math.ceil(Math.log2(Math.max(1, values.count)));
  // A dictionary and what points into it have to take less than half of the room.
  const dictionarySize = values.bytes.length + Math.ceil((present * indexBits) / 8);
  const isDictionary = values.isShared && type !== 'BOOLEAN' && 2 * dictionarySize < values.plainSize;
  let size = isDictionary ? writeDictionary(writer, values) : 0;
  const pageStart = writer.offset;
  const encoding = isDictionary ? 'RLE_DICTIONARY' : 'PLAIN';
  const plain = (): Uint8Array => (type === 'BOOLEAN' ? bitsOf(values) : values.plain());
  const bytes = isDictionary ? indicesOf(values, indexBits) : plain();
  size += writePage(writer, values, { encoding, bytes });
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: isDictionary ? ['PLAIN', encoding] : [encoding],
      path_in_schema: [element.name],
      codec: 'SNAPPY',
      num_values: BigInt(values.rows),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(size),
      data_page_offset: BigInt(pageStart),
      ...(isDictionary && { dictionary_page_offset: BigInt(start) }),
      statistics: statisticsOf(element, values),
    },
  };
}

/** The places of the values of the rows in the dictionary. */
function indicesOf(values: ColumnValues, bits: number): Uint8Array {
  const page = new ByteWriter();
  page.appendUint8(bits);
  writeRleBitPackedHybrid(page, values.indices(), bits);
  return page.getBytes();
}

function bitsOf(values: ColumnValues): Uint8Array {
  const page = new ByteWriter();
  const flags = Array.from(values.indices(), (value) => values.valueAt(value)[0] === 1);
  writePlain(page, flags, 'BOOLEAN', undefined);
  return page.getBytes();
}

/** Writes the dictionary and returns its size before compression, with its header. */
function writeDictionary(writer: ByteWriter, { bytes, count }: ColumnValues): number {
  const start = writer.offset;
  const compressed = snappyCompress(bytes);
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: bytes.length,
    compressed_page_size: compressed.length,
    dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
  });
  const header = writer.offset - start;
  writer.appendBytes(compressed);
  return header + bytes.length;
}

/** Writes the page of all rows and returns its size before compression, with its header. */
function writePage(
  writer: ByteWriter,
  values: ColumnValues,
  { encoding, bytes }: { readonly encoding: 'PLAIN' | 'RLE_DICTIONARY'; readonly bytes: Uint8Array },
): number {
  const start = writer.offset;
  const levels = new ByteWriter();
  writeRleBitPackedHybrid(levels, values.levels(), 1);
  const compressed = snappyCompress(bytes);
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.offset + bytes.length,
    compressed_page_size: levels.offset + compressed.length,
    data_page_header_v2: {
      num_values: values.rows,
      num_nulls: values.nulls,
      num_rows: values.rows,
      encoding,
      definition_levels_byte_length: levels.offset,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  const header = writer.offset - start;
  writer.appendBytes(levels.getBytes());
  writer.appendBytes(compressed);
  return header + levels.offset + bytes.length;
}

/** How the bytes of values are compared, by what stores them. */
const ORDERS: Readonly<Partial<Record<string, ByteOrder>>> = {
  INT32: 'lowest first',
  INT64: 'lowest first',
  FIXED_LEN_BYTE_ARRAY: 'highest first',
};

function statisticsOf(element: SchemaElement, values: ColumnValues): Statistics {
  const null_count = BigInt(values.nulls);
  if (values.count === 0) return { null_count };
  const [least, greatest] = values
    .extremes(ORDERS[element.type!] ?? 'text')
    .map((value) => readStored(values.valueAt(value), element));
  return { min_value: least!, max_value: greatest!, null_count };
}
