import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { isCount } from '../../json/bytes.ts';
import { isJsonObject, parseJsonObject } from '../../json/json-object.ts';

/** A file of a run, as described in its receipt. */
export interface DeliveredFile extends Readonly<ReturnType<typeof deliveredIn>> {
  /** The profiles of its records; empty if the receipt has none. */
  readonly profiles: readonly string[];
  /** Those of several that were read whole. */
  readonly wholeProfiles: readonly string[];
  /** Whether it has the records of several profiles, and so folio's profile column. */
  readonly isOfSeveral: boolean;
}

/**
 * Reads a receipt of --receipt: one file, or several where the run wrote pages into a folder. Throws UsageError where there is no
 * such receipt, FolioError where it cannot be read or is not a receipt.
 */
export async function readReceipt(path: string): Promise<readonly DeliveredFile[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable('receipt', path, error);
  });
  const run = parseJsonObject(text);
  if (run === undefined) throw brokenReceipt(path, 'it is not a JSON object');
  const pages = pagesIn(run);
  const isOfSeveral = pages.length === 0 && Array.isArray(run['profiles']);
  const whole = objectsIn(run['profiles']).filter(({ complete }) => complete === true);
  return (pages.length > 0 ? pages : [run]).map((page) => ({
    ...deliveredIn({ ...run, ...page }, path),
    profiles: profilesIn(run),
    wholeProfiles: whole.map(({ profile }) => profile).filter(isText),
    isOfSeveral,
  }));
}

/** What names standard input where a file is named. */
export const STANDARD_INPUT = '-';

/** The ending of a receipt's name, behind the name of its file. */
export const RECEIPT_ENDING = '.receipt.json';

/** The files to read for an export: the export and its receipt, each with its name for messages. */
export function readsOfExport(flag: string, path: string): readonly { path: string; what: string }[] {
  if (path === STANDARD_INPUT) return [];
  return [
    { path, what: `the export that ${flag} is to read` },
    { path: `${path}${RECEIPT_ENDING}`, what: `the receipt of the export that ${flag} is to read` },
  ];
}

/** The receipt of the file, `<file>.receipt.json`; undefined where there is none. */
export function usualReceipt(file: string): string | undefined {
  const path = `${file}${RECEIPT_ENDING}`;
  return file !== STANDARD_INPUT && existsSync(path) ? path : undefined;
}

/** The receipt beside a file; undefined if it is missing or about another file. A missing file is reported by its reader. */
export async function receiptBeside(file: string) {
  const path = usualReceipt(file);
  if (path === undefined || !existsSync(file)) return undefined;
  const delivered = await readReceipt(path).then(
    (all) => deliveredAs(file, all),
    (error: unknown) => {
      if (error instanceof FolioError) return error;
      throw error;
    },
  );
  return delivered && { path, delivered };
}

/** The entry with the name of this file. If there is only one entry, its name does not matter. */
export function deliveredAs(file: string, delivered: readonly DeliveredFile[]): DeliveredFile | undefined {
  const named = delivered.find(({ output }) => output !== null && basename(output) === basename(file));
  return named ?? (delivered.length === 1 ? delivered[0] : undefined);
}

/** A filter of fiscal IDs among the flags of a receipt, and its list. */
export const FISCAL_ID_FILTER = /^--[a-z]+-fiscal-id (.*)$/s;

/** The flags that may have left out records of these fiscal IDs: all but a filter of fiscal IDs that includes them. */
export function withoutFilterOf(ids: readonly string[], only: readonly string[]): readonly string[] {
  return only.filter((one) => {
    const [, list] = FISCAL_ID_FILTER.exec(one) ?? [];
    const all = list?.split(',').map(foldFiscalId) ?? [];
    return ids.length === 0 || !ids.every((id) => all.includes(foldFiscalId(id)));
  });
}

