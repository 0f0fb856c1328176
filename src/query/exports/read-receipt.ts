import { access, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { isCount, isJsonObject, parseJsonObject } from '../../json/json-object.ts';
import { STANDARD_INPUT } from './export-file.ts';
import { surveyFile } from './survey-file.ts';

/** What a receipt says of a file that was delivered. */
export interface DeliveredFile {
  /** The file as it was given to -o; null for standard output. */
  readonly output: string | null;
  /** Its path as seen from the folder of the receipt; undefined in a receipt that does not say so. */
  readonly file: string | undefined;
  /** Whether the records of several profiles are in it, and so a column of folio's says whose each is. */
  readonly isOfSeveral: boolean;
  readonly records: number;
  readonly bytes: number;
  /** In hex; null where no file was delivered. */
  readonly sha256: string | null;
  readonly finishedAt: string;
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
 * Reads a receipt of --receipt: one file, or several where the run wrote a file for each profile, or pages into a folder.
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
  const run = parseObject(text, path);
  const pages = pagesIn(run);
  const sections = pages.length > 0 ? pages : sectionsWithFiles(run['profiles']);
  const isOfSeveral = sections.length === 0 && Array.isArray(run['profiles']);
  return (sections.length > 0 ? sections : [run]).map((section) => {
    return { ...deliveredIn({ ...run, ...section }, path), isOfSeveral };
  });
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

/**
 * Checks an export by its receipt, before an answer relies on it: a failure where the run that wrote the file was incomplete, a
 * warning where the receipt is of another file, and nothing where all is well or there is no receipt.
 */
export async function checkExport(file: string): Promise<Finding | undefined> {
  const path = await usualReceipt(file);
  if (path === undefined) return undefined;
  const delivered = await readReceipt(path).then(
    (all) => deliveredAs(file, all),
    (error: unknown) => error as Error,
  );
  if (delivered instanceof Error) return { level: 'warning', text: delivered.message };
  const size = await stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
  // The code that reads the file will say why it cannot be read.
  if (delivered === undefined || size === undefined) return undefined;
  const { sha256, bytes, complete, errors } = delivered;
  if (sha256 === null) {
    const why = complete ? '' : ` (${errors.join('; ')})`;
    return {
      level: 'warning',
      text: `${file} is older than its receipt: the run of ${path} delivered no file${why}`,
    };
  }
  const isOther = size !== bytes || (!complete && (await surveyFile(file, ANY_FORM)).sha256 !== sha256);
  if (isOther) {
    return {
      level: 'warning',
      text: `${file} is not what its receipt ${path} says was delivered; \`folio verify\` tells in what it differs`,
    };
  }
  if (complete) return undefined;
  return {
    level: 'failure',
    kind: 'incomplete',
    text: `${file} does not hold all that there was: ${errors.join('; ')}`,
    hint: `Export it again: its receipt ${path} says that it is not complete.`,
  };
}

/**
 * How the file was written, by the receipt beside it. Undefined where there is none, where it cannot be read, or where it is of
 * another file: `checkExport` says so.
 */
export async function deliveredForm(file: string): Promise<DeliveredFile | undefined> {
  const path = await usualReceipt(file);
  const all = path === undefined ? [] : await readReceipt(path).catch(() => []);
  const delivered = deliveredAs(file, all);
  const size = await stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
  return delivered?.sha256 != null && delivered.bytes === size ? delivered : undefined;
}

const ANY_FORM = { format: undefined, header: true };

/** The one of the files that has the name of this file. Where there is only one, its name does not matter. */
export function deliveredAs(file: string, delivered: readonly DeliveredFile[]): DeliveredFile | undefined {
  const named = delivered.find(({ output }) => output !== null && basename(output) === basename(file));
  return named ?? (delivered.length === 1 ? delivered[0] : undefined);
}

function deliveredIn(
  receipt: Readonly<Record<string, unknown>>,
  path: string,
): Omit<DeliveredFile, 'isOfSeveral'> {
  const { output, records, bytes, sha256, finishedAt, complete, errors, format = null, header } = receipt;
  const wrong = (member: string): never => {
    throw brokenReceipt(path, `its "${member}" is not what a receipt has there`);
  };
  if (!isCount(records)) return wrong('records');
  if (!isCount(bytes)) return wrong('bytes');
  if (sha256 !== null && !(typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)))
    return wrong('sha256');
  if (typeof finishedAt !== 'string') return wrong('finishedAt');
  if (typeof complete !== 'boolean') return wrong('complete');
  if (!Array.isArray(errors)) return wrong('errors');
  if (format !== null && typeof format !== 'string') return wrong('format');
  const { headings, chosen, expanded, file } = receipt;
  const told = {
    errors: errors.map(String),
    format,
    header: header !== false,
    headings: new Map(
      Array.isArray(headings)
        ? headings.filter(isHeading).map(({ heading, column }) => [heading, column])
        : [],
    ),
    chosen: Array.isArray(chosen) ? chosen.map(String) : undefined,
    expanded: typeof expanded === 'string' ? expanded : undefined,
  };
  return {
    output: typeof output === 'string' ? output : null,
    file: typeof file === 'string' ? file : undefined,
    records,
    bytes,
    sha256,
    finishedAt,
    complete,
    ...told,
  };
}

/** What a receipt says of each page that a run wrote into its folder. */
function pagesIn({ output, file, files }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(files)) return [];
  return files.filter(isJsonObject).flatMap(({ name, bytes, sha256 }) => {
    if (typeof name !== 'string' || typeof output !== 'string') return [];
    const place = typeof file === 'string' ? { file: join(file, name) } : {};
    return [{ output: join(output, name), ...place, bytes, sha256 }];
  });
}

/** The sections of a receipt of --output-dir: one for each profile for which a file was planned. */
function sectionsWithFiles(sections: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(sections)) return [];
  return sections.filter(isJsonObject).filter((section) => typeof section['output'] === 'string');
}

function parseObject(text: string, path: string): Readonly<Record<string, unknown>> {
  const value = parseJsonObject(text);
  if (value === undefined) throw brokenReceipt(path, 'it is not a JSON object');
  return value;
}

function brokenReceipt(path: string, reason: string): FolioError {
  return new FolioError(`${path} is no receipt, or a broken one: ${reason}`, {
    hint: 'Name the file that --receipt wrote.',
  });
}

function isHeading(value: unknown): value is { readonly heading: string; readonly column: string } {
  return isJsonObject(value) && typeof value['heading'] === 'string' && typeof value['column'] === 'string';
}
