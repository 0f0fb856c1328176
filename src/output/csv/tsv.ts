import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { OpenWriter } from '../writer.ts';
import { RowWriter, type EncodedRows, type RowEncoder } from './row-writer.ts';

/** About how many characters of rows are handed on at a time. */
const CHUNK = 256 * 1024;

/**
 * tsv as Miller, `cut` and PostgreSQL's `\copy` read it: a tab between columns, a line feed behind each record, and no
 * quotes. For tabs and line breaks within text see `tsvText`.
 */
export const openTsv: OpenWriter = (sink, layout) =>
  new RowWriter({
    sink,
    layout,
    delimiter: '\t',
    quotes: false,
    preamble: '',
    openEncoder: async (columns) => new TsvRows(columns),
  });

class TsvRows implements RowEncoder {
  readonly #reader: CellReader;

  constructor(columns: readonly string[] | undefined) {
    this.#reader = new CellReader(columns);
  }

  get columns(): readonly string[] {
    return this.#reader.columns;
  }

  header(): Buffer {
    return Buffer.from(`${this.columns.map(tsvText).join('\t')}\n`);
  }

  *encode(batch: RecordBatch): Generator<EncodedRows> {
    let text = '';
    let columns = this.columns.length;
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      if (text !== '' && (text.length > CHUNK || cells.length !== columns)) {
        yield { bytes: Buffer.from(text), columns };
        text = '';
      }
      columns = cells.length;
      text += `${cells.map(textOf).join('\t')}\n`;
    }
    if (text !== '') yield { bytes: Buffer.from(text), columns };
  }
}

function textOf(cell: Cell | undefined): string {
  return cell === undefined ? '' : tsvText(cell.text);
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
const CHARACTERS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** Text as tsv has it: a tab, a line break and a backslash are `\t`, `\n` or `\r`, and `\\`. */
function tsvText(text: string): string {
  return /[\t\n\r\\]/.test(text) ? text.replace(/[\t\n\r\\]/g, (found) => ESCAPES[found]!) : text;
}

/** What `tsvText` was given. A backslash before any other letter stands for itself. */
export function readTsvText(cell: string): string {
  return cell.replace(/\\([tnr\\])/g, (_, letter: string) => CHARACTERS[letter]!);
}
