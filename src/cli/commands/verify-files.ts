import { existsSync, promises } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Context } from '../../context.ts';
import { isDatabase, parseDatabaseAddress } from '../../database/address.ts';
import { IncompleteError, UsageError, type FolioError } from '../../errors.ts';
import { formatOfEnding } from '../../output/formats.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { visible } from '../../output/terminal/terminal-text.ts';
import {
  deliveredAs,
  readReceipt,
  RECEIPT_ENDING as RECEIPT,
  usualReceipt,
  type DeliveredFile,
} from '../../query/exports/read-receipt.ts';
import type { Age } from '../../run/parse-values.ts';
import { surveyFile, type Survey } from '../../query/exports/survey-file.ts';

/** How files are verified. */
interface VerifyOptions {
  /** The receipt of all files; without it each has its own, `<file>.receipt.json`. */
  readonly receipt?: string | undefined;
  /** How long the run that wrote them may be ago. */
  readonly maxAge?: Age | undefined;
  /** Whether nothing is said where all is well. */
  readonly quiet?: boolean | undefined;
  /** Whose listings of a database are looked at; without it those of all. */
  readonly profile?: string | undefined;
}

/** A file, and the receipt to compare it with; undefined where there is none. */
interface FileToVerify {
  /** Undefined where the run of the receipt wrote no file. */
  readonly file: string | undefined;
  readonly receipt: string | undefined;
}

/**
 * Compares files with their receipts, and says on standard output of each file that it is what was delivered.
 *
 * @throws IncompleteError with the differences where a file is not, or is older than it may be; UsageError where a file has no
 * receipt
 */
