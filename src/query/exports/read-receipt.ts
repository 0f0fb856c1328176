import { access, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { isCount, isJsonObject, parseJsonObject } from '../../json/json-object.ts';
import { DATE_FLAGS } from '../where/date-flags.ts';
import { STANDARD_INPUT } from './export-file.ts';
import { surveyFile } from './survey-file.ts';

export interface DeliveredFile {
  /** The file as it was given to -o; null for standard output. */
  readonly output: string | null;
  /** Its path as seen from the folder of the receipt; undefined in a receipt that does not say so. */
  readonly file: string | undefined;
  /** What its records are, as receipts name it: `issued`. */
  readonly resource: string;
  /** The profiles whose records were asked for; none where nothing says whose they are. */
  readonly profiles: readonly string[];
  /** Whether the records of several profiles are in it, and so a column of folio's says whose each is. */
  readonly isOfSeveral: boolean;
  readonly records: number;
  readonly bytes: number;
  /** In hex; null where no file was delivered. */
  readonly sha256: string | null;
  readonly finishedAt: string;
  /** When the records were read, in ISO 8601; undefined where nothing says it: they came from an export without a receipt. */
  readonly readAt: string | undefined;
  /** The flags with which a part of the listing was read, as they were typed: `--limit 1`. */
  readonly only: readonly string[];
  readonly complete: boolean;
  readonly errors: readonly string[];
  readonly format: string | null;
  readonly header: boolean;
  /** The column that each heading stands for, where columns had headings of their own. */
  readonly headings: ReadonlyMap<string, string>;
  /** The columns as they were asked for, where records may have lost others by it. */
  readonly chosen: readonly string[] | undefined;
  /** The list of which each object is a row, so that a record may be several rows. */
  readonly expanded: string | undefined;
}

/**
 * Reads a receipt of --receipt: one file, or several where the run wrote pages into a folder.
 *
 * @throws UsageError where there is no such receipt, FolioError where it cannot be read or is no receipt
 */
export async function readReceipt(path: string): Promise<readonly DeliveredFile[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') {
      throw new UsageError(`there is no receipt ${path}`, {
        hint: 'The next run writes one with --receipt.',
      });
    }
    throw new FolioError(`cannot read the receipt ${path}: ${systemReason(error)}`, {
      hint: 'Name a receipt that you may read.',
      cause: error,
    });
  });
  const run = parseJsonObject(text);
  if (run === undefined) throw brokenReceipt(path, 'it is not a JSON object');
  const pages = pagesIn(run);
  const isOfSeveral = pages.length === 0 && Array.isArray(run['profiles']);
  return (pages.length > 0 ? pages : [run]).map((page) => ({
    ...deliveredIn({ ...run, ...page }, path),
    profiles: profilesIn(run),
    isOfSeveral,
  }));
}

/** The ending of a receipt's name, behind the name of its file. */
export const RECEIPT_ENDING = '.receipt.json';

/** What is read of an export, and what each file is, behind a verb: itself and, where there is one, its receipt. */
export function readsOfExport(flag: string, path: string): readonly { path: string; is: string }[] {
  if (path === STANDARD_INPUT) return [];
  return [
    { path, is: `the export that ${flag} is to read` },
    { path: `${path}${RECEIPT_ENDING}`, is: `the receipt of the export that ${flag} is to read` },
  ];
}

/** The receipt of the file, `<file>.receipt.json`; undefined where there is none. */
export async function usualReceipt(file: string): Promise<string | undefined> {
  if (file === STANDARD_INPUT) return undefined;
  const path = `${file}${RECEIPT_ENDING}`;
  return access(path).then(
    () => path,
    () => undefined,
  );
}

/** What the receipt of a file says, and what the file is now. */
interface BesideFile {
  readonly path: string;
  readonly delivered: DeliveredFile | FolioError;
  /** Bytes. */
  readonly size: number;
}

/** Undefined where there is no receipt, or none of this file, or no file, which whoever reads it says. */
async function receiptBeside(file: string): Promise<BesideFile | undefined> {
  const path = await usualReceipt(file);
  if (path === undefined) return undefined;
  const delivered = await readReceipt(path).then(
    (all) => deliveredAs(file, all),
    (error: unknown) => error as FolioError,
  );
  const size = await stat(file).then(
    (found) => found.size,
    () => (delivered instanceof Error ? 0 : undefined),
  );
  return delivered === undefined || size === undefined ? undefined : { path, delivered, size };
}

/** What the receipt of an export is good for. */
interface CheckedExport {
  /** A failure where the run that wrote the file was incomplete, a warning where the receipt is of another file. */
  readonly finding?: Finding;
  /** What was delivered, where the file is of the size and the hash that the receipt states. */
  readonly delivered?: DeliveredFile;
}

/** Checks an export by its receipt, before an answer relies on it. */
export async function checkExport(file: string): Promise<CheckedExport> {
  const beside = await receiptBeside(file);
  if (beside === undefined) return {};
  const { path, delivered, size } = beside;
  const warning = (text: string): CheckedExport => ({ finding: { level: 'warning', text } });
  if (delivered instanceof Error) return warning(delivered.message);
  const { sha256, bytes, complete, errors } = delivered;
  if (sha256 === null) {
    const why = complete ? '' : ` (${errors.join('; ')})`;
    return warning(`${file} is older than its receipt: the run of ${path} delivered no file${why}`);
  }
  if (size !== bytes || (await surveyFile(file, ANY_FORM)).sha256 !== sha256) {
    return warning(
      `${file} is not what its receipt ${path} says was delivered; \`folio verify\` tells in what it differs`,
    );
  }
  if (complete) return { delivered };
  const text = `${file} does not hold all that there was: ${errors.join('; ')}`;
  const hint = `Export it again: its receipt ${path} says that it is not complete.`;
  return { delivered, finding: { level: 'failure', kind: 'incomplete', text, hint } };
}

