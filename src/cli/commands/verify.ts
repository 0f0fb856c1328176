import { existsSync, promises } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Command } from 'commander';
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
import { surveyFile, type Survey } from '../../query/exports/survey-file.ts';
import { text, valued, type Values } from '../../run/flag.ts';
import type { GlobalFlags } from '../../run/flags.ts';
import { age } from '../../run/parse-values.ts';
import { addCommand } from '../command.ts';

const verifyFlags = {
  receipt: text(
    '--receipt <receipt>',
    'the receipt of that run (default: <file>.receipt.json); without a file, all that it names',
  ),
  maxAge: valued(
    '--max-age <time>',
    'how long the run may be ago: 90m, 26h, 2d or 1w; also the last sync of a database',
    age,
  ),
};

/** `verify`: whether files are still what runs delivered, and whether the runs were lately. */
export function addVerify(program: Command, context: Context): void {
  addCommand(program, context, 'verify', {
    description:
      'Compares files with the receipts of the runs that wrote them (--receipt): bytes, SHA-256 and, in csv, jsonl and ' +
      'json, the number of records. In a folder it compares all files that the receipts there, <name>.receipt.json, or its own, name: ' +
      'where they were written, as seen from the receipt, else beside it. Needs neither network nor token. With --max-age it also ' +
      'finds the run that never started: by the receipt, and by the last sync of each listing of a database. Exit code 0 where all ' +
      'is well, silent with -q; 6 where a file differs, is lost or too old; 2 where a file has no receipt.',
    arguments: [
      [
        '[files...]',
        'what -o wrote; a folder, or a <name>.receipt.json, for all that is named there; with --max-age a synced database',
      ],
    ],
    examples: [
      ['folio issued -o issued.csv --receipt issued.csv.receipt.json', 'an export and its receipt'],
      ['folio verify issued.csv', 'whether it is still the same'],
      [
        'folio verify -q exports --max-age 26h',
        'all files of a folder that have receipts, none older than 26 hours',
      ],
      ['folio verify books.db --max-age 26h', 'whether each listing was synced since'],
    ],
    flags: verifyFlags,
    run: (flags, [files]) => runVerify(context, files, flags),
  });
}

type VerifyFlags = Values<typeof verifyFlags> & GlobalFlags;

/** Returns what is to be said where all is well, in lines; else rejects with what is wrong. */
type Check = () => Promise<readonly string[]>;

const NEXT_RUN = 'The next run writes one with --receipt <file>.receipt.json.';
const NOT_RUN = 'See why no run has ended since: whether it was started, and what it said.';

