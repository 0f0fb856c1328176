import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorCode, OutputError } from '../../errors.ts';
import { isJsonObject, parseJsonObject } from '../../json/json-object.ts';
import { foldName, isSafePageName, NameRegister, safePageName } from '../downloads/file-names.ts';
import { written } from './destination.ts';
import { LockedFolder } from './locked-folder.ts';
import { openDestination, type DestinationContext } from './open-destination.ts';
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

/** The list of pages has a line for each that was written. It is written anew at the end, under a lock of its own. */
const OWN_FILES = { list: '.folio-pages.jsonl', locked: '.folio-pages' };

/**
 * A folder of pages that folio writes again and again, by one run at a time. A page keeps its name. What is not as folio wrote it
 * is somebody else's, and never replaced.
 */
export class PageFolder {
  readonly #folder: LockedFolder;
  readonly #context: DestinationContext;
  readonly #pages = new Map<string, LedgerPage>();
  readonly #register = new NameRegister();
  /** By name. */
  readonly #ours = new Map<string, LedgerPage>();
  /** The files that were there, as a file system takes them for one. */
  readonly #there: ReadonlySet<string>;

  private constructor(folder: LockedFolder, context: DestinationContext, kept: readonly string[]) {
    this.#folder = folder;
    this.#context = context;
    const names = folder.entries.map(({ name }) => name);
    this.#there = new Set(names.map(foldName));
    for (const line of folder.lines) this.#learn(parsePage(line));
    for (const name of [...names, ...kept, ...this.#ours.keys()]) this.#register.reserve(name);
  }

  /**
   * Opens the folder, which is there. Throws OutputError as `LockedFolder.open` does. The caller closes it.
   *
   * @param kept names that `nameOf` gives to nobody
   */
  static async open(
    shown: string,
    context: DestinationContext,
    kept: readonly string[],
  ): Promise<PageFolder> {
    return new PageFolder(await LockedFolder.open(shown, context, OWN_FILES), context, kept);
  }

  /** The pages of earlier runs, and of this one. */
  get pages(): readonly FolderPage[] {
    return [...this.#pages.values()];
  }

  /** A file of the folder, as messages call it. */
  shown(file: string): string {
    return this.#folder.shown(file);
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
    const shown = this.shown(page.file);
    if (!(await this.mayReplace(page.file))) throw notOurs(shown);
    const body = Buffer.from(text);
    const sha256 = hashOf(body);
    const { bytes } = await this.#folder.put(page.file, [body], async (temporary) => {
      await this.#note(page, sha256);
      await putInPlace(temporary, this.#folder.pathOf(page.file), { ...this.#context, shown });
    });
    return { bytes, sha256 };
  }

  /** Writes the list of pages anew, without what is gone, and lets others use the folder. */
  async close(): Promise<void> {
    const folder = this.#folder;
    try {
      await folder.endList();
      if (!folder.hasListed) return;
      await flushFolder(folder.pathOf(''));
      const lines = [...this.#pages.values()].map((page) =>
        lineOf({ ...page, hashes: page.hashes.slice(-1) }),
      );
      const list = await openDestination(folder.pathOf(OWN_FILES.list), this.#context);
      await written(list, (to) => to.write(lines.map((line) => `${line}\n`).join('')));
    } finally {
      await folder.release();
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
    await this.#folder.list(lineOf(noted));
  }

  async #hashOf(file: string): Promise<string | undefined> {
    try {
      return hashOf(await readFile(this.#folder.pathOf(file)));
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
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function lineOf({ key, file, facts, hashes }: LedgerPage): string {
  return JSON.stringify({ key, file, facts, hashes });
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
