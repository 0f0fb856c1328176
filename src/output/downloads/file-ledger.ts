import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode, OutputError } from '../../errors.ts';
import { cannotWrite } from '../files/cannot-write.ts';
import { isSafeName } from './file-names.ts';

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

  /**
   * Reads the ledger, which is empty if there is no file. Throws OutputError, also for what is no file: whoever may write in
   * the folder could have put a link there.
   */
  static async open(file: string): Promise<FileLedger> {
    const handle = await openLedger(file, constants.O_RDONLY).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      return undefined;
    });
    try {
      return new FileLedger(file, (await handle?.readFile('utf8')) ?? '');
    } catch (error) {
      throw cannotWrite(file, error);
    } finally {
      await handle?.close();
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
      this.#handle ??= openLedger(this.#file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
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
    const entry = parseEntry(line);
    if (entry !== undefined) this.#entries.set(keyText(entry), entry);
  }
}

/** Opens the ledger without following a link, and without waiting for the other end of a pipe. Rejects as `open` does. */
async function openLedger(file: string, flags: number): Promise<FileHandle> {
  const { O_NOFOLLOW, O_NONBLOCK } = constants;
  const refused = (): OutputError =>
    new OutputError(`cannot use ${file}: it is no file of folio's`, {
      hint: 'Remove it, or choose another folder.',
    });
  const handle = await open(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: unknown) => {
    throw ['ELOOP', 'ENXIO', 'EISDIR'].includes(errorCode(error) ?? '') ? refused() : error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw refused();
}

/** The entry of a line; undefined for a line that was cut, and for names that no file here could have got. */
function parseEntry(line: string): LedgerEntry | undefined {
  try {
    const { invoice, index, base, ending }: Record<string, unknown> = JSON.parse(line);
    if (typeof invoice !== 'string' || typeof index !== 'number') return undefined;
    if (typeof base !== 'string' || typeof ending !== 'string' || !isSafeName(base, ending)) return undefined;
    return { invoice, index, base, ending };
  } catch {
    return undefined;
  }
}

function keyText({ invoice, index }: FileKey): string {
  return `${index} ${invoice}`;
}
