import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { link, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LinkRefused } from '../../api/files.ts';
import { errorCode } from '../../errors.ts';
import { cannotWrite, failTo } from '../files/cannot-write.ts';
import { lockTarget, type FileLock } from '../files/lock.ts';
import { removeLeftovers, sideFilesOf, type FileContext } from '../files/side-files.ts';
import { makeFolder, realPath } from '../files/target.ts';
import {
  flushFolder,
  openTemporary,
  putInPlace,
  writeChunk,
  type PlaceOptions,
} from '../files/whole-file.ts';
import { fileStem, foldName } from './file-names.ts';
import { fileKey, type InvoiceFile } from './invoice-files.ts';

/** What is locked, and what temporary files are called after: `.folio-files.folio-lock`. */
const LOCKED = 'folio-files';

/** The names of the files that a folder gets: `101-7-0f1e2d3c.pdf`. */
export const OWN_NAMES = /-[0-9a-f]{8}(?:-2)*\.[a-z0-9]{1,8}$/i;

export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** False where it was there already. */
  readonly isNew: boolean;
}

/** The name of a file, and whether it is there. */
export interface NameClaim {
  /** The name without its ending, which is not known before the download. */
  readonly stem: string;
  /** The file that is there by that name, whatever its ending. */
  readonly present: string | undefined;
}

/** A folder that the files of invoices are put into, by one run at a time. A file is known by its name. */
export type DownloadFolder = Awaited<ReturnType<typeof openDownloadFolder>>;

/**
 * Opens the folder, makes it if there is none, and removes what a killed run left in it. Throws OutputError where another run uses
 * it, or it cannot be read. The caller must close it.
 */
export async function openDownloadFolder(shown: string, context: FileContext) {
  const removeEmpty = await makeFolder(shown);
  let lock: FileLock | undefined;
  try {
    const path = await realPath(shown);
    lock = await lockTarget({ shown, folder: path, name: LOCKED }, context);
    // Only the owner of the lock writes temporary files here: all that are there are left.
    await removeLeftovers({ folder: path, name: LOCKED }, Infinity);
    const held = lock;
    const close = async (): Promise<void> => {
      await flushFolder(path).catch(() => undefined);
      await held.release();
      await removeEmpty();
    };
    const entries = await readdir(path, { withFileTypes: true });
    return { ...filesIn(path, entries, { ...context, shown }), close };
  } catch (error) {
    await lock?.release();
    await removeEmpty();
    throw cannotWrite(shown, error);
  }
}

function filesIn(path: string, entries: readonly Dirent[], context: FileContext & PlaceOptions) {
  /** The names of the files, by the name without its ending. */
  const present = new Map<string, string>();
  /** Names, without ending, of what is no file: a folder, a link. */
  const blocked = new Set<string>();
  for (const entry of entries) {
    const stem = /^(.+)\.[a-z0-9]{1,8}$/i.exec(entry.name)?.[1];
    if (stem === undefined) continue;
    if (entry.isFile()) present.set(foldName(stem), entry.name);
    else blocked.add(foldName(stem));
  }
  /** How often a file came that nothing tells from another. */
  const times = new Map<string, number>();
  let temporaries = 0;
  /** The file of that name that is here already. Throws OutputError. */
  const look = async (name: string): Promise<StoredFile> => {
    const { size } = await lstat(join(path, name)).catch(failTo(join(context.shown, name)));
    return { name, bytes: size, isNew: false };
  };
  return {
    look,
    /** The name that a file has here or will get. Ask in the order of the listing, so that equal files have their names each time. */
    claim(file: InvoiceFile): NameClaim {
      const key = fileKey(file);
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      // A hash, since a path may be long and is nobody else's business.
      const hash = createHash('sha256').update(`${time} ${key}`).digest('hex').slice(0, 8);
      let stem = fileStem([file.number, file.id], hash);
      while (blocked.has(foldName(stem))) stem += '-2';
      return { stem, present: present.get(foldName(stem)) };
    },
    /** Writes a file, whole or not at all. Throws OutputError, or what `body` throws; then nothing is left. */
    async store(
      { stem, ending }: { readonly stem: string; readonly ending: string },
      body: AsyncIterable<Buffer>,
    ): Promise<StoredFile> {
      const name = `${stem}.${ending}`;
      const shown = join(context.shown, name);
      const nth = (temporaries++ + 0.5) / 36 ** 8;
      const temporary = join(path, sideFilesOf(LOCKED).temporary(context.processes.pid, nth));
      const failed = failTo(shown);
      const { handle, mode } = await openTemporary(temporary).catch(failed);
      try {
        let bytes = 0;
        try {
          for await (const chunk of checkedStart(body, ending)) {
            await writeChunk(handle, chunk).catch(failed);
            bytes += chunk.length;
          }
          await handle.chmod(mode).catch(failed);
          await handle.sync().catch(failed);
        } finally {
          await handle.close();
        }
        const isNew = await placeFile(temporary, join(path, name), { ...context, shown }).catch(failed);
        return isNew ? { name, bytes, isNew } : await look(name);
      } finally {
        await rm(temporary, { force: true }).catch(() => undefined);
      }
    },
  };
}

/** Errors of a file system that has no hard links: FAT, some network drives. */
const NO_LINKS = /^(?:EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK|EINVAL|EACCES)$/;

/**
 * Gives a finished file its name; false where that name is taken. Throws the system's error.
 * Without hard links, a file that got the name at this very moment is replaced.
 */
async function placeFile(temporary: string, path: string, options: PlaceOptions): Promise<boolean> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!NO_LINKS.test(errorCode(error) ?? '')) throw error;
    await putInPlace(temporary, path, options);
  }
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
  let start: Buffer | undefined = Buffer.alloc(0);
  const checked = (bytes: Buffer): Buffer => {
    const other = contentInstead(bytes.toString('latin1', 0, START), ending);
    if (other !== undefined) throw new LinkRefused(`the link gives ${other}`);
    start = undefined;
    return bytes;
  };
  for await (const chunk of body) {
    if (start === undefined) yield chunk;
    else {
      start = Buffer.concat([start, chunk]);
      if (start.length >= START) yield checked(start);
    }
  }
  if (start !== undefined) yield checked(start);
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
