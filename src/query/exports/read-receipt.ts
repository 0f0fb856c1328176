import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';

/** What of a receipt it takes to know the file again. */
export interface DeliveredFile {
  readonly records: number;
  readonly bytes: number;
  /** In hex; null where no file was delivered. */
  readonly sha256: string | null;
  readonly finishedAt: string;
  readonly complete: boolean;
  readonly errors: readonly string[];
  readonly format: string | null;
  readonly header: boolean;
}

/**
 * Reads what a receipt that --report wrote tells of a file. One receipt may tell of several files, which then go by
 * their names.
 *
 * @throws UsageError when there is none, FolioError when it cannot be read or is no receipt
 */
export async function readReceipt(path: string, file: string): Promise<DeliveredFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') {
      throw new UsageError(`there is no receipt ${path}`, { hint: 'The next run writes one with --report.' });
    }
    throw new FolioError(`cannot read the receipt ${path}: ${systemReason(error)}`, { cause: error });
  });
  return receiptIn(text, path, file);
}

function receiptIn(text: string, path: string, file: string): DeliveredFile {
  const run = parseObject(text, path);
  const receipt = { ...run, ...sectionOf(run['profiles'], file) };
  const { records, bytes, sha256, finishedAt, complete, errors, format = null, header } = receipt;
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
  const told = { errors: errors.map(String), format, header: header !== false };
  return { records, bytes, sha256, finishedAt, complete, ...told };
}

/** What the receipt of --output-dir has of one profile, whose file is called like this one; else nothing. */
function sectionOf(sections: unknown, file: string): Record<string, unknown> | undefined {
  if (!Array.isArray(sections)) return undefined;
  return (sections as readonly (Record<string, unknown> | null)[]).find(
    (section) => typeof section?.['output'] === 'string' && basename(section['output']) === basename(file),
  ) as Record<string, unknown> | undefined;
}

function parseObject(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below: what JSON.parse says quotes the text, which may be anything.
  }
  throw brokenReceipt(path, 'it is not a JSON object');
}

function brokenReceipt(path: string, reason: string): FolioError {
  return new FolioError(`${path} is no receipt, or a broken one: ${reason}`, {
    hint: 'Name the file that --report wrote.',
  });
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