export async function runVerify(
  context: Context,
  files: readonly string[],
  options: VerifyOptions,
): Promise<void> {
  const { receipt, quiet } = options;
  if (files.length === 0 && receipt === undefined) {
    throw new UsageError('folio verify needs a file', {
      hint: 'Name a file that -o wrote, a folder of such files, or a receipt with --receipt.',
    });
  }
  const checks: (() => Promise<readonly string[]>)[] = [];
  const addFiles = (found: readonly FileToVerify[]): void =>
    void checks.push(...found.map((each) => () => verifyFile(context, each, options)));
  if (files.length === 0) addFiles(await filesNamedBy(receipt!, options));
  for (const file of files) {
    if (await isDatabase(file)) checks.push(() => verifyDatabase(context, file, options));
    else addFiles(await filesOf(file, options));
  }
  const failures: FolioError[] = [];
  for (const check of checks) {
    try {
      for (const line of await check()) if (!quiet) await context.stdout.write(`${visible(line)}\n`);
    } catch (error) {
      if (checks.length === 1 || !(error instanceof IncompleteError || error instanceof UsageError))
        throw error;
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  const says = failures.map(({ message }) => message).join('; ');
  const Kind = failures.some((error) => error instanceof IncompleteError) ? IncompleteError : UsageError;
  throw new Kind(`${failures.length} of ${countOf(checks.length, 'file')}: ${says}`, {
    hint: failures[0]!.hint,
  });
}

/** The files of an argument: the file itself, the files that a receipt names, or those of all receipts in a folder or of it. */
async function filesOf(file: string, options: VerifyOptions): Promise<FileToVerify[]> {
  const { receipt } = options;
  if (receipt !== undefined) return [{ file, receipt }];
  if (file.endsWith(RECEIPT)) return filesNamedBy(file, options);
  const isFolder = await promises.stat(file).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return [{ file, receipt: await usualReceipt(file) }];
  const inside = (await promises.readdir(file)).filter((name) => name.endsWith(RECEIPT)).toSorted();
  const receipts = inside.map((name) => join(file, name));
  const own = await usualReceipt(file.replace(/[/\\]+$/, ''));
  if (own !== undefined) receipts.push(own);
  if (receipts.length === 0) {
    throw new UsageError(`there is no receipt in ${file} to compare a file with`, { hint: NEXT_RUN });
  }
  const found: FileToVerify[] = [];
  for (const one of receipts) found.push(...(await filesNamedBy(one, options)));
  return found;
}

const NEXT_RUN = 'The next run writes one with --receipt <file>.receipt.json.';

/**
 * The files that a receipt names. They are looked for where they were written, as seen from the receipt, then beside it: the
 * folder may have been moved as a whole, and verify may run anywhere.
 */
async function filesNamedBy(receipt: string, { maxAge }: VerifyOptions): Promise<FileToVerify[]> {
  const found: FileToVerify[] = [];
  const folder = dirname(receipt);
  for (const { output, file } of await readReceipt(receipt)) {
    if (output === null) continue;
    const places = [file ?? output, basename(output)].map((place) =>
      isAbsolute(place) ? place : join(folder, place),
    );
    if (isAbsolute(output)) places.push(output);
    found.push({ file: places.find((place) => existsSync(place)) ?? places[0], receipt });
  }
  if (found.length > 0) return found;
  // When the run was is told by its receipt, also where it wrote to a database.
  if (maxAge !== undefined) return [{ file: undefined, receipt }];
  throw new UsageError(`the receipt ${receipt} names no file: that run wrote to standard output`, {
    hint: NEXT_RUN,
  });
}

/** Returns what is to be said of the file where all is well. */
async function verifyFile(
  context: Context,
  { file, receipt }: FileToVerify,
  options: VerifyOptions,
): Promise<readonly string[]> {
  const all = receipt === undefined ? [] : await readReceipt(receipt);
  if (file === undefined) {
    const [run] = all;
    refuseOld(context, receipt!, run!, options);
    return [`${receipt}: a run that ended at ${run!.finishedAt}`];
  }
  const delivered = deliveredAs(file, all);
  if (delivered !== undefined) {
    refuseUndelivered({ file, receipt }, delivered);
    if (!existsSync(file)) refuseLost({ file, receipt }, delivered);
  }
  const form = { format: delivered?.format ?? formatOfEnding(file), header: delivered?.header ?? true };
  const survey = await surveyFile(file, form);
  if (receipt === undefined || delivered === undefined)
    return refuseWithoutReceipt({ file, receipt }, survey, form.format);
  refuseOther(file, survey, delivered);
  refuseOld(context, file, delivered, options);
  const says = [`${file}: as delivered at ${delivered.finishedAt}, ${contents(survey, form.format)}`];
  if (!delivered.complete)
    says.push(`that run did not deliver all that was asked for: ${delivered.errors.join('; ')}`);
  return says;
}

/** Throws for a file that was delivered and is no longer there. */
function refuseLost({ file, receipt }: FileToVerify, delivered: DeliveredFile): void {
  throw new IncompleteError(`${file} is lost: it was delivered at ${delivered.finishedAt}`, {
    hint: `Its receipt is ${receipt}. Export it again, or put it back.`,
  });
}

/** Throws where the run is longer ago than it may be. */
function refuseOld(
  { clock }: Context,
  what: string,
  { finishedAt }: DeliveredFile,
  { maxAge }: VerifyOptions,
): void {
  if (!isOlder(clock.now(), finishedAt, maxAge)) return;
  throw new IncompleteError(`${what} is older than ${maxAge!.text}: its run ended at ${finishedAt}`, {
    hint: NOT_RUN,
  });
}

const NOT_RUN = 'See why no run has ended since: whether it was started, and what it said.';

function isOlder(now: number, at: string, maxAge: Age | undefined): boolean {
  // What is no time is as good as never.
  return maxAge !== undefined && !(now - Date.parse(at) <= maxAge.milliseconds);
}

/** Holds the last whole sync of each listing in a database against the age that it may have. */
async function verifyDatabase(
  context: Context,
  from: string,
  { maxAge, profile }: VerifyOptions,
): Promise<readonly string[]> {
  if (maxAge === undefined) {
    throw new UsageError(`${parseDatabaseAddress(from).shown} is a database, and has no receipt`, {
      hint: 'Ask how old its last sync may be, as in --max-age 26h.',
    });
  }
  const { reasonsOf } = await import('../../run/several/outcome.ts');
  const { lastSyncsIn } = await import('../../run/sources/database-source.ts');
  const { shown, syncs } = await lastSyncsIn(from, context, profile);
  const old = syncs.filter(({ wholeAt }) => isOlder(context.clock.now(), wholeAt ?? '', maxAge));
  if (old.length === 0) {
    const [first] = syncs.map(({ wholeAt }) => wholeAt!).toSorted();
    return [`${shown}: ${countOf(syncs.length, 'listing')}, none synced before ${first}`];
  }
  const says = old.map(({ table, profile: of, wholeAt, error }) => {
    const since = wholeAt === undefined ? 'never whole' : `last whole at ${wholeAt}`;
    return { name: `${table} of ${of}`, reason: `${since}${error === undefined ? '' : ` (${error})`}` };
  });
  throw new IncompleteError(`${shown} is older than ${maxAge.text}: ${reasonsOf(says)}`, { hint: NOT_RUN });
}

function contents({ records, bytes, sha256 }: Survey, format = 'this format'): string {
  const counted = records === undefined ? `records not counted in ${format}` : countOf(records, 'record');
  return `${counted}, ${countOf(bytes, 'byte')}, sha256 ${sha256}`;
}

/** Throws for a file without a receipt: the error says what the file itself shows. */
function refuseWithoutReceipt(
  { file, receipt }: FileToVerify,
  survey: Survey,
  format = 'this format',
): never {
  if (survey.damage !== undefined) {
    throw new IncompleteError(`${file} is not whole: ${survey.damage}`, { hint: 'Export it again.' });
  }
  const whole = survey.records === undefined ? '' : 'it is whole, ';
  const none =
    receipt === undefined
      ? `there is no receipt to compare ${file} with`
      : `the receipt ${receipt} does not name ${file}`;
  const hint =
    receipt === undefined
      ? `Where a receipt has another name, name it with --receipt. ${NEXT_RUN}`
      : NEXT_RUN;
  throw new UsageError(`${none}; ${whole}${contents(survey, format)}`, { hint });
}

/** Throws where the run of the receipt delivered no file. */
function refuseUndelivered({ file, receipt }: FileToVerify, { sha256, errors }: DeliveredFile): void {
  if (sha256 !== null) return;
  throw new IncompleteError(`the run of ${receipt} delivered no file: ${errors.join('; ')}`, {
    hint: `A file ${file} comes from another run, or was made in another way.`,
  });
}

/** Throws where the file differs from what was delivered. */
function refuseOther(file: string, now: Survey, delivered: DeliveredFile): void {
  const differences: string[] = [];
  if (now.damage !== undefined) differences.push(now.damage);
  else if (now.records !== undefined && now.records !== delivered.records) {
    differences.push(`${countOf(now.records, 'record')} instead of ${delivered.records}`);
  }
  if (now.bytes !== delivered.bytes) {
    differences.push(`${countOf(now.bytes, 'byte')} instead of ${delivered.bytes}`);
  }
  if (now.sha256 !== delivered.sha256) {
    differences.push(`sha256 ${now.sha256} instead of ${delivered.sha256}`);
  }
  if (differences.length === 0) return;
  throw new IncompleteError(`${file} is not what was delivered: ${differences.join('; ')}`, {
    hint: 'Export it again, or put back the file that was delivered.',
  });
}
