import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readFile, realpath, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, Interrupted, OutputError } from '../../errors.ts';
import { isJsonObject, parseJsonObject } from '../../json/json-object.ts';
import { openLedger } from '../downloads/file-ledger.ts';
import { foldName, isSafePageName, NameRegister, safePageName } from '../downloads/file-names.ts';
import { cannotWrite } from './cannot-write.ts';
import { written } from './destination.ts';
import { lockTarget, type FileLock } from './lock.ts';
import { openDestination, type DestinationContext } from './open-destination.ts';
import { sideFilesOf } from './side-files.ts';
import { flushFolder, putInPlace } from './whole-file.ts';

/** A page of the folder, as its list of pages has it. */
export interface FolderPage {
  /** What tells whose page it is from all others. */
  readonly key: string;
  readonly file: string;
  /** What else is to be remembered of it. */
  readonly facts: Readonly<Record<string, string>>;
}

interface LedgerPage extends FolderPage {
  /** Of each content that folio wrote there. A run that is killed may leave the last or the one before. */
  readonly hashes: readonly string[];
}

/** The list of pages: a line for each that was written. */
const LEDGER = '.folio-pages.jsonl';
/** What is locked, and what temporary files are called after. */
const LOCKED = '.folio-pages';

interface NamesThere {
  /** What is there. */
  readonly names: readonly string[];
  readonly kept: readonly string[];
}

interface Parts {
  readonly path: string;
  /** The folder as it was given. */
  readonly shown: string;
  readonly context: DestinationContext;
  readonly lock: FileLock;
}

/**
 * A folder of pages that folio writes again and again, by one run at a time. A page keeps its name. What is not as folio wrote it
 * is somebody else's, and never replaced.
 */
export class PageFolder {
  readonly #parts: Parts;
  readonly #pages = new Map<string, LedgerPage>();
  readonly #register = new NameRegister();
  /** By name. */
  readonly #ours = new Map<string, LedgerPage>();
  /** The files that were there, as a file system takes them for one. */
  readonly #there: ReadonlySet<string>;
  #ledger: Promise<FileHandle> | undefined;
  #temporaries = 0;

