import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileRefused, LinkRefused, type FileClient, type FileHead } from '../../api/files.ts';
import { AuthError, FolioError, Interrupted, OutputError } from '../../errors.ts';
import { lockTarget, type FileLock } from '../files/lock.ts';
import { removeLeftovers, sideFilesOf, type FileContext } from '../files/side-files.ts';
import { cannotWrite, failTo, makeFolder, realPath } from '../files/target.ts';
import { flushFolder, openTemporary } from '../files/whole-file.ts';
import { cleanExtension, fileStem, foldName } from './file-names.ts';
import { fileKey, type InvoiceFile, type RenewLink } from './invoice-files.ts';

/** The name of the lock, `.folio-files.folio-lock`, and of temporary files. */
const LOCKED = 'folio-files';

/** The names of the files that a folder gets: `101-7-0f1e2d3c.pdf`. */
export const OWN_NAMES = /-[0-9a-f]{8}(?:-2)*\.[a-z0-9]{1,8}$/i;

interface StoredFile {
  readonly name: string;
  readonly bytes: number;
}

export interface DownloadJob {
  readonly file: InvoiceFile;
  /** Its name in the folder without the ending, which is not known before the download. */
  readonly stem: string;
  /** The existing file with that stem, whatever its extension. */
  readonly present: string | undefined;
}

/** A folder for the files of invoices, used by one run at a time. A file is identified by its name. */
export type DownloadFolder = Awaited<ReturnType<typeof openDownloadFolder>>;

/**
 * Opens the folder, makes it if there is none, and removes what a killed run left in it. Throws OutputError where another run
 * uses it, or it cannot be read. The caller must close it.
 */
export async function openDownloadFolder(shown: string, context: FileContext) {
  const removeEmpty = await makeFolder(shown);
  let lock: FileLock | undefined;
  try {
    const path = await realPath(shown);
    lock = await lockTarget({ shown, folder: path, name: LOCKED }, context);
    // Only the owner of the lock writes temporary files here, so all existing ones are leftovers.
    await removeLeftovers({ folder: path, name: LOCKED }, Infinity);
    const held = lock;
    const close = async (): Promise<void> => {
      await flushFolder(path).catch(() => undefined);
      await held.release();
      await removeEmpty();
    };
    return { ...filesIn(path, await readdir(path, { withFileTypes: true }), { context, shown }), close };
  } catch (error) {
    await lock?.release();
    await removeEmpty();
    throw cannotWrite(shown, error);
  }
}

function filesIn(
  path: string,
  entries: readonly Dirent[],
  { context, shown: folder }: { readonly context: FileContext; readonly shown: string },
) {
  /** The names of the files, by the name without its ending. */
  const present = new Map<string, string>();
  /** Names, without ending, of folders and links. */
  const blocked = new Set<string>();
  for (const entry of entries) {
    const stem = /^(.+)\.[a-z0-9]{1,8}$/i.exec(entry.name)?.[1];
    if (stem === undefined) continue;
    if (entry.isFile()) present.set(foldName(stem), entry.name);
    else blocked.add(foldName(stem));
  }
  /** How often each file was repeated without any difference. */
  const times = new Map<string, number>();
  let temporaries = 0;
  return {
    async storedFile(name: string): Promise<StoredFile> {
      const { size } = await lstat(join(path, name)).catch(failTo(join(folder, name)));
      return { name, bytes: size };
    },
    /** Names the file. To be called in the order of the listing, so that equal files get the same names in each run. */
    claim(file: InvoiceFile): DownloadJob {
      const key = fileKey(file);
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      // A hash, since a path may be long and private.
      const hash = createHash('sha256').update(`${time} ${key}`).digest('hex').slice(0, 8);
      let stem = fileStem([file.number, file.id], hash);
      while (blocked.has(foldName(stem))) stem += '-2';
      return { file, stem, present: present.get(foldName(stem)) };
    },
    /** Writes a file, whole or not at all. Throws OutputError, or what `body` throws; then nothing is left. */
    async store(name: string, body: AsyncIterable<Buffer>): Promise<StoredFile> {
      const shown = join(folder, name);
      const nth = (temporaries++ + 0.5) / 36 ** 8;
      const temporary = join(path, sideFilesOf(LOCKED).temporary(context.processes.pid, nth));
      const failed = failTo(shown);
      const file = await openTemporary(temporary, shown).catch(failed);
      try {
        let bytes = 0;
        for await (const chunk of body) {
          await file.write(chunk).catch(failed);
          bytes += chunk.length;
        }
        await file.install(join(path, name), context).catch(failed);
        return { name, bytes };
      } finally {
        await file.remove();
      }
    },
  };
}

