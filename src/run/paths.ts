import { fstatSync, promises, type BigIntStats } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Context, Environment } from '../context.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { OutputError, UsageError } from '../errors.ts';
import { behindLinks, findStream } from '../output/files/target.ts';

/** A file that a run reads, or with `names` the files of a folder. */
export interface ReadPath {
  readonly path: string;
  /** What the message calls it: `the export that --from is to read`. */
  readonly what: string;
  /** The path is that of a folder, and what is read are the files in it with names like this. */
  readonly names?: RegExp;
}

/** A file that a run writes. */
export interface WrittenPath {
  /** What names it: `--output`. */
  readonly flag: string;
  /** As it was typed; undefined and `-` are standard output. */
  readonly path: string | undefined;
  /** What the message calls it: `where the records go`. */
  readonly what: string;
}

interface RunPaths {
  readonly tokenFile: string | undefined;
  readonly reads: readonly ReadPath[];
  readonly writes: readonly WrittenPath[];
}

/**
 * Refuses a run that would write over a file that it reads, or two outputs into one file. Compares the files on the disk, so
 * that links and other spellings of a path do not matter. Throws UsageError; OutputError if the working folder is
 * gone.
 */
export async function checkPaths({ env }: Context, { tokenFile, reads, writes }: RunPaths): Promise<void> {
  for (const { path } of [...writes, ...reads]) refuseLostFolder(path, env);
  const all: WrittenAt[] = [];
  let isOnDisk = false;
  for (const written of writes) {
    const at = await keysOf(written.path);
    isOnDisk ||= at.isOnDisk;
    all.push({ written, ...at });
  }
  if (isOnDisk) {
    const { storeFile } = await import('../profiles/store.ts');
    const store = storeFile(env);
    const always: readonly ReadPath[] = [
      ...(tokenFile === undefined || tokenFile === '-' ? [] : [{ path: tokenFile, what: 'the token file' }]),
      ...(store === undefined ? [] : [{ path: store, what: "folio's file of profiles and settings" }]),
    ];
    for (const read of [...reads, ...always]) await refuseOver(read, all);
  }
  for (const [at, { written, keys }] of all.entries()) {
    const other = all.slice(0, at).find((one) => keys.some((key) => one.keys.includes(key)));
    if (other === undefined) continue;
    throw new UsageError(`${written.flag} ${written.path} is ${other.written.what}`, {
      hint: 'Name two different files.',
    });
  }
}

/** Throws OutputError for a path below a working folder that was removed: it has no meaning. */
function refuseLostFolder(path: string | undefined, { PWD: folder }: Environment): void {
  try {
    if (findStream(path) === undefined) resolve(path!);
  } catch (cause) {
    const named = folder === undefined ? '' : ` ${folder}`;
    throw new OutputError(`the working folder${named} was removed, and ${path} would be in it`, {
      hint: 'Change to a folder that is there, or give the whole path.',
      cause,
    });
  }
}

async function refuseOver({ path: read, what, names }: ReadPath, all: readonly WrittenAt[]): Promise<void> {
  const { key, found } = await placeOf(read);
  // A device or a pipe is not written over.
  if (found !== undefined && !found.isFile() && !found.isDirectory()) return;
  const over = all.find(({ written, keys, folder }) =>
    names === undefined ? keys.includes(key) : folder === key && names.test(basename(written.path ?? '')),
  );
  if (over === undefined) return;
  const { flag, path = '-' } = over.written;
  throw new UsageError(
    path === '-' ? `standard output goes into ${what}` : `${flag} ${path} would replace ${what}`,
    {
      hint: 'Name another file.',
    },
  );
}

/** The files of a database on this machine: SQLite may have some beside it while it is in use. */
export function readsOfDatabase(address: DatabaseAddress): readonly ReadPath[] {
  if (address.engine !== 'SQLite') return [];
  return ['', '-wal', '-shm', '-journal'].map((ending) => ({
    path: `${address.path}${ending}`,
    what: 'the database',
  }));
}

/** Where something is written: a file on the disk, or a stream. */
interface WrittenAt {
  readonly written: WrittenPath;
  /** A stream's number, or the key of a file on the disk; of a stream into a file, both. */
  readonly keys: readonly string[];
  readonly isOnDisk: boolean;
  /** The key of the folder that it is in; undefined for a stream. */
  readonly folder: string | undefined;
}

async function keysOf(path: string | undefined): Promise<Omit<WrittenAt, 'written'>> {
  const stream = findStream(path);
  if (stream === undefined) {
    const { key, folder } = await placeOf(path!);
    return { keys: [key], isOnDisk: true, folder };
  }
  const keys = [`stream ${stream}`];
  try {
    const found = fstatSync(stream, { bigint: true });
    // A terminal or a pipe may well be more than one stream.
    if (found.isFile()) keys.push(keyOf(found));
  } catch {
    // It is closed.
  }
  return { keys, isOnDisk: keys.length > 1, folder: undefined };
}

const ON_DISK = 'file ';

interface Place {
  /** An existing file's place on the disk; else its folder and its name in lower case, as some disks ignore case. */
  readonly key: string;
  readonly folder: string;
  readonly found: BigIntStats | undefined;
}

/**
 * Where a path is on the disk, or will be: its folder may still have to be made, and SQLite makes the files beside a database,
 * such as books.db-wal, when it needs them.
 */
async function placeOf(path: string): Promise<Place> {
  const real = await behindLinks(path).catch(() => resolve(path));
  const found = await promises.stat(real, { bigint: true }).catch(() => undefined);
  const above = dirname(real);
  const folder = above === real ? ON_DISK : (await placeOf(above)).key;
  const name = basename(real).normalize('NFC').toLowerCase();
  return { key: found === undefined ? `${folder}/${name}` : keyOf(found), folder, found };
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${ON_DISK}${dev}:${ino}`;
}