  private constructor(parts: Parts, text: string, { names, kept }: NamesThere) {
    this.#parts = parts;
    this.#there = new Set(names.map(foldName));
    for (const line of text.split('\n')) this.#learn(parsePage(line));
    for (const name of [...names, ...kept, ...this.#ours.keys()]) this.#register.reserve(name);
  }

  /**
   * Opens the folder, which is there. Throws OutputError where another run uses it, or it cannot be read. The caller closes it.
   *
   * @param kept names that `nameOf` gives to nobody
   */
  static async open(
    shown: string,
    context: DestinationContext,
    kept: readonly string[],
  ): Promise<PageFolder> {
    const path = await realpath(shown).catch((error: unknown) => {
      throw cannotWrite(shown, error);
    });
    const lock = await lockTarget({ shown, folder: path, name: LOCKED }, context);
    try {
      await lock.removeStaleFiles();
      const text = await readLedger(join(path, LEDGER));
      return new PageFolder({ path, shown, context, lock }, text, { names: await readdir(path), kept });
    } catch (error) {
      await lock.release();
      throw cannotWrite(shown, error);
    }
  }

  /** The pages of earlier runs, and of this one. */
  get pages(): readonly FolderPage[] {
    return [...this.#pages.values()];
  }

  /** A file of the folder, as messages call it. */
  shown(file: string): string {
    return join(this.#parts.shown, file);
  }

  /** Whether there is no such file, or it is as folio wrote it. */
  async mayReplace(file: string): Promise<boolean> {
    const page = this.#ours.get(file);
    if (page === undefined) return !this.#there.has(foldName(file));
    const hash = await this.#hashOf(file);
    return hash === undefined || page.hashes.includes(hash);
  }

  /** Whether the file is there, as folio wrote it. */
  async has({ file }: FolderPage): Promise<boolean> {
    return (await this.#hashOf(file)) !== undefined && (await this.mayReplace(file));
  }

  /**
   * The name of a page: that which it has, else one that no other file has.
   *
   * @param taken told of the file that has its name, and is not folio's
   */
  async nameOf(key: string, stem: string, taken: (file: string) => void): Promise<string> {
    const known = this.#pages.get(key)?.file;
    if (known !== undefined) {
      if (await this.mayReplace(known)) return known;
      taken(known);
    }
    return this.#register.take(safePageName(stem, 'html'));
  }

  /** Writes a page, whole or not at all. Throws OutputError. */
  async write(page: FolderPage, text: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
    const { path, context, lock } = this.#parts;
    const shown = this.shown(page.file);
    if (!(await this.mayReplace(page.file))) throw notOurs(shown);
    const bytes = Buffer.from(text);
    const sha256 = hashOf(bytes);
    const temporary = join(path, this.#temporaryName());
    try {
      await writeWhole(temporary, bytes, lock.newFileMode);
      // Before the file has its name: after a kill between the two it is still known.
      await this.#note(page, sha256);
      await putInPlace(temporary, join(path, page.file), { ...context, shown });
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      if (error instanceof Interrupted) throw error;
      throw cannotWrite(shown, error);
    }
    return { bytes: bytes.length, sha256 };
  }

  /** Writes the list of pages anew, without what is gone, and lets others use the folder. */
  async close(): Promise<void> {
    const { path, context, lock } = this.#parts;
    try {
      await (await this.#ledger?.catch(() => undefined))?.close();
      if (this.#ledger === undefined) return;
      await flushFolder(path);
      const lines = [...this.#pages.values()].map((page) =>
        lineOf({ ...page, hashes: page.hashes.slice(-1) }),
      );
      await written(await openDestination(join(path, LEDGER), context), (to) => to.write(lines.join('')));
    } finally {
      await lock.release();
    }
  }

  /** Forgets a page that is gone. */
  forget({ key }: FolderPage): void {
    this.#pages.delete(key);
  }

  async #note(page: FolderPage, hash: string): Promise<void> {
    const before = this.#pages.get(page.key);
    const hashes = before?.file === page.file ? before.hashes.slice(-1) : [];
    const noted = { ...page, hashes: [...hashes, hash] };
    this.#learn(noted);
    try {
      const { O_WRONLY, O_APPEND, O_CREAT } = constants;
      this.#ledger ??= openLedger(join(this.#parts.path, LEDGER), O_WRONLY | O_APPEND | O_CREAT);
      // A kill may have cut the line before.
      await (await this.#ledger).appendFile(`\n${lineOf(noted)}`);
    } catch (error) {
      throw cannotWrite(this.shown(LEDGER), error);
    }
  }

  async #hashOf(file: string): Promise<string | undefined> {
    try {
      return hashOf(await readFile(join(this.#parts.path, file)));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      return 'nothing of ours';
    }
  }

  #learn(page: LedgerPage | undefined): void {
    if (page === undefined) return;
    this.#pages.set(page.key, page);
    this.#ours.set(page.file, page);
  }

  #temporaryName(): string {
    const { pid } = this.#parts.context.processes;
    return sideFilesOf(LOCKED).temporary(pid, (this.#temporaries++ + 0.5) / 36 ** 8);
  }
}

async function writeWhole(path: string, bytes: Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function lineOf({ key, file, facts, hashes }: LedgerPage): string {
  return `${JSON.stringify({ key, file, facts, hashes })}\n`;
}

async function readLedger(file: string): Promise<string> {
  const handle = await openLedger(file, constants.O_RDONLY).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });
  try {
    return (await handle?.readFile('utf8')) ?? '';
  } finally {
    await handle?.close();
  }
}

/** The page of a line; undefined for a line that was cut, and for names that no page can have got. */
function parsePage(line: string): LedgerPage | undefined {
  const { key, file, facts, hashes } = parseJsonObject(line) ?? {};
  if (typeof key !== 'string' || typeof file !== 'string' || !isSafePageName(file)) return undefined;
  const isList = Array.isArray(hashes) && hashes.every((hash): hash is string => typeof hash === 'string');
  if (!isList || !isJsonObject(facts)) return undefined;
  const texts = Object.entries(facts).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return { key, file, facts: Object.fromEntries(texts), hashes };
}

function notOurs(shown: string): OutputError {
  return new OutputError(`cannot write ${shown}: another file was put there meanwhile`, {
    hint: 'Move it away, or name another folder.',
  });
}