export interface DownloadResult {
  readonly file: InvoiceFile;
  readonly status: 'saved' | 'there' | 'failed' | 'unwanted';
  readonly stored?: StoredFile;
  readonly failure?: FolioError;
}

interface Downloads {
  readonly folder: DownloadFolder;
  readonly client: FileClient;
  readonly renew: RenewLink;
  readonly only: ReadonlySet<string> | undefined;
}

/**
 * Downloads one file into the folder, unless it is there. A failure of the file is a result. Errors that end the whole run
 * are thrown: a folder that cannot be written, a token that is refused, a stop.
 */
export async function downloadFile(
  { file, stem, present }: DownloadJob,
  { folder, client, renew, only }: Downloads,
  signal: AbortSignal,
): Promise<DownloadResult> {
  if (present !== undefined) {
    const ending = present.slice(present.lastIndexOf('.') + 1).toLowerCase();
    if (only?.has(ending) === false) return { file, status: 'unwanted' };
    return { file, status: 'there', stored: await folder.storedFile(present) };
  }
  const take = async (head: FileHead, body: AsyncIterable<Buffer>): Promise<StoredFile | undefined> => {
    const ending = cleanExtension(head.contentType, head.path);
    // An error sent with status 200 must not count as a file of an unwanted kind.
    if (ending === 'json' && !/\.json$/i.test(head.path))
      throw new LinkRefused('the link gives JSON, not the file');
    return only?.has(ending) === false
      ? undefined
      : folder.store(`${stem}.${ending}`, checkedStart(body, ending));
  };
  const fetchFile = async (): Promise<StoredFile | undefined> => {
    if (file.link === undefined) throw new FileRefused('the service names the file but gives no link to it');
    try {
      return await client.fetch(file.link, take, signal);
    } catch (error) {
      if (!(error instanceof LinkRefused)) throw error;
      const link = await renew(file);
      if (link === undefined) throw new LinkRefused(`${error.message}, and the service gives no new one`);
      return client.fetch(link, take, signal);
    }
  };
  try {
    const stored = await fetchFile();
    return stored === undefined ? { file, status: 'unwanted' } : { file, status: 'saved', stored };
  } catch (error) {
    const endsTheRun = [OutputError, AuthError, Interrupted].some((type) => error instanceof type);
    if (!(error instanceof FolioError) || endsTheRun) throw error;
    return { file, status: 'failed', failure: error };
  }
}

/** Bytes at the beginning of a file that are checked: a PDF may have some others before its mark. */
const START = 1024;

const BYTE_ORDER_MARK = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/;

/**
 * Passes the bytes on, after a check that they begin like a file with that extension. For an expired link, some services send a
 * login page or an error in JSON, with status 200, which would be kept as the invoice. Throws
 * LinkRefused for a web page, an error, or a false PDF or XML, before any byte is passed on.
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

/** What the file is instead of what its extension says; undefined if it may be right. */
function contentInstead(start: string, ending: string): string | undefined {
  // In UTF-16 every second byte of such text is zero.
  const text = start.replace(BYTE_ORDER_MARK, '').replaceAll('\0', '').trimStart();
  if (/^(?:<!--[^]*?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text))
    return 'a web page, not the file';
  if (ending === 'pdf' && !start.includes('%PDF-')) return 'something that is not a PDF';
  if (ending === 'xml' && !text.startsWith('<')) return 'something that is not XML';
  return ERROR_IN_JSON.test(text) ? 'an error, not the file' : undefined;
}
