import { setImmediate } from 'node:timers/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { OutputError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { writeColumnChunk } from './column-chunk.ts';
import { StoredColumn, storedType } from './stored-column.ts';

/** When a row group is full: bytes of records as sent, or cells, since few bytes may make thousands of them. */
const ROW_GROUP = { bytes: 16 * 1024 * 1024, cells: 4_000_000 };

/** The most columns of all row groups together: the metadata of each waits in memory. */
const MAX_CHUNKS = 50_000;

const CELLS_A_TURN = 1_000_000;

/** The only column of a file without records and known columns: engines refuse a file without columns. */
const NO_COLUMN = '_no_records';

/**
 * A Parquet file. Columns are those of the layout, or all that any record has, by first appearance. The type of a column is declared,
 * never guessed from values: the same in every file. So records are written as they come, a group of rows at a time, and memory does
 * not grow with them. A column that came later is null in the groups before: that is written at the end, since a group need not be in
 * one piece. The same records give the same bytes.
 *
 * Throws UsageError for a value that does not fit its column's type, with the record's place.
 */
export const openParquet: OpenWriter = (sink, layout) => new ParquetFile(sink, layout);

const CREATED_BY = 'folio';

const THRIFT_STRUCT = 0x0c;

/**
 * Declares the empty list of row groups as one of structs, as strict readers want it; the library leaves its type open. In Thrift's
 * compact protocol: a list (0x19), empty (0x00), and behind it who wrote the file.
 */
function declareRowGroups(file: Uint8Array): void {
  const list = Buffer.from([0x19, 0x00, 0x28, CREATED_BY.length, ...Buffer.from(CREATED_BY)]);
  const at = Buffer.from(file.buffer, file.byteOffset, file.length).lastIndexOf(list);
  if (at === -1) throw new TypeError('a Parquet file without records has no list of row groups');
  file[at + 1] = THRIFT_STRUCT;
}

class ParquetFile implements Writer {
  readonly #sink: Sink;
  readonly #layout: Layout;
  readonly #reader: CellReader;
  readonly #bytes = new ByteWriter();
  readonly #file = new ParquetWriter({ writer: this.#bytes, schema: [], createdBy: CREATED_BY });
  readonly #columns: StoredColumn[] = [];
  #records = 0;
  /** Of the current group: its rows, and the bytes of their records as sent. */
  #rows = 0;
  #bytesSent = 0;
  #cellsOfTurn = 0;

  constructor(sink: Sink, layout: Layout) {
    this.#sink = sink;
    this.#layout = layout;
    this.#reader = new CellReader(layout.columns);
  }

  async write(batch: RecordBatch): Promise<void> {
    for (let index = 0; index < batch.count; index++) {
      this.#addRow(batch, index);
      const columns = this.#columns.length;
      if (this.#bytesSent >= ROW_GROUP.bytes || this.#rows * columns >= ROW_GROUP.cells)
        await this.#endGroup();
      this.#cellsOfTurn += columns;
      if (this.#cellsOfTurn >= CELLS_A_TURN) {
        this.#cellsOfTurn = 0;
        await setImmediate();
      }
    }
  }

  async end(): Promise<void> {
    this.#openColumns(this.#names());
    if (this.#rows > 0) await this.#endGroup();
    await this.#completeGroups();
    const elements = this.#columns.map(({ element }) => element);
    this.#file.schema = [{ name: 'root', num_children: elements.length }, ...elements];
    await this.#file.finish();
    if (this.#records === 0) declareRowGroups(this.#bytes.getBytes());
    await this.#drain();
  }

  #addRow(batch: RecordBatch, index: number): void {
    const record = this.#reader;
    record.moveTo(batch, index);
    this.#openColumns(record.columns);
    this.#records++;
    this.#rows++;
    this.#bytesSent += batch.bounds[2 * index + 1]! - batch.bounds[2 * index]!;
    for (let at = 0; at < this.#columns.length; at++) this.#columns[at]!.add(record, at, this.#records);
  }

  /** Adds the columns that are new: in the rows before, they are null. */
  #openColumns(names: readonly string[]): void {
    if (this.#columns.length === names.length) return;
    const { types, declared, headings } = this.#layout;
    const shown = headings?.(names) ?? names;
    for (let at = this.#columns.length; at < names.length; at++) {
      const [name, heading] = [names[at]!, shown[at]!];
      const type = types?.get(name) ?? types?.get(heading) ?? storedType(declared?.typeOf(name));
      const column = new StoredColumn(heading, type);
      column.addNulls(this.#rows);
      this.#columns.push(column);
    }
  }

  /** The columns; of a listing without records those that it declares, so that its file fits those of other months. */
  #names(): readonly string[] {
    const names = this.#reader.columns;
    if (names.length > 0) return names;
    const { declared, types } = this.#layout;
    const usual = new Set([...(declared?.names ?? []), ...(types?.keys() ?? [])]);
    return usual.size > 0 ? [...usual] : [NO_COLUMN];
  }

  async #endGroup(): Promise<void> {
    const groups = this.#file.row_groups;
    this.#checkSize(groups.length + 1);
    const columns = this.#columns.map((column) => writeColumnChunk(this.#bytes, column));
    groups.push({ columns, num_rows: BigInt(this.#rows), total_byte_size: 0n });
    this.#file.num_rows += BigInt(this.#rows);
    for (const column of this.#columns) column.clear();
    this.#rows = this.#bytesSent = 0;
    await this.#drain();
  }

  /** Writes the columns that came after a group: all of its rows are null there. */
  async #completeGroups(): Promise<void> {
    for (const group of this.#file.row_groups) {
      for (const column of this.#columns.slice(group.columns.length)) {
        column.clear();
        column.addNulls(Number(group.num_rows));
        group.columns.push(writeColumnChunk(this.#bytes, column));
      }
      const sizes = group.columns.map(({ meta_data }) => meta_data!);
      group.total_byte_size = sizes.reduce((sum, chunk) => sum + chunk.total_uncompressed_size, 0n);
      group.total_compressed_size = sizes.reduce((sum, chunk) => sum + chunk.total_compressed_size, 0n);
      await this.#drain();
    }
  }

  #checkSize(groups: number): void {
    const columns = this.#columns.length;
    if (groups * columns <= MAX_CHUNKS) return;
    throw new OutputError(
      `${this.#records} records with ${columns} different fields are too many cells for a Parquet file`,
      { hint: 'Name the columns you want with --columns, or use --format jsonl.' },
    );
  }

  async #drain(): Promise<void> {
    await this.#sink.write(this.#bytes.getBytes());
    this.#bytes.index = 0;
  }
}
