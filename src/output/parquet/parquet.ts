import { setImmediate } from 'node:timers/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { OutputError, UsageError } from '../../errors.ts';
import { cellJson, CellReader, Projection, type Cell } from '../../json/cells.ts';
import { sliceRecords, type RecordBatch } from '../../json/records.ts';
import { Collected } from '../collected.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { describeType, storedType, storedValue, type ParquetType, type ParquetValue } from './column-type.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** When a row group is full: bytes of records as sent, or cells, of which a few bytes may make thousands. */
const ROW_GROUP = { bytes: 16 * 1024 * 1024, cells: 4_000_000 };

/** The most columns of all row groups together: what the end of the file says of each of them waits in memory. */
const MAX_CHUNKS = 50_000;

/** Cells after which the event loop gets a turn. Where there are many columns, most cells are empty. */
const CELLS_A_TURN = 1_000_000;

/** The only column of a file without records, where no column is known: engines refuse a file without columns. */
const NO_COLUMN = '_no_records';

/**
 * A Parquet file. Columns are those of the layout, or all that any record has, by first appearance. The type of a
 * column is declared, never guessed from values: the same in every file. Columns are known when all records have come, so the records
 * wait in a temporary file and are read a second time: memory does not grow with them. The same records give the same bytes.
 *
 * Every value is checked against its column's type before the library gets it. Throws UsageError for one that does not fit, with
 * the record's place.
 */
export const openParquet: OpenWriter = (sink, layout) => new ParquetFile(sink, layout);

/** What the file says of who wrote it. */
const CREATED_BY = 'folio';

/**
 * Has a file without records say that its list of row groups is one of structs, as strict readers want it. The library cannot
 * tell of what an empty list is one. In Thrift's compact protocol: a list (0x19), empty (0x00), and behind it who wrote the file.
 */
function declareRowGroups(file: Uint8Array): void {
  const list = Buffer.from([0x19, 0x00, 0x28, CREATED_BY.length, ...Buffer.from(CREATED_BY)]);
  const at = Buffer.from(file.buffer, file.byteOffset, file.length).lastIndexOf(list);
  if (at === -1) throw new TypeError('a Parquet file without records has no list of row groups');
  file[at + 1] = THRIFT_STRUCT;
}

const THRIFT_STRUCT = 0x0c;

class ParquetFile implements Writer {
  readonly #sink: Sink;
  readonly #layout: Layout;
  readonly #projection: Projection;
  readonly #records = new Collected();
  #cells = 0;

  constructor(sink: Sink, layout: Layout) {
    this.#sink = sink;
    this.#layout = layout;
    this.#projection = new Projection(layout.columns);
  }

  async write(batch: RecordBatch): Promise<void> {
    // Records of thousands of columns are taken by the hundred, so that the event loop gets its turns.
    const { columns } = this.#projection;
    const step = Math.max(100, Math.floor(CELLS_A_TURN / Math.max(1, columns.names.length)));
    for (let from = 0; from < batch.count; from += step) {
      const part = sliceRecords(batch, from, from + step);
      // Named columns need no look at the records before they are written.
      if (!columns.fixed)
        for (let index = 0; index < part.count; index++) this.#projection.project(part, index);
      await this.#records.add(part);
      await this.#yieldAfter(part.count * columns.names.length);
    }
  }

  async end(): Promise<void> {
    try {
      const names = this.#names();
      this.#checkSize(names.length);
      const { types, declared, headings } = this.#layout;
      const shown = headings?.(names) ?? names;
      const columns = names.map((name, at) => {
        const type = types?.get(name) ?? types?.get(shown[at]!) ?? storedType(declared?.typeOf(name));
        return new StoredColumn(shown[at]!, type);
      });
      await this.#writeFile(columns);
    } finally {
      await this.#records.close();
    }
  }

