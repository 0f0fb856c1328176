import { existsSync, promises, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import type { Context } from '../../context.ts';
import { isDatabase, parseDatabaseAddress } from '../../database/address.ts';
import type { LastSync } from '../../database/read-back.ts';
import { IncompleteError, isFailure, UsageError, type FolioError } from '../../errors.ts';
import { localMinute } from '../../json/calendar-day.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { quoteForShell, visible } from '../../output/terminal/terminal-text.ts';
import { countRecords } from '../../query/exports/export-file.ts';
import {
  NAME_A_FILE,
  NEXT_RUN,
  RECEIPT_ENDING as RECEIPT,
  deliveredAs,
  hashFile,
  readReceipt,
  usualReceipt,
  type DeliveredFile,
} from '../../query/exports/read-receipt.ts';
import { parser, type Flags, type Values } from '../../run/flag.ts';
import { noService, type GlobalFlags } from '../../run/flags.ts';
import { declareCommand } from '../command.ts';

interface Age {
  readonly milliseconds: number;
  /** As it was written: `26h`. */
  readonly text: string;
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Minutes, hours, days or weeks: `90m`, `26h`, `2d`, `1w`. */
const age = parser((value): Age | undefined => {
  const text = value.trim();
  const [, count, unit = ''] = /^(\d{1,6})\s*([mhdw])$/i.exec(text) ?? [];
  const milliseconds = Number(count) * (MILLISECONDS[unit.toLowerCase()] ?? Number.NaN);
  return milliseconds > 0 ? { milliseconds, text } : undefined;
}, 'minutes, hours, days or weeks, such as 90m, 26h, 2d or 1w');

const verifyFlags = {
  receipt: {
    syntax: '--receipt <receipt>',
    about: 'the receipt of that run (default: <file>.receipt.json); without a file, all that it names',
  },
  maxAge: {
    syntax: '--max-age <time>',
    about: 'the longest time since the run: 90m, 26h, 2d or 1w; also since the last sync of a database',
    parse: age,
  },
  ...noService,
} as const satisfies Flags;

export const verifyCommand = declareCommand({
  description:
    'Compares files with the receipts of the runs that wrote them (--receipt): bytes, SHA-256 and, in csv, jsonl and ' +
    'json, the number of records. In a folder it compares the files there that a receipt names: <name>.receipt.json, or the receipt of the folder. It also ' +
    'reports a run that was not whole, and with --max-age one that never started: by the receipt, or by the last ' +
    'sync of each listing in a database. The service is not asked. Exit code 0: all is well, silent with -q; ' +
    '6: a file differs, is lost, not whole, too old or dated in the future; 2: a file has no receipt.',
  arguments: [
    [
      '[files...]',
      'a file that -o wrote; a folder or a <name>.receipt.json, for all files named there; with --max-age a synced database',
    ],
  ],
  examples: [
    ['folio issued -o issued.csv --receipt beside', 'an export and its receipt, issued.csv.receipt.json'],
    ['folio verify issued.csv', 'whether it is still the same'],
    [
      'folio verify -q exports --max-age 26h',
      'all files of a folder that have receipts, none older than 26 hours',
    ],
    ['folio verify books.db --max-age 26h', 'whether each listing was synced since'],
  ],
  flags: verifyFlags,
  run: runVerify,
});

type VerifyFlags = Values<typeof verifyFlags> & GlobalFlags;

/** Returns a line if the check passes; else rejects with the error. */
type Check = () => Promise<string>;

/** Runs all checks and prints the passed ones. Throws the only failure, or one with a line for each and one hint. */
async function runVerify(
  context: Context,
  flags: VerifyFlags,
  [files]: readonly [readonly string[]],
): Promise<void> {
  const { receipt, quiet } = flags;
  if (files.length === 0 && receipt === undefined) {
    throw new UsageError('folio verify needs a file', { hint: NAME_A_FILE });
  }
  if (flags.profile !== undefined && !(await Promise.all(files.map(isDatabase))).includes(true)) {
    throw new UsageError('--profile goes with a database: a file has the profiles of its receipt', {
      hint: 'Leave it out.',
    });
  }
  const checks = files.length === 0 ? await checksOfReceipt(context, receipt!, flags) : [];
  for (const file of files) checks.push(...(await openedBy(checksOf(context, file, flags))));
  const failures: FolioError[] = [];
  for (const check of checks) {
    const line = await check().catch((error: unknown) => {
      if (checks.length === 1 || !isFailure(error)) throw error;
      failures.push(error);
    });
    if (line !== undefined && !quiet) await context.stdout.write(`${visible(line)}\n`);
  }
  const first = failures.find((error) => error instanceof IncompleteError) ?? failures[0];
  if (first === undefined) return;
  const count = `${failures.length} of ${countOf(checks.length, 'file')} ${failures.length === 1 ? 'is' : 'are'} not in order`;
  const hint = [...new Set(failures.flatMap(({ hint = [] }) => hint))].join(' ');
  throw first.reworded(count, hint, [count, ...failures.flatMap(({ lines }) => lines)]);
}

/** The checks, or one that fails where they cannot be opened, so that the others are made. */
async function openedBy(opening: Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await opening;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return [() => Promise.reject(error)];
  }
}

/** The checks of an argument: of the file itself, of what a receipt names, or of what all receipts in a folder or of it name. */
async function checksOf(context: Context, file: string, flags: VerifyFlags): Promise<Check[]> {
  if (await isDatabase(file)) return [() => verifyDatabase(context, file, flags)];
  if (flags.receipt === undefined && file.endsWith(RECEIPT)) return checksOfReceipt(context, file, flags);
  const stats = await promises.stat(file).catch(() => undefined);
  if (flags.receipt !== undefined || !stats?.isDirectory()) {
    const check = async (): Promise<string> => {
      const run = await runOf(file, flags.receipt);
      const checked = await verifyFile(file, run);
      checkRun(context, `${whoseOf(run)}${file}`, run, flags);
      return checked;
    };
    return [check];
  }
  const inside = (await promises.readdir(file)).filter((name) => name.endsWith(RECEIPT)).toSorted();
  const own = usualReceipt(file.replace(/[/\\]+$/, ''));
  const receipts = [...inside.map((name) => join(file, name)), ...(own === undefined ? [] : [own])];
  if (receipts.length === 0)
    throw new UsageError(`there is no receipt in ${file} to compare a file with`, { hint: NEXT_RUN });
  const checks: Check[] = [];
  for (const receipt of receipts) checks.push(...(await openedBy(checksOfReceipt(context, receipt, flags))));
  return checks;
}

/** The run that wrote a file, by its receipt, or by another one. Throws UsageError where there is none. */
async function runOf(file: string, receipt = `${file}${RECEIPT}`): Promise<DeliveredFile> {
  const run = deliveredAs(file, await readReceipt(receipt));
  if (run !== undefined) return run;
  throw new UsageError(`the receipt ${receipt} does not name ${file}`, { hint: NEXT_RUN });
}

/**
 * The checks of the files that a receipt names, and of their run: it stands in the only file's line, and, of many pages, in a
 * line of its own. A receipt also has the time of a run that wrote to a database.
 */
async function checksOfReceipt(context: Context, receipt: string, flags: VerifyFlags): Promise<Check[]> {
  const runs = await readReceipt(receipt);
  const [run] = runs as [DeliveredFile];
  const files = runs.filter(({ output }) => output !== null);
  if (flags.maxAge === undefined && files.length === 0) {
    const place = run.resource === 'sync' ? 'a database' : 'standard output';
    throw new UsageError(`the receipt ${receipt} names no file: that run wrote to ${place}`, {
      hint: 'Ask how long ago it may be, as in --max-age 26h.',
    });
  }
  const isOfOne = runs.length === 1 && files.length === 1;
  const checks = files.map((delivered): Check => async () => {
    const file = (isOfOne && namesake(receipt)) || fileOf(receipt, delivered);
    const checked = await verifyFile(file, delivered);
    if (isOfOne) checkRun(context, `${whoseOf(run)}${file}`, run, flags);
    return checked;
  });
  if (isOfOne || (flags.maxAge === undefined && run.complete)) return checks;
  const what = `${whoseOf(run)}${receipt}`;
  const check = async (): Promise<string> => {
    checkRun(context, what, run, flags);
    return `${what}: a run that ended at ${localMinute(run.finishedAt)}`;
  };
  return [...checks, check];
}

/** The file beside a receipt `<file>.receipt.json`, if there is one: it is of that file, whatever name it says. */
function namesake(receipt: string): string | undefined {
  const file = receipt.endsWith(RECEIPT) ? receipt.slice(0, -RECEIPT.length) : '';
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

/**
 * The path of a file that a receipt names: as seen from its folder or beside it, since the folder may have been moved as a whole.
 * Throws UsageError for a file elsewhere, without reading it: a receipt from others must not reveal facts about any file.
 */
function fileOf(receipt: string, { output, file: own = output!, sha256 }: DeliveredFile): string {
  const isWithin = !isAbsolute(own) && !/^\.\.(?![^/\\])/.test(normalize(own));
  const candidates = [...(isWithin ? [own] : []), basename(output!)].map((name) =>
    join(dirname(receipt), name),
  );
  const file = candidates.find((path) => existsSync(path)) ?? (isWithin ? candidates[0] : undefined);
  if (file !== undefined) return file;
  if (sha256 === null) return own;
  throw new UsageError(`${receipt} names ${own}, which is not in its folder`, {
    hint: 'Name the file itself, as in folio verify <file> --receipt <receipt>.',
  });
}

/** What a line about a file begins with: `lago issued: `; empty where its owner is unknown. */
function whoseOf({ profiles, resource }: DeliveredFile): string {
  return profiles.length === 0 ? '' : `${profiles.join(', ')} ${resource}: `;
}

/** Compares a file with what was delivered. Returns the line about it. Throws IncompleteError where it differs or is lost. */
async function verifyFile(file: string, delivered: DeliveredFile): Promise<string> {
  const stats = await promises.stat(file).catch(() => undefined);
  const whose = whoseOf(delivered);
  if (delivered.sha256 === null) {
    const reasons = delivered.errors.join('; ');
    const older = stats && `; ${file} is of an earlier run, of ${localMinute(stats.mtime.toISOString())}`;
    throw new IncompleteError(
      `${whose === '' ? `${file}: ` : whose}not delivered (${reasons})${older ?? ''}`,
      { hint: cureOf(delivered) },
    );
  }
  const what = `${whose}${file}`;
  const at = localMinute(delivered.finishedAt);
  if (stats === undefined)
    throw new IncompleteError(`${what} is lost: it was delivered at ${at}`, {
      hint: 'Export it again, or put it back.',
    });
  const { bytes, sha256 } = await hashFile(file);
  const isSame = sha256 === delivered.sha256;
  const count = isSame ? delivered.records : await countRecords(file, delivered);
  const isCounted = count === undefined || count === delivered.records;
  const differences = [
    isCounted ? [] : `${countOf(count, 'record')} instead of ${delivered.records}`,
    bytes === delivered.bytes ? [] : `${countOf(bytes, 'byte')} instead of ${delivered.bytes}`,
    isSame ? [] : `sha256 ${sha256} instead of ${delivered.sha256}`,
  ].flat();
  if (differences.length > 0)
    throw new IncompleteError(`${what} is not what was delivered: ${differences.join('; ')}`, {
      hint: 'Export it again, or put back the file that was delivered.',
    });
  const records = delivered.format ? `${countOf(delivered.records, 'record')}, ` : '';
  return `${what}: as delivered at ${at}, ${records}${countOf(bytes, 'byte')}, sha256 ${sha256}`;
}

/** The hint of the run's own failure, and how to run it again. */
function cureOf({ hint = 'Fix what it names.', args }: DeliveredFile): string {
  if (args.length === 0) return `${hint} Then run the export again.`;
  return `${hint} Then run it again: \`folio ${args.map(quoteForShell).join(' ')}\`.`;
}

/** Throws if the run was not whole or, with --max-age, is too old or dated in the future. */
function checkRun(context: Context, what: string, run: DeliveredFile, { maxAge }: VerifyFlags): void {
  // An export of a database is as old as the last sync.
  const events = { 'its run ended': run.finishedAt, 'its records were read': run.readAt };
  for (const [event, at] of maxAge === undefined ? [] : Object.entries(events)) {
    const fault = at === undefined ? undefined : faultOfAge(context, at, maxAge!);
    if (fault === undefined) continue;
    const text = `${what} ${fault}: ${event} at ${localMinute(at!)}`;
    throw new IncompleteError(text, { hint: hintOf(fault, 'file') });
  }
  if (!run.complete)
    throw new IncompleteError(`${what} is not whole (${run.errors.join('; ')})`, { hint: cureOf(run) });
}

/** Why a time is not within the age: too old, or in the future; else undefined. Text that is not a time counts as too old. */
function faultOfAge({ clock }: Context, at: string, { text, milliseconds }: Age): string | undefined {
  const ago = clock.now() - Date.parse(at);
  if (ago < 0) return IN_FUTURE;
  return ago <= milliseconds ? undefined : `is older than ${text}`;
}

const IN_FUTURE = 'is dated in the future';

function hintOf(fault: string, what: 'file' | 'database'): string {
  if (fault === IN_FUTURE)
    return 'Set the clock of this machine, or of the one that ran it; then run it again.';
  const remedy =
    what === 'file' ? 'remove the file and its receipt.' : 'name the other profiles with --profile.';
  return `Find out why no run has ended since: whether it was started, and what it printed. If it is not to run any more, as after folio auth logout, ${remedy}`;
}

/** Compares the last whole sync of each listing with the age that it may have. */
async function verifyDatabase(context: Context, from: string, flags: VerifyFlags): Promise<string> {
  const { maxAge, receipt } = flags;
  if (maxAge === undefined || receipt !== undefined) {
    throw new UsageError(`${parseDatabaseAddress(from).shown} is a database, and has no receipt`, {
      hint: 'Ask how old its last sync may be, with --max-age 26h alone.',
    });
  }
  const { lastSyncsIn } = await import('../../run/sources/database-source.ts');
  const { shown, syncs } = await lastSyncsIn(from, context, flags.profile);
  const faultOf = ({ wholeAt = '' }: LastSync): string | undefined => faultOfAge(context, wholeAt, maxAge);
  const old = syncs.filter((sync) => faultOf(sync) !== undefined);
  if (old.length === 0) {
    const [first] = syncs.map(({ wholeAt }) => wholeAt!).toSorted();
    return `${shown}: ${countOf(syncs.length, 'listing')}, none synced before ${localMinute(first!)}`;
  }
  const fault = faultOf(old[0]!)!;
  const message = `${shown} ${fault}`;
  const each = old.map(({ table, profile, wholeAt, error }) => {
    const since = wholeAt === undefined ? 'never whole' : `last whole at ${localMinute(wholeAt)}`;
    return `${profile} ${table}: ${since}${error === undefined ? '' : ` (${error})`}`;
  });
  throw new IncompleteError(`${message}: ${each.join('; ')}`, {
    hint: hintOf(fault, 'database'),
    lines: [message, ...each],
  });
}
