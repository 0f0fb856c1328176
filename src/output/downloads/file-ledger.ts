import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { parseJsonObject } from '../../json/json-object.ts';
import type { LockedFolder } from '../files/locked-folder.ts';
import { isSafeName, foldName, NameRegister, safeFileName } from './file-names.ts';
import { fileKey, type InvoiceFile } from './invoice-files.ts';

/** What is known of a file from earlier runs. */
export interface LedgerEntry {
  /** What tells the file from all others: a hash of `fileKey`, or in an older ledger its place among those of its invoice. */
  readonly file: string;
  /** The name without its ending: `10001-1`. */
  readonly base: string;
  readonly ending: string;
}

/**
 * Remembers which file of which document each file of a folder is, one line a file. The names of files tell only the number of
 * the invoice, and an invoice and a credit note may have the same number. A line that cannot be read is skipped: a kill may have
 * cut it.
 */
export class FileLedger {
  readonly #folder: Pick<LockedFolder, 'list'>;
  readonly #entries = new Map<string, LedgerEntry>();

  constructor(folder: Pick<LockedFolder, 'lines' | 'list'>) {
    this.#folder = folder;
    for (const line of folder.lines) {
      const entry = parseEntry(line);
      if (entry !== undefined) this.#entries.set(entry.file, entry);
    }
  }

  find(file: string): LedgerEntry | undefined {
    return this.#entries.get(file);
  }

  entries(): Iterable<LedgerEntry> {
    return this.#entries.values();
  }

  /** Adds an entry, unless it is known. Throws OutputError. */
  async add(entry: LedgerEntry): Promise<void> {
    const { file, base, ending } = entry;
    const known = this.find(file);
    if (known?.base === base && known.ending === ending) return;
    this.#entries.set(file, entry);
    await this.#folder.list(JSON.stringify({ file, base, ending }));
  }
}

/** The entry of a line; undefined for a line that was cut, and for names that no file here could have got. */
function parseEntry(line: string): LedgerEntry | undefined {
  const { file, invoice, index, base, ending } = parseJsonObject(line) ?? {};
  const isOld = typeof invoice === 'string' && typeof index === 'number';
  const key = isOld ? olderKey({ invoice, index }) : file;
  if (typeof key !== 'string') return undefined;
  if (typeof base !== 'string' || typeof ending !== 'string' || !isSafeName(base, ending)) return undefined;
  return { file: key, base, ending };
}

/** How a ledger of an earlier version knows a file: by its place in the list of its invoice. */
function olderKey({ invoice, index }: Pick<InvoiceFile, 'invoice' | 'index'>): string {
  return `${index} ${invoice}`;
}

/** The name of a file that is there, or a free name for it, without ending. */
export type NameClaim = { /** What the ledger is to know the file by. */ readonly file: string } & (
  | { readonly kind: 'there'; readonly name: string; readonly ending: string }
  | { readonly kind: 'free'; readonly base: string; readonly ending: string | undefined }
);

/** Takes the place of the ending, which is not known before the download. As long as the longest. */
const ANY_ENDING = '.xxxxxxxx';

/**
 * Gives each file of a folder its name, `<number>-<n>`, before its ending is known. A file is there if the ledger knows it by a
 * name that the folder has with any ending, or if the folder has that name and the ledger knows nobody of it. Where the name is
 * another file's, the new one gets a `-2`.
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
  /** How often a file came that nothing tells from another. */
  readonly #times = new Map<string, number>();
  /** Entries of an older ledger that have become those of a file. */
  readonly #adopted = new Set<string>();

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
    for (const entry of ledger.entries()) this.#owners.set(foldName(entry.base), entry.file);
  }

  claim(file: InvoiceFile): NameClaim {
    const key = this.#keyOf(file);
    const entry = this.#ledger.find(key) ?? this.#adopt(file);
    const isFree = entry !== undefined && !this.#blocked.has(foldName(entry.base));
    const base = isFree ? entry.base : this.#take(baseOf(file));
    this.#owners.set(foldName(base), key);
    const name = this.#present.get(foldName(base));
    if (name === undefined) return { file: key, kind: 'free', base, ending: entry?.ending };
    return { file: key, kind: 'there', name, ending: name.slice(name.lastIndexOf('.') + 1).toLowerCase() };
  }

  /** A hash, since a path may be long and is nobody else's business. */
  #keyOf(file: InvoiceFile): string {
    const key = fileKey(file);
    const time = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, time);
    return createHash('sha256').update(`${time} ${key}`).digest('hex').slice(0, 32);
  }

  /** The entry of an older ledger, for the first file that it may be about. */
  #adopt(file: InvoiceFile): LedgerEntry | undefined {
    const entry = file.invoice === '' ? undefined : this.#ledger.find(olderKey(file));
    if (entry === undefined || this.#adopted.has(entry.file)) return undefined;
    this.#adopted.add(entry.file);
    return this.#owners.get(foldName(entry.base)) === entry.file ? entry : undefined;
  }

  /** The wanted name, or the next one that no other file has. */
  #take(wanted: string): string {
    for (;;) {
      const base = this.#register.take(wanted + ANY_ENDING).slice(0, -ANY_ENDING.length);
      if (!this.#blocked.has(foldName(base)) && !this.#owners.has(foldName(base))) return base;
    }
  }
}

function baseOf({ stem, index }: InvoiceFile): string {
  return safeFileName({ stem, index, extension: ANY_ENDING.slice(1) }).slice(0, -ANY_ENDING.length);
}
