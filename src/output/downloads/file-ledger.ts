import { constants, type Dirent } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode, OutputError } from '../../errors.ts';
import { cannotWrite } from '../files/cannot-write.ts';
import { isSafeName, foldName, NameRegister, safeFileName } from './file-names.ts';
import { fileKey, type InvoiceFile } from './invoice-files.ts';

/** What is known of a file from earlier runs. */
export interface LedgerEntry extends Pick<InvoiceFile, 'invoice' | 'index'> {
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
  /** Whether the file ends at the end of a line: a kill may have cut the last one. */
  #endsWithLine: boolean;

  private constructor(file: string, text: string) {
    this.#file = file;
    this.#endsWithLine = text === '' || text.endsWith('\n');
    for (const line of text.split('\n')) this.#learn(line);
  }

  /**
   * Reads the ledger, which is empty if there is no file. Throws OutputError, also where the name is not that of a file: others
   * who may write in the folder could have put a link there.
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

  find(key: Pick<InvoiceFile, 'invoice' | 'index'>): LedgerEntry | undefined {
    return this.#entries.get(fileKey(key));
  }

  entries(): Iterable<LedgerEntry> {
    return this.#entries.values();
  }

  /** Adds an entry, unless it is known. Throws OutputError. */
  async add(entry: LedgerEntry): Promise<void> {
    const known = this.find(entry);
    if (known?.base === entry.base && known.ending === entry.ending) return;
    this.#entries.set(fileKey(entry), entry);
    const { invoice, index, base, ending } = entry;
    try {
      // The promise, not the handle, is kept: another file may be done while the ledger is being opened.
      this.#handle ??= openLedger(this.#file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
      const handle = await this.#handle;
      // In one write, so that lines of files that end at the same time do not mix.
      const line = `${this.#endsWithLine ? '' : '\n'}${JSON.stringify({ invoice, index, base, ending })}\n`;
      this.#endsWithLine = true;
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
    if (entry !== undefined) this.#entries.set(fileKey(entry), entry);
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

/** The name of a file that is there, or a free name for it, without ending. */
export type NameClaim =
  | { readonly kind: 'there'; readonly name: string; readonly ending: string }
  | { readonly kind: 'free'; readonly base: string; readonly ending: string | undefined };

/** Takes the place of the ending, which is not known before the download. As long as the longest. */
const ANY_ENDING = '.xxxxxxxx';

/**
 * Gives each file of a folder its name, `<number>-<n>`, before its ending is known. A file is there if the folder has that
 * name with any ending. If the ledger says that the name is another invoice's, the new name gets a `-2`.
 */
export class FolderNames {
  readonly #ledger: FileLedger;
  readonly #register = new NameRegister();
  /** The names in the folder, by the name without its ending. */
  readonly #present = new Map<string, string>();
  /** Names, without ending, of what is in the folder and is no file: a folder, a link. */
  readonly #blocked = new Set<string>();
  /** The owner of each name, by the name without its ending. */
  readonly #owners = new Map<string, string>();

  constructor(present: readonly Pick<Dirent, 'name' | 'isFile'>[], ledger: FileLedger) {
    this.#ledger = ledger;
    for (const entry of present) {
      const { name } = entry;
      const dot = name.lastIndexOf('.');
      if (dot <= 0 || !/^[a-z0-9]{1,8}$/i.test(name.slice(dot + 1))) continue;
      const base = foldName(name.slice(0, dot));
      if (entry.isFile()) this.#present.set(base, name);
      else this.#blocked.add(base);
    }
    for (const entry of ledger.entries()) this.#owners.set(foldName(entry.base), fileKey(entry));
  }

  claim(file: InvoiceFile): NameClaim {
    const entry = file.invoice === '' ? undefined : this.#ledger.find(file);
    const base = this.#take(file, entry?.base ?? baseOf(file));
    const name = this.#present.get(foldName(base));
    if (name === undefined) return { kind: 'free', base, ending: entry?.ending };
    return { kind: 'there', name, ending: name.slice(name.lastIndexOf('.') + 1).toLowerCase() };
  }

  /** The wanted name, or the next one that no other invoice has. */
  #take(file: InvoiceFile, wanted: string): string {
    for (;;) {
      const base = this.#register.take(wanted + ANY_ENDING).slice(0, -ANY_ENDING.length);
      if (this.#blocked.has(foldName(base))) continue;
      const owner = this.#owners.get(foldName(base));
      if (owner === undefined || owner === fileKey(file)) return base;
    }
  }
}

function baseOf({ stem, index }: InvoiceFile): string {
  return safeFileName({ stem, index, extension: ANY_ENDING.slice(1) }).slice(0, -ANY_ENDING.length);
}
