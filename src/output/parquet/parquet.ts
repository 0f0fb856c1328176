import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { OutputError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import type { OpenWriter } from '../writer.ts';
import { StoredColumn, storedType, WIDE, type ParquetValue, type SchemaElement } from './stored-column.ts';

/** When a row group is full: bytes of records as sent, or cells, since few bytes may make thousands of them. */
const ROW_GROUP = { bytes: 16 * 1024 * 1024, cells: 4_000_000 };

/** The most columns of all row groups together: the metadata of each waits in memory. */
const MAX_CHUNKS = 50_000;

/** The only column of a file without records and declared columns: engines refuse a file without columns. */
const NO_COLUMN = '_no_records';

const CREATED_BY = 'folio';

/**
 * A Parquet file. Columns are those of the layout, or all that any record has, by first appearance. The type of a column is
 * declared, never guessed from values, so that all files agree. Records are written as they come, a group of rows at a time,
 * and memory does not grow with them. A column that appears later is null in earlier groups, which is written at the end: a
 * group need not be in one piece. The same records give the same bytes.
 *
 * Throws UsageError for a value that does not fit its column's type, with the record's place.
 */
export const openParquet: OpenWriter = (sink, { columns: chosen, headings, types, declared }) => {
  const reader = new CellReader(chosen);
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: [], createdBy: CREATED_BY });
  const groups = file.row_groups;
  const columns: StoredColumn[] = [];
  let records = 0;
  /** Of the current group: its rows, and the bytes of their records as sent. */
  let [rows, bytesSent] = [0, 0];

  const drain = async (): Promise<void> => {
    await sink.write(bytes.getBytes());
    bytes.index = 0;
  };

  /** Adds the columns that are new: in the rows before, they are null. */
  const openColumns = (names: readonly string[]): void => {
    if (columns.length === names.length) return;
    const shown = headings?.(names) ?? names;
    for (const [at, name] of [...names.entries()].slice(columns.length)) {
      const heading = shown[at]!;
      const type = types?.get(name) ?? types?.get(heading) ?? storedType(declared?.typeOf(name));
      const column = new StoredColumn(heading, type);
      column.addNulls(rows);
      columns.push(column);
    }
  };

  const endGroup = async (): Promise<void> => {
    if ((groups.length + 1) * columns.length > MAX_CHUNKS)
      throw new OutputError(
        `${records} records with ${columns.length} different fields are too many cells for a Parquet file`,
        { hint: 'Name the columns you want with --columns, or use --format jsonl.' },
      );
    const chunks = columns.map((column) => writeColumnChunk(bytes, column));
    groups.push({ columns: chunks, num_rows: BigInt(rows), total_byte_size: 0n });
    file.num_rows += BigInt(rows);
    for (const column of columns) column.clear();
    rows = bytesSent = 0;
    await drain();
  };

  /** Writes the columns that appeared after a group: they are null in all of its rows. */
  const completeGroups = async (): Promise<void> => {
    for (const group of groups) {
      for (const column of columns.slice(group.columns.length)) {
        column.clear();
        column.addNulls(Number(group.num_rows));
        group.columns.push(writeColumnChunk(bytes, column));
      }
      const sizes = group.columns.map(({ meta_data }) => meta_data!);
      group.total_byte_size = sizes.reduce((sum, chunk) => sum + chunk.total_uncompressed_size, 0n);
      group.total_compressed_size = sizes.reduce((sum, chunk) => sum + chunk.total_compressed_size, 0n);
      await drain();
    }
  };

  /** The columns; for a listing without records the declared ones, so that its file matches those of other months. */
  const allNames = (): readonly string[] => {
    if (reader.columns.length > 0) return reader.columns;
    const usual = new Set([...(declared?.names ?? []), ...(types?.keys() ?? [])]);
    return usual.size > 0 ? [...usual] : [NO_COLUMN];
  };

  return {
    async write(batch) {
      for (let index = 0; index < batch.count; index++) {
        reader.moveTo(batch, index);
        openColumns(reader.columns);
        records++;
        rows++;
        bytesSent += batch.bounds[2 * index + 1]! - batch.bounds[2 * index]!;
        for (let at = 0; at < columns.length; at++) columns[at]!.add(reader, at, records);
        if (bytesSent >= ROW_GROUP.bytes || rows * columns.length >= ROW_GROUP.cells) await endGroup();
      }
    },
    async end() {
      openColumns(allNames());
      if (rows > 0) await endGroup();
      await completeGroups();
      const elements = columns.map(({ element }) => element);
      file.schema = [{ name: 'root', num_children: elements.length }, ...elements];
      await file.finish();
      if (records === 0) declareRowGroups(bytes.getBytes());
      await drain();
    },
  };
};

