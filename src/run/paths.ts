import { fstatSync, promises, type BigIntStats } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { behindLinks, findStream } from '../output/files/target.ts';

/** A file that a run reads, or with `names` the files of a folder. */
export interface ReadPath {
  readonly path: string;
  /** What it is, behind a verb: `the export that --from is to read`. */
  readonly is: string;
  /** The path is that of a folder, and what is read are the files in it with names like this. */
  readonly names?: RegExp;
}

/** A file that a run writes. */
export interface WrittenPath {
  /** What names it: `--output`. */
  readonly flag: string;
  /** As it was given; undefined and `-` are standard output. */
  readonly path: string | undefined;
  /** What it is then, behind `is`: `where the records go`. */
  readonly is: string;
}

/** All that a run reads and writes. */
interface RunPaths {
  readonly tokenFile: string | undefined;
  readonly reads: readonly ReadPath[];
  readonly writes: readonly WrittenPath[];
}

/**
 * Refuses a run that would write over what it reads, or write two things into one file. Files are compared as they are on the
 * disk: a link, another spelling or a second name does not hide one.
 *
 * @throws UsageError
 */
export async function checkPaths({ env }: Context, { tokenFile, reads, writes }: RunPaths): Promise<void> {
  const writtenAt: WrittenAt[] = [];
  for (const written of writes) writtenAt.push({ written, keys: await keysOfWritten(written.path) });
  if (!writtenAt.some(({ keys }) => keys.some(isOfFile))) return refuseTwice(writtenAt);
  const { storeFile } = await import('../profiles/store.ts');
  const store = storeFile(env);
  const always: readonly ReadPath[] = [
    ...(tokenFile === undefined || tokenFile === '-' ? [] : [{ path: tokenFile, is: 'the token file' }]),
    ...(store === undefined ? [] : [{ path: store, is: "folio's file of profiles and settings" }]),
  ];
  for (const read of [...reads, ...always]) {
    const key = await keyOfRead(read);
    const over = key && writtenAt.find((one) => isOver(one, read, key));
    if (!over) continue;
    const { flag, path } = over.written;
    throw new UsageError(
      path === undefined || path === '-'
        ? `standard output goes into ${read.is}`
        : `${flag} ${path} would replace ${read.is}`,
      { hint: 'Name another file.' },
    );
  }
  refuseTwice(writtenAt);
}

/** The files of a database on this machine: SQLite may have some beside it while it is in use. */
export function readsOfDatabase(address: DatabaseAddress): readonly ReadPath[] {
  if (address.engine !== 'SQLite') return [];
  return ['', '-wal', '-shm', '-journal'].map((ending) => ({
    path: `${address.path}${ending}`,
    is: 'the database',
  }));
}

interface WrittenAt {
  readonly written: WrittenPath;
  readonly keys: readonly string[];
}

function isOver({ written, keys }: WrittenAt, read: ReadPath, key: string): boolean {
  if (read.names === undefined) return keys.includes(key);
  return keys.includes(inFolder(key)) && read.names.test(basename(written.path ?? ''));
}

function refuseTwice(all: readonly WrittenAt[]): void {
  for (const [at, { written, keys }] of all.entries()) {
    const other = all
      .slice(0, at)
      .find((one) => keys.some((key) => !isFolder(key) && one.keys.includes(key)));
    if (other === undefined) continue;
    throw new UsageError(`${written.flag} ${written.path} is ${other.written.is}`, {
      hint: 'Name two different files.',
    });
  }
}

/**
 * What tells the file from others: a stream by its number, a file that is there by its place on the disk, one that is not by
 * its folder and its name, without regard to case, since some disks have none. Also the folder.
 */
async function keysOfWritten(path: string | undefined): Promise<readonly string[]> {
  const stream = findStream(path);
  if (stream !== undefined) return [`stream ${stream}`, ...keysOf(statOfStream(stream))];
  const real = await behindLinks(path!).catch(() => resolve(path!));
  const folder = await keyOfFolder(dirname(real));
  const found = await promises.stat(real, { bigint: true }).catch(() => undefined);
  return [found === undefined ? nameKey(folder, real) : keyOf(found), inFolder(folder)];
}

/** The folder may still have to be made. */
async function keyOfFolder(path: string): Promise<string> {
  const found = await promises.stat(path, { bigint: true }).catch(() => undefined);
  if (found !== undefined || dirname(path) === path) return found === undefined ? 'file' : keyOf(found);
  return nameKey(await keyOfFolder(dirname(path)), path);
}

function nameKey(folder: string, path: string): string {
  return `${folder}/${folded(path)}`;
}

function folded(path: string): string {
  return basename(path).normalize('NFC').toLowerCase();
}

async function keyOfRead({ path }: ReadPath): Promise<string | undefined> {
  const found = await promises.stat(path, { bigint: true }).catch(() => undefined);
  // SQLite makes the files beside a database, such as books.db-wal, when it needs them: what is not there may come.
  if (found === undefined) return nameKey(await keyOfFolder(dirname(resolve(path))), path);
  return found.isFile() || found.isDirectory() ? keyOf(found) : undefined;
}

function statOfStream(descriptor: number): BigIntStats | undefined {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch {
    return undefined;
  }
}

/** A terminal or a pipe may well be more than one stream. */
function keysOf(found: BigIntStats | undefined): readonly string[] {
  return found?.isFile() === true ? [keyOf(found)] : [];
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `file ${dev}:${ino}`;
}

function isOfFile(key: string): boolean {
  return key.startsWith('file ');
}

function inFolder(folder: string): string {
  return `in ${folder}`;
}

function isFolder(key: string): boolean {
  return key.startsWith('in ');
}
