import { open, readFile, type FileHandle } from 'node:fs/promises';
import { cannotWrite } from '../files/cannot-write.ts';
import { errorCode } from '../../errors.ts';

/** One file of one invoice. */
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
 * Remembers which invoice each file of a folder belongs to, one line a file. The names of files tell only the number of the
 * invoice, and an invoice and a credit note may have the same number. A line that cannot be read is skipped: a kill may have
 * cut it.
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

  /** Reads the ledger, which is empty if there is no file. Throws OutputError. */
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

  /** Adds an entry, unless it is known. Throws OutputError. */
  async add(entry: LedgerEntry): Promise<void> {
    const known = this.find(entry);
    if (known?.base === entry.base && known.ending === entry.ending) return;
    this.#entries.set(keyText(entry), entry);
    const { invoice, index, base, ending } = entry;
    try {
      // The promise is kept: another file may be done while the ledger is being opened.
      this.#handle ??= open(this.#file, 'a', 0o600);
      const handle = await this.#handle;
      // In one write, so that lines of files that end at the same time do not mix.
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
