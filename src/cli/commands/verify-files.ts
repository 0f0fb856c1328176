import { promises } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../../context.ts';
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
import { surveyFile, type Survey } from '../../query/exports/survey-file.ts';

/** A file, and the receipt to compare it with; undefined where there is none. */
interface FileToVerify {
  readonly file: string;
  readonly receipt: string | undefined;
}

/**
 * Compares files with their receipts, and says on standard output of each file that it is what was delivered.
 *
 * @param receipt the receipt of all files; without it each has its own, `<file>.receipt.json`
 * @throws IncompleteError with the differences where a file is not, UsageError where a file has no receipt
 */
export async function runVerify(
  context: Context,
  files: readonly string[],
  receipt: string | undefined,
): Promise<void> {
  if (files.length === 0 && receipt === undefined) {
    throw new UsageError('folio verify needs a file', {
      hint: 'Name a file that -o wrote, a folder of such files, or a receipt with --receipt.',
    });
  }
  const found: FileToVerify[] = files.length === 0 ? await filesNamedBy(receipt!) : [];
  for (const file of files) found.push(...(await filesOf(file, receipt)));
  const failures: FolioError[] = [];
  for (const each of found) {
    try {
      await verifyFile(context, each);
    } catch (error) {
      if (found.length === 1 || !(error instanceof IncompleteError || error instanceof UsageError))
        throw error;
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  const says = failures.map(({ message }) => message).join('; ');
  const Kind = failures.some((error) => error instanceof IncompleteError) ? IncompleteError : UsageError;
  throw new Kind(`${failures.length} of ${countOf(found.length, 'file')}: ${says}`, {
    hint: failures[0]!.hint,
  });
}

/** The files of an argument: the file itself, the files that a receipt names, or those of all receipts in a folder. */
async function filesOf(file: string, receipt: string | undefined): Promise<FileToVerify[]> {
  if (receipt !== undefined) return [{ file, receipt }];
  if (file.endsWith(RECEIPT)) return filesNamedBy(file);
  const isFolder = await promises.stat(file).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return [{ file, receipt: await usualReceipt(file) }];
  const names = (await promises.readdir(file)).filter((name) => name.endsWith(RECEIPT)).toSorted(byText);
  if (names.length === 0) {
    throw new UsageError(`there is no receipt in ${file} to compare a file with`, { hint: NEXT_RUN });
  }
  const found: FileToVerify[] = [];
  for (const name of names) found.push(...(await filesNamedBy(join(file, name))));
  return found;
}

const NEXT_RUN = 'The next run writes one with --receipt <file>.receipt.json.';

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** The files that a receipt names. They are looked for beside the receipt, then where they were written. */
async function filesNamedBy(receipt: string): Promise<FileToVerify[]> {
  const found: FileToVerify[] = [];
  for (const { output } of await readReceipt(receipt)) {
    if (output === null) continue;
    const beside = join(dirname(receipt), basename(output));
    found.push({ file: (await isThere(beside)) ? beside : output, receipt });
  }
  if (found.length > 0) return found;
  throw new UsageError(`the receipt ${receipt} names no file: that run wrote to standard output`, {
    hint: NEXT_RUN,
  });
}

async function verifyFile(context: Context, { file, receipt }: FileToVerify): Promise<void> {
  const say = (line: string): Promise<void> => context.stdout.write(`${visible(line)}\n`);
  const delivered = receipt === undefined ? undefined : deliveredAs(file, await readReceipt(receipt));
  const form = { format: delivered?.format ?? formatOfEnding(file), header: delivered?.header ?? true };
  const survey = await surveyFile(file, form);
  if (receipt === undefined || delivered === undefined)
    return refuseWithoutReceipt({ file, receipt }, survey, form.format);
  refuseOther({ file, receipt }, survey, delivered);
  await say(`${file}: as delivered at ${delivered.finishedAt}, ${contents(survey, form.format)}`);
  if (!delivered.complete) {
    await say(`that run did not deliver all that was asked for: ${delivered.errors.join('; ')}`);
  }
}

async function isThere(path: string): Promise<boolean> {
  return promises.access(path).then(
    () => true,
    () => false,
  );
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

/** Throws where the file differs from what was delivered. */
function refuseOther({ file, receipt }: FileToVerify, now: Survey, delivered: DeliveredFile): void {
  if (delivered.sha256 === null) {
    throw new IncompleteError(`the run of ${receipt} delivered no file: ${delivered.errors.join('; ')}`, {
      hint: `The file ${file} comes from another run, or was made in another way.`,
    });
  }
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