const ANY_FORM = { format: undefined, header: true };

/**
 * How the file was written, by the receipt beside it. Undefined where there is none, where it cannot be read, or where it is of
 * another file: `checkExport` says so.
 */
export async function deliveredForm(file: string): Promise<DeliveredFile | undefined> {
  const { delivered, size } = (await receiptBeside(file)) ?? {};
  if (delivered === undefined || delivered instanceof Error) return undefined;
  return delivered.sha256 !== null && delivered.bytes === size ? delivered : undefined;
}

/** The one of the files that has the name of this file. Where there is only one, its name does not matter. */
export function deliveredAs(file: string, delivered: readonly DeliveredFile[]): DeliveredFile | undefined {
  const named = delivered.find(({ output }) => output !== null && basename(output) === basename(file));
  return named ?? (delivered.length === 1 ? delivered[0] : undefined);
}

function deliveredIn(
  receipt: Readonly<Record<string, unknown>>,
  path: string,
): Omit<DeliveredFile, 'isOfSeveral' | 'profiles'> {
  const member = <Value>(name: string, is: (value: unknown) => value is Value): Value => {
    const value = receipt[name];
    if (is(value)) return value;
    throw brokenReceipt(path, `its "${name}" is not what a receipt has there`);
  };
  const { output, headings, chosen, expanded, file, header, resource } = receipt;
  return {
    resource: isText(resource) ? resource : '',
    output: isText(output) ? output : null,
    file: isText(file) ? file : undefined,
    records: member('records', isCount),
    bytes: member('bytes', isCount),
    sha256: member('sha256', isDigest),
    finishedAt: member('finishedAt', isText),
    readAt: timeIn(receipt['readAt'] === undefined ? receipt['finishedAt'] : receipt['readAt']),
    only: [...narrowingIn(receipt), ...stringsIn(receipt['only'])],
    complete: member('complete', (value) => typeof value === 'boolean'),
    errors: member('errors', (value) => Array.isArray(value)).map(String),
    format: member('format', (value) => value === undefined || value === null || isText(value)) ?? null,
    header: header !== false,
    headings: new Map(listOf(headings).flatMap(headingIn)),
    chosen: Array.isArray(chosen) ? chosen.map(String) : undefined,
    expanded: isText(expanded) ? expanded : undefined,
  };
}

/** The flags with a value by which a part of a listing is read. */
const VALUED = [
  ...['limit', 'page', 'next-token', 'param', 'where', 'customer-fiscal-id', 'issuer-fiscal-id'],
  ...DATE_FLAGS.map(({ flag }) => flag.slice(2)),
];
/** One of them, and its value where that stands behind an equals sign; or a flag without a value. */
const NARROWING = new RegExp(`^--(?:open|overdue|(${VALUED.join('|')}))(?:=(.*))?$`, 's');

/** Those of a run, as they were typed. A limit that there were fewer records than leaves none out. */
function narrowingIn({ arguments: words, records }: Readonly<Record<string, unknown>>): readonly string[] {
  const all = stringsIn(words);
  return all.flatMap((word, at) => {
    const [flag, valued, value = all[at + 1]] = NARROWING.exec(word) ?? [];
    if (flag === undefined || (valued === 'limit' && Number(value) > Number(records))) return [];
    return valued === undefined ? flag : `--${valued} ${value}`;
  });
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isText) : [];
}

function timeIn(value: unknown): string | undefined {
  return isText(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

/** The profile of a file, or those of one that has the records of several. Parts of a report and of a sync are listings. */
function profilesIn({ profile, profiles, resource }: Readonly<Record<string, unknown>>): readonly string[] {
  if (isText(profile)) return [profile];
  const isOfListings = resource === 'report' || resource === 'sync';
  return isOfListings
    ? []
    : listOf(profiles).flatMap((one) => (isText(one['profile']) ? one['profile'] : []));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isDigest(value: unknown): value is string | null {
  return value === null || (isText(value) && /^[0-9a-f]{64}$/.test(value));
}

/** The objects in a list; none where there is no list. */
function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function headingIn({ heading, column }: Readonly<Record<string, unknown>>): [string, string][] {
  return isText(heading) && isText(column) ? [[heading, column]] : [];
}

/** What a receipt says of each page that a run wrote into its folder. */
function pagesIn({ output, file, files }: Readonly<Record<string, unknown>>) {
  return listOf(files).flatMap(({ name, bytes, sha256 }) => {
    if (!isText(name) || !isText(output)) return [];
    const place = isText(file) ? { file: join(file, name) } : {};
    return [{ output: join(output, name), ...place, bytes, sha256 }];
  });
}

function brokenReceipt(path: string, reason: string): FolioError {
  return new FolioError(`${path} is no receipt, or a broken one: ${reason}`, {
    hint: 'Name the file that --receipt wrote.',
  });
}