  /** The columns; of a listing without records those that it declares, so that its file goes with those of other months. */
  #names(): readonly string[] {
    const { names } = this.#projection.columns;
    if (names.length > 0) return names;
    const { declared, types } = this.#layout;
    const usual = new Set([...(declared?.names ?? []), ...(types?.keys() ?? [])]);
    return usual.size > 0 ? [...usual] : [NO_COLUMN];
  }

  /** Gives the event loop a turn after so many cells that it is due: few bytes can make many cells. */
  async #yieldAfter(cells: number): Promise<void> {
    this.#cells += cells;
    if (this.#cells < CELLS_A_TURN) return;
    this.#cells = 0;
    await setImmediate();
  }

  async #writeFile(columns: readonly StoredColumn[]): Promise<void> {
    const bytes = new ByteWriter();
    const schema = [{ name: 'root', num_children: columns.length }, ...columns.map(({ element }) => element)];
    const file = new ParquetWriter({ writer: bytes, schema, codec: 'SNAPPY', createdBy: CREATED_BY });
    const reader = new CellReader(this.#layout.columns);
    let place = 0;
    let held = 0;
    const flush = async (): Promise<void> => {
      const rows = columns[0]?.data.length ?? 0;
      if (rows > 0)
        await file.write({
          columnData: columns.map(({ name, data }) => ({ name, data })),
          rowGroupSize: rows,
        });
      for (const column of columns) column.data = [];
      held = 0;
      await this.#drain(bytes);
    };
    for await (const batch of this.#records.read()) {
      for (let index = 0; index < batch.count; index++) {
        place++;
        const read = reader.read(batch, index);
        for (let at = 0; at < columns.length; at++) columns[at]!.add(read[at], place);
        await this.#yieldAfter(columns.length);
        held += batch.bounds[2 * index + 1]! - batch.bounds[2 * index]!;
        const cells = columns.length * (columns[0]?.data.length ?? 0);
        if (held >= ROW_GROUP.bytes || cells >= ROW_GROUP.cells) await flush();
      }
    }
    await flush();
    await file.finish();
    if (place === 0) declareRowGroups(bytes.getBytes());
    await this.#drain(bytes);
  }

  #checkSize(columns: number): void {
    const groups = Math.ceil((this.#records.count * columns) / ROW_GROUP.cells);
    if (groups * columns <= MAX_CHUNKS) return;
    throw new OutputError(
      `${this.#records.count} records with ${columns} different fields are too many cells for a Parquet file`,
      { hint: 'Name the columns you want with --columns, or use --format jsonl.' },
    );
  }

  async #drain(bytes: ByteWriter): Promise<void> {
    await this.#sink.write(bytes.getBytes().slice());
    bytes.index = 0;
  }
}

/** A surrogate that stands alone: it has no bytes in UTF-8, and so no place in Parquet. */
const HALF_CHARACTER = /\p{Cs}/u;

/** Characters of a value that an error shows. */
const SHOWN = 40;

/** One column of the file, and its values in the row group at hand. */
class StoredColumn {
  readonly name: string;
  readonly element: SchemaElement;
  data: (ParquetValue | null)[] = [];
  readonly #type: ParquetType;

  constructor(name: string, type: ParquetType) {
    this.name = name;
    this.#type = type;
    this.element = { name, repetition_type: 'OPTIONAL', ...physicalType(type) };
  }

  /**
   * Takes a value of the next row; null and missing are null.
   *
   * @param place the record's number, from 1
   * @throws UsageError for a value that the type cannot hold, OutputError for half a character
   */
  add(cell: Cell | undefined, place: number): void {
    if (cell?.kind === 'string' && HALF_CHARACTER.test(cell.text)) {
      const { name } = this;
      throw new OutputError(
        `the column ${name} of record ${place} holds text with half a character in it, which Parquet cannot hold`,
        {
          hint: `Leave the column out with --columns '*,-${name}', or use --format jsonl, which holds every value.`,
        },
      );
    }
    const value = cell === undefined ? null : storedValue(cell, this.#type);
    if (value === undefined) throw this.#unfitError(cellJson(cell), place);
    this.data.push(value);
  }

  #unfitError(value: string, place: number): UsageError {
    const { name } = this;
    const shown = value.length <= SHOWN ? value : `${value.slice(0, SHOWN)}…`;
    return new UsageError(
      `the column ${name} of record ${place} holds ${shown}, which is not ${describeType(this.#type)}`,
      {
        hint:
          `Write the column as text with \`folio config set 'types.${name}' text\`; ` +
          'all files of a folder need the same. Or use --format jsonl, which holds every value.',
      },
    );
  }
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

/** Decimals take the narrowest integer that holds them, or 16 bytes, which hold 38 digits. */
function physicalType(type: ParquetType): Omit<SchemaElement, 'name'> {
  if (type.kind === 'decimal') {
    const { precision, scale } = type;
    const logical_type = { type: 'DECIMAL', precision, scale } as const;
    const decimal = { converted_type: 'DECIMAL', precision, scale, logical_type } as const;
    if (precision <= 18) return { type: precision <= 9 ? 'INT32' : 'INT64', ...decimal };
    return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, ...decimal };
  }
  const others: Record<typeof type.kind, Omit<SchemaElement, 'name'>> = {
    whole: { type: 'INT64' },
    boolean: { type: 'BOOLEAN' },
    // Without the older converted type, which would say that it is in UTC.
    timestamp: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
    },
    date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    text: TEXT,
    json: TEXT,
  };
  return others[type.kind];
}