/** Makes all checks, and prints what is well. Throws the only failure, or one of several that names them all. */
async function runVerify(context: Context, files: readonly string[], flags: VerifyFlags): Promise<void> {
  const { receipt, quiet } = flags;
  if (files.length === 0 && receipt === undefined) {
    throw new UsageError('folio verify needs a file', {
      hint: 'Name a file that -o wrote, a folder of such files, or a receipt with --receipt.',
    });
  }
  const checks = files.length === 0 ? await checksOfReceipt(context, receipt!, flags) : [];
  for (const file of files) {
    if (await isDatabase(file)) checks.push(() => verifyDatabase(context, file, flags));
    else checks.push(...(await checksOf(context, file, flags)));
  }
  const failures: FolioError[] = [];
  for (const check of checks) {
    try {
      for (const line of await check()) if (!quiet) await context.stdout.write(`${visible(line)}\n`);
    } catch (error) {
      const isOneOfMany = error instanceof IncompleteError || error instanceof UsageError;
      if (checks.length === 1 || !isOneOfMany) throw error;
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

/** The checks of an argument: of the file itself, of what a receipt names, or of what all receipts in a folder or of it name. */
async function checksOf(context: Context, file: string, flags: VerifyFlags): Promise<Check[]> {
  const alone = (receipt: string | undefined): Check[] => [
    () => verifyFile(context, { file, receipt }, flags),
  ];
  if (flags.receipt !== undefined) return alone(flags.receipt);
  if (file.endsWith(RECEIPT)) return checksOfReceipt(context, file, flags);
  const stats = await promises.stat(file).catch(() => undefined);
  if (!stats?.isDirectory()) return alone(await usualReceipt(file));
  const inside = (await promises.readdir(file)).filter((name) => name.endsWith(RECEIPT)).toSorted();
  const own = await usualReceipt(file.replace(/[/\\]+$/, ''));
  const receipts = [...inside.map((name) => join(file, name)), ...(own === undefined ? [] : [own])];
  if (receipts.length === 0)
    throw new UsageError(`there is no receipt in ${file} to compare a file with`, { hint: NEXT_RUN });
  const checks: Check[] = [];
  for (const receipt of receipts) checks.push(...(await checksOfReceipt(context, receipt, flags)));
  return checks;
}

/**
 * The checks of the files that a receipt names. They are looked for where they were written, as seen from the receipt, then beside
 * it: the folder may have been moved as a whole, and verify may run anywhere.
 */
async function checksOfReceipt(context: Context, receipt: string, flags: VerifyFlags): Promise<Check[]> {
  const runs = await readReceipt(receipt);
  const found = runs.flatMap(({ output, file }) => {
    if (output === null) return [];
    const places = [file ?? output, basename(output)].map((place) =>
      isAbsolute(place) ? place : join(dirname(receipt), place),
    );
    if (isAbsolute(output)) places.push(output);
    return places.find((place) => existsSync(place)) ?? places[0]!;
  });
  if (found.length > 0) return found.map((file) => () => verifyFile(context, { file, receipt }, flags));
  if (flags.maxAge === undefined) {
    throw new UsageError(`the receipt ${receipt} names no file: that run wrote to standard output`, {
      hint: NEXT_RUN,
    });
  }
  // When the run was is told by its receipt, also where it wrote to a database.
  const check = async (): Promise<readonly string[]> => {
    refuseOld(context, receipt, runs[0]!, flags);
    return [`${receipt}: a run that ended at ${runs[0]!.finishedAt}`];
  };
  return [check];
}

async function verifyFile(
  context: Context,
  { file, receipt }: { readonly file: string; readonly receipt: string | undefined },
  flags: VerifyFlags,
): Promise<readonly string[]> {
  const delivered = receipt === undefined ? undefined : deliveredAs(file, await readReceipt(receipt));
  if (delivered?.sha256 === null) {
    throw new IncompleteError(`the run of ${receipt} delivered no file: ${delivered.errors.join('; ')}`, {
      hint: `A file ${file} comes from another run, or was made in another way.`,
    });
  }
  if (delivered !== undefined && !existsSync(file)) {
    throw new IncompleteError(`${file} is lost: it was delivered at ${delivered.finishedAt}`, {
      hint: `Its receipt is ${receipt}. Export it again, or put it back.`,
    });
  }
  const format = delivered?.format ?? formatOfEnding(file);
  const survey = await surveyFile(file, { format, header: delivered?.header ?? true });
  const contents = contentsOf(survey, format);
  if (receipt === undefined || delivered === undefined) {
    if (survey.damage !== undefined)
      throw new IncompleteError(`${file} is not whole: ${survey.damage}`, { hint: 'Export it again.' });
    const [none, hint] =
      receipt === undefined
        ? [
            `there is no receipt to compare ${file} with`,
            'Where a receipt has another name, name it with --receipt. ',
          ]
        : [`the receipt ${receipt} does not name ${file}`, ''];
    const whole = survey.records === undefined ? '' : 'it is whole, ';
    throw new UsageError(`${none}; ${whole}${contents}`, { hint: hint + NEXT_RUN });
  }
  const differences = differencesOf(survey, delivered);
  if (differences.length > 0) {
    throw new IncompleteError(`${file} is not what was delivered: ${differences.join('; ')}`, {
      hint: 'Export it again, or put back the file that was delivered.',
    });
  }
  refuseOld(context, file, delivered, flags);
  const says = `${file}: as delivered at ${delivered.finishedAt}, ${contents}`;
  if (delivered.complete) return [says];
  return [says, `that run did not deliver all that was asked for: ${delivered.errors.join('; ')}`];
}

function contentsOf({ records, bytes, sha256 }: Survey, format = 'this format'): string {
  const counted = records === undefined ? `records not counted in ${format}` : countOf(records, 'record');
  return `${counted}, ${countOf(bytes, 'byte')}, sha256 ${sha256}`;
}

function differencesOf(now: Survey, delivered: DeliveredFile): string[] {
  const differences: string[] = [];
  if (now.damage !== undefined) differences.push(now.damage);
  else if (now.records !== undefined && now.records !== delivered.records)
    differences.push(`${countOf(now.records, 'record')} instead of ${delivered.records}`);
  if (now.bytes !== delivered.bytes)
    differences.push(`${countOf(now.bytes, 'byte')} instead of ${delivered.bytes}`);
  if (now.sha256 !== delivered.sha256)
    differences.push(`sha256 ${now.sha256} instead of ${delivered.sha256}`);
  return differences;
}

/** Throws where the run is longer ago than it may be. */
function refuseOld(context: Context, what: string, { finishedAt }: DeliveredFile, flags: VerifyFlags): void {
  if (!isOlder(context, finishedAt, flags)) return;
  throw new IncompleteError(`${what} is older than ${flags.maxAge!.text}: its run ended at ${finishedAt}`, {
    hint: NOT_RUN,
  });
}

/** Whether a moment is longer ago than it may be. What is no time is as good as never. */
function isOlder({ clock }: Context, at: string, { maxAge }: VerifyFlags): boolean {
  return maxAge !== undefined && !(clock.now() - Date.parse(at) <= maxAge.milliseconds);
}

/** Compares the last whole sync of each listing with the age that it may have. */
async function verifyDatabase(
  context: Context,
  from: string,
  flags: VerifyFlags,
): Promise<readonly string[]> {
  if (flags.maxAge === undefined) {
    throw new UsageError(`${parseDatabaseAddress(from).shown} is a database, and has no receipt`, {
      hint: 'Ask how old its last sync may be, as in --max-age 26h.',
    });
  }
  const { reasonsOf } = await import('../../run/run.ts');
  const { lastSyncsIn } = await import('../../run/sources/database-source.ts');
  const { shown, syncs } = await lastSyncsIn(from, context, flags.profile);
  const old = syncs.filter(({ wholeAt }) => isOlder(context, wholeAt ?? '', flags));
  if (old.length === 0) {
    const [first] = syncs.map(({ wholeAt }) => wholeAt!).toSorted();
    return [`${shown}: ${countOf(syncs.length, 'listing')}, none synced before ${first}`];
  }
  const says = old.map(({ table, profile, wholeAt, error }) => {
    const since = wholeAt === undefined ? 'never whole' : `last whole at ${wholeAt}`;
    return { name: `${table} of ${profile}`, reason: `${since}${error === undefined ? '' : ` (${error})`}` };
  });
  throw new IncompleteError(`${shown} is older than ${flags.maxAge.text}: ${reasonsOf(says)}`, {
    hint: NOT_RUN,
  });
}
