import { link, lstat, rm } from 'node:fs/promises';
import { cannotWrite } from '../files/cannot-write.ts';
import { LockedFolder } from '../files/locked-folder.ts';
import { putInPlace, flushFolder, type PlaceContext, type FileContext } from '../files/whole-file.ts';
import { makeFolder } from '../files/target.ts';
import { errorCode } from '../../errors.ts';
import { FileLedger, FolderNames, type LedgerEntry, type NameClaim } from './file-ledger.ts';
import type { InvoiceFile } from './invoice-files.ts';
import { LinkRefused } from '../../api/files.ts';

const LEDGER = '.folio-files.jsonl';

/** The names of the files that a folder gets: `101-1.pdf`, and the list of them. */
export const OWN_NAMES = /-\d+\.[a-z0-9]{1,8}$|^\.folio-files\.jsonl$/i;

/** A file of an invoice that is in the folder. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** False where it was there already. */
  readonly isNew: boolean;
}

interface Parts {
  readonly folder: LockedFolder;
  readonly context: FileContext;
  readonly ledger: FileLedger;
  readonly names: FolderNames;
  /** Removes the folder again where nothing is in it. */
  readonly removeEmpty: () => Promise<void>;
}

/** A folder that the files of invoices are put into, by one run at a time. */
export class DownloadFolder {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Opens the folder, and makes it if there is none. Throws OutputError as `LockedFolder.open` does. The caller must close it. */
  static async open(path: string, context: FileContext): Promise<DownloadFolder> {
    const removeEmpty = await makeFolder(path);
    try {
      const folder = await LockedFolder.open(path, context, { list: LEDGER, locked: LEDGER });
      const ledger = new FileLedger(folder);
      const names = new FolderNames(folder.entries, ledger);
      return new DownloadFolder({ folder, context, ledger, names, removeEmpty });
    } catch (error) {
      await removeEmpty();
      throw error;
    }
  }

  /** The name that a file has here or will get. Ask in the order of the listing, so that names are the same each time. */
  claim(file: InvoiceFile): NameClaim {
    return this.#parts.names.claim(file);
  }

  /** The file of that name that is here already. Throws OutputError. */
  async look(name: string): Promise<StoredFile> {
    const { folder } = this.#parts;
    try {
      return { name, bytes: (await lstat(folder.pathOf(name))).size, isNew: false };
    } catch (error) {
      throw cannotWrite(folder.shown(name), error);
    }
  }

  /** Writes a file, whole or not at all. Throws OutputError, or what `body` throws; then nothing is left. */
  async store(entry: LedgerEntry, body: AsyncIterable<Buffer>): Promise<StoredFile> {
    const { folder, context, ledger } = this.#parts;
    const name = `${entry.base}.${entry.ending}`;
    const { bytes, placed } = await folder.put(name, checkedStart(body, entry.ending), async (temporary) => {
      await ledger.add(entry);
      return placeFile(temporary, folder.pathOf(name), { ...context, shown: folder.shown(name) });
    });
    return placed ? { name, bytes, isNew: true } : this.look(name);
  }

  /** Remembers a file that is there, or the ending of one that is not wanted, so that the next run does not ask for it. */
  async note(entry: LedgerEntry): Promise<void> {
    await this.#parts.ledger.add(entry);
  }

  async close(): Promise<void> {
    const { folder, removeEmpty } = this.#parts;
    await folder.endList();
    await flushFolder(folder.pathOf('')).catch(() => undefined);
    await folder.release();
    await removeEmpty();
  }
}

/** Errors of a file system that has no hard links: FAT, some network drives. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EACCES']);

/**
 * Gives a finished file its name. If that name is taken, removes the file and returns false. Throws the system's error.
 * Without hard links, a file that got the name at this very moment is replaced.
 */
async function placeFile(
  temporary: string,
  path: string,
  context: PlaceContext & { readonly shown: string },
): Promise<boolean> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
      await putInPlace(temporary, path, context);
      return true;
    }
    await rm(temporary, { force: true });
    return false;
  }
  await rm(temporary, { force: true });
  return true;
}

/** Bytes at the beginning of a file that are checked: a PDF may have some others before its mark. */
const START = 1024;

const BYTE_ORDER_MARK = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/;

/**
 * Passes the bytes on, after a check that they begin as a file of that ending does. Where a link has ended, some services
 * send a page to log in or an error in JSON, with status 200. If it were kept, it would pass for the invoice for ever.
 *
 * @throws LinkRefused for a web page, for an error, for what is called a PDF or XML and is none, before any byte is given
 */
async function* checkedStart(body: AsyncIterable<Buffer>, ending: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  let isChecked = false;
  const check = (): void => {
    const start = Buffer.concat(held).toString('latin1', 0, START);
    const other = contentInstead(start, ending);
    if (other !== undefined) throw new LinkRefused(`the link gives ${other}`);
    isChecked = true;
  };
  for await (const chunk of body) {
    if (isChecked) {
      yield chunk;
      continue;
    }
    held.push(chunk);
    length += chunk.length;
    if (length < START) continue;
    check();
    yield Buffer.concat(held);
    held = [];
  }
  if (isChecked) return;
  check();
  yield Buffer.concat(held);
}

/** An object that has one of the members in which services say what went wrong (spec 7), not within another one. */
const ERROR_IN_JSON = /^\{[^{}]*"(?:error|errors|message|Message|errorMessage|detail)"\s*:/;

/** What a file is instead of what its ending says; undefined where it may be that. */
function contentInstead(start: string, ending: string): string | undefined {
  // In UTF-16 every second byte of such text is zero.
  const text = start.replace(BYTE_ORDER_MARK, '').replaceAll('\0', '').trimStart();
  if (/^(?:<!--[^]*?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text))
    return 'a web page, not the file';
  if (ending === 'pdf' && !start.includes('%PDF-')) return 'something that is no PDF';
  if (ending === 'xml' && !text.startsWith('<')) return 'something that is no XML';
  return ERROR_IN_JSON.test(text) ? 'an error, not the file' : undefined;
}