/** The flags for a message, shortened: there may be thousands of fiscal IDs. */
export function shownFlags(only: readonly string[]): string {
  const text = only.join(' ');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 200;

type JsonObject = Readonly<Record<string, unknown>>;

function deliveredIn(receipt: JsonObject, path: string) {
  const member = <Value>(name: string, is: (value: unknown) => value is Value): Value => {
    const value = receipt[name];
    if (is(value)) return value;
    throw brokenReceipt(path, `its "${name}" is not what a receipt has there`);
  };
  const text = (name: string): string | undefined => {
    const value = receipt[name];
    return isText(value) ? value : undefined;
  };
  const { headings, chosen } = receipt;
  const readAt = text(receipt['readAt'] === undefined ? 'finishedAt' : 'readAt');
  return {
    /** The name of its records, as in receipts: `issued`. */
    resource: text('resource') ?? '',
    /** The file of -o; null for standard output. */
    output: text('output') ?? null,
    /** Its path as seen from the folder of the receipt; undefined in a receipt without it. */
    file: text('file'),
    records: member('records', isCount),
    bytes: member('bytes', isCount),
    /** In hex; null where no file was delivered. */
    sha256: member('sha256', isDigest),
    finishedAt: member('finishedAt', isText),
    /** When the records were read, in ISO 8601; undefined for records of an export without a receipt. */
    readAt: readAt !== undefined && !Number.isNaN(Date.parse(readAt)) ? readAt : undefined,
    /** The flags that left out records, as they were typed: `--limit 1`. */
    only: textsIn(receipt['only']),
    complete: member('complete', (value) => typeof value === 'boolean'),
    errors: member('errors', (value) => Array.isArray(value)).map(String) as readonly string[],
    /** The hint on the errors; undefined in a receipt without it. */
    hint: text('hint'),
    /** The arguments of the command line. */
    args: textsIn(receipt['arguments']),
    /** Null if no records were written; undefined in a receipt without it. */
    format: member('format', (value) => value === undefined || value === null || isText(value)),
    header: receipt['header'] !== false,
    /** The column of each heading, where columns had headings of their own. */
    headings: new Map(
      objectsIn(headings).flatMap(({ heading, column }): [string, string][] =>
        isText(heading) && isText(column) ? [[heading, column]] : [],
      ),
    ) as ReadonlyMap<string, string>,
    /** The columns of --columns, if others may have been left out. */
    chosen: Array.isArray(chosen) ? (chosen.map(String) as readonly string[]) : undefined,
    /** The list whose objects are the rows: a record may be several rows. */
    expanded: text('expanded'),
    /** Whether it has rows of a result, such as totals, instead of records. */
    isResult: receipt['isResult'] === true,
  };
}

/** The profiles of a file's records. The parts of a report and of a sync are listings, not profiles. */
function profilesIn({ profile, profiles, resource }: JsonObject): readonly string[] {
  if (isText(profile)) return [profile];
  if (resource === 'report' || resource === 'sync') return [];
  return objectsIn(profiles).flatMap((one) => (isText(one['profile']) ? one['profile'] : []));
}

/** The pages that a run wrote into its folder, as members of a receipt. */
function pagesIn({ output, file, files }: JsonObject) {
  return objectsIn(files).flatMap(({ name, bytes, sha256 }) => {
    if (!isText(name) || !isText(output)) return [];
    const place = isText(file) ? { file: join(file, name) } : {};
    return [{ output: join(output, name), ...place, bytes, sha256 }];
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isDigest(value: unknown): value is string | null {
  return value === null || (isText(value) && /^[0-9a-f]{64}$/.test(value));
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isText) : [];
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function brokenReceipt(path: string, reason: string): FolioError {
  return new FolioError(`${path} is not a receipt, or a broken one: ${reason}`, {
    hint: 'Name the file that --receipt wrote.',
  });
}

const READ_AT_ONCE = 1024 * 1024;

/**
 * The bytes and the SHA-256 of a whole file, in hex, in memory that does not grow. Throws UsageError when there is no such file,
 * FolioError when it cannot be read.
 *
 * @param fd the open file, which stays open; by default the one of that path
 */
export async function hashFile(path: string, fd?: number): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const chunks = createReadStream(path, { fd, autoClose: fd === undefined, highWaterMark: READ_AT_ONCE });
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw unreadable('file', path, error);
  }
  return { bytes, sha256: hash.digest('hex') };
}

export const NAME_A_FILE = 'Name a file that -o wrote, a folder of such files, or a receipt with --receipt.';
export const NEXT_RUN = 'The next run writes one with --receipt beside.';

const HINTS = {
  file: NAME_A_FILE,
  receipt: `Where it has another name, say --receipt <receipt>. ${NEXT_RUN}`,
};

function unreadable(what: 'file' | 'receipt', path: string, cause: unknown): FolioError {
  if (errorCode(cause) === 'ENOENT')
    return new UsageError(`there is no ${what} ${path}`, { hint: HINTS[what], cause });
  const named = what === 'file' ? path : `the receipt ${path}`;
  return new FolioError(`cannot read ${named}: ${systemReason(cause)}`, {
    hint: `Name a ${what} that you may read.`,
    cause,
  });
}
