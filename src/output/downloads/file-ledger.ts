import { open, readFile, type FileHandle } from 'node:fs/promises';
import { cannotWrite } from '../files/cannot-write.ts';
import { errorCode } from '../../errors.ts';

/** Which file of which invoice it was. */
interface FileKey {
  readonly invoice: string;
  readonly index: number;
}

/** What is known of a file from earlier runs. */
export interface LedgerEntry extends FileKey {
  /** The name without its ending: `10001-1`. */
  readonly base: string;
  readonly ending: string;
}

/**
 * Remembers in a file, one line each, which invoice each file of a folder belongs to. The names tell only the number, and
 * two invoices may have the same: an invoice and the credit note of that number, of which one run asks for
 * one and a later run for the other. A line that cannot be read is passed over: it may have been cut by a kill.
 */
export class FileLedger {
  readonly #file: string;
  readonly #entries = new Map<string, LedgerEntry>();
  #handle: Promise<FileHandle> | undefined;
  #whole: boolean;

  private constructor(file: string, text: string) {
    this.#file = file;
    this.#whole = text === '' || text.endsWith('\n');
    for (const line of text.split('\n')) this.#learn(line);
  }

  /** Reads the ledger; without a file it is empty. Throws OutputError. */
  static async open(file: string): Promise<FileLedger> {
    try {
      return new FileLedger(file, await readFile(file, 'utf8'));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw cannotWrite(file, error);
      return new FileLedger(file, '');
    }
  }

  find(key: FileKey): LedgerEntry | undefined {
    return this.#entries.get(keyText(key));
  }

  entries(): Iterable<LedgerEntry> {
    return this.#entries.values();
  }

  /** Writes down an entry, unless it is known. Throws OutputError. */
  async add(entry: LedgerEntry): Promise<void> {
    const known = this.find(entry);
    if (known?.base === entry.base && known.ending === entry.ending) return;
    this.#entries.set(keyText(entry), entry);
    const { invoice, index, base, ending } = entry;
    try {
      // The promise is kept, for another file may be done while the ledger is being opened.
      this.#handle ??= open(this.#file, 'a', 0o600);
      const handle = await this.#handle;
      // In one write, so that lines of files that are done at the same time do not mix.
      const line = `${this.#whole ? '' : '\n'}${JSON.stringify({ invoice, index, base, ending })}\n`;
      this.#whole = true;
      await handle.appendFile(line);
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }

  async close(): Promise<void> {
    await (await this.#handle?.catch(() => undefined))?.close();
  }

  #learn(line: string): void {
    if (line === '') return;
    try {
      const value = JSON.parse(line) as Partial<LedgerEntry> | null;
      const { invoice, index, base, ending } = value ?? {};
      if (typeof invoice !== 'string' || typeof index !== 'number') return;
      if (typeof base !== 'string' || typeof ending !== 'string') return;
      this.#entries.set(keyText({ invoice, index }), { invoice, index, base, ending });
    } catch {
      return;
    }
  }
}

function keyText({ invoice, index }: FileKey): string {
  return `${index} ${invoice}`;
}