const THRIFT_STRUCT = 0x0c;

/**
 * Declares the empty list of row groups as one of structs, as strict readers want it; the library leaves its type open. In
 * Thrift's compact protocol: a list (0x19), empty (0x00), and behind it who wrote the file.
 */
function declareRowGroups(file: Uint8Array): void {
  const list = Buffer.from([0x19, 0x00, 0x28, CREATED_BY.length, ...Buffer.from(CREATED_BY)]);
  const at = Buffer.from(file.buffer, file.byteOffset, file.length).lastIndexOf(list);
  if (at === -1) throw new TypeError('a Parquet file without records has no list of row groups');
  file[at + 1] = THRIFT_STRUCT;
}

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
type PhysicalType = NonNullable<SchemaElement['type']>;
type Statistics = NonNullable<NonNullable<ColumnChunk['meta_data']>['statistics']>;
type Page = Omit<Parameters<typeof writePageHeader>[1], 'uncompressed_page_size' | 'compressed_page_size'>;

/** Bytes of a value; for text, the bytes of its length. */
const WIDTHS: Readonly<Partial<Record<PhysicalType, number>>> = {
  INT32: 4,
  INT64: 8,
  FIXED_LEN_BYTE_ARRAY: WIDE,
  BYTE_ARRAY: 4,
};

/**
 * Writes the values of a column in a group of rows: a dictionary if they repeat, and one page of all rows. The library
 * that writes the rest of the file needs an object for each cell, which would take most of the time.
 */
function writeColumnChunk(writer: ByteWriter, column: StoredColumn): ColumnChunk {
  const { element, values, rows, nulls } = column;
  const start = writer.offset;
  const type = element.type!;
  const indices = column.indices();
  const indexBits = Math.ceil(Math.log2(Math.max(1, values.length)));
  // The dictionary and its indexes have to take less than half of the plain size.
  const dictionarySize = plainSize(type, values) + Math.ceil((indices.length * indexBits) / 8);
  const all = values.length === indices.length ? values : indices.map((index) => values[index]!);
  const isDictionary = column.isShared && type !== 'BOOLEAN' && 2 * dictionarySize < plainSize(type, all);
  const dictionary: Page = {
    type: 'DICTIONARY_PAGE',
    dictionary_page_header: { num_values: values.length, encoding: 'PLAIN' },
  };
  let size = isDictionary ? writePage(writer, plainBytes(type, values), dictionary) : 0;
  const pageStart = writer.offset;
  const encoding = isDictionary ? 'RLE_DICTIONARY' : 'PLAIN';
  const levels = new ByteWriter();
  writeRleBitPackedHybrid(levels, column.levels(), 1);
  const page: Page = {
    type: 'DATA_PAGE_V2',
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levels.offset,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  };
  const bytes = isDictionary ? indexBytes(indices, indexBits) : plainBytes(type, all);
  size += writePage(writer, bytes, page, levels.getBytes());
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

/**
 * Writes a page and returns its size before compression, with its header.
 *
 * @param levels for a page of rows: which rows have a value. They precede the bytes, uncompressed.
 */
function writePage(writer: ByteWriter, bytes: Uint8Array, page: Page, levels = new Uint8Array()): number {
  const start = writer.offset;
  const compressed = snappyCompress(bytes);
  const uncompressed_page_size = levels.length + bytes.length;
  const compressed_page_size = levels.length + compressed.length;
  writePageHeader(writer, { ...page, uncompressed_page_size, compressed_page_size });
  const headerSize = writer.offset - start;
  writer.appendBytes(levels);
  writer.appendBytes(compressed);
  return headerSize + uncompressed_page_size;
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
