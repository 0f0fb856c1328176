import { promises } from 'node:fs';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { IncompleteError, UsageError } from '../../errors.ts';
import { formatOfEnding } from '../../output/formats.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { visible } from '../../output/terminal/terminal-text.ts';
import type { Survey } from '../../query/exports/survey-file.ts';
import type { DeliveredFile } from '../../query/exports/read-receipt.ts';
import { addCommand } from '../command.ts';
import { flagGroup, text } from '../flag-group.ts';

interface VerifyFlags {
  readonly report?: string;
}

const verifyFlags = flagGroup<VerifyFlags>(undefined, {
  report: text(
    '--report <receipt>',
    'the receipt of that run (default: <file>.report.json where there is one)',
  ),
});

/** `verify`: whether a file is still what a run delivered. */
export function addVerify(program: Command, context: Context): void {
  addCommand(program, 'verify', {
    summary: 'whether a file is still what was delivered',
    description: `Holds a file against the receipt of the run that wrote it (--report): bytes, SHA-256 and, in csv, tsv, jsonl and
json, the number of records. Needs neither network nor token. Exit code 0 where it is still what was delivered, 6
with the differences where it is not. Without a receipt there is nothing to hold it against: exit code 2, with what is in
the file, or 6 where it is not whole.`,
    arguments: [['<file>', 'what -o wrote']],
    examples: [
      ['folio issued -o issued.csv --report issued.csv.report.json', 'an export and its receipt'],
      ['folio verify issued.csv', 'whether it is still the same'],
    ],
    flags: { receipt: verifyFlags },
    run: ({ receipt }, [file]) => runVerify(context, file, receipt.report),
  });
}

/**
 * Says on standard output that the file is what was delivered.
 *
 * @param report the receipt; without it `<file>.report.json`, and without that what the file itself shows
 * @throws IncompleteError with the differences when it is not
 * @throws UsageError where there is no receipt
 */
async function runVerify(context: Context, file: string, report: string | undefined): Promise<void> {
  const { readReceipt } = await import('../../query/exports/read-receipt.ts');
  const { surveyFile } = await import('../../query/exports/survey-file.ts');
  const say = (line: string): Promise<void> => context.stdout.write(`${visible(line)}\n`);
  const path = report ?? (await usualReceipt(file));
  if (path === undefined) {
    const form = { format: formatOfEnding(file), header: true };
    const survey = await surveyFile(file, form);
    refuseDamaged(file, survey);
    const whole = survey.records === undefined ? '' : 'whole, ';
    throw new UsageError(
      `there is no receipt to hold ${file} against; it is ${whole}${contents(survey, form.format)}`,
      { hint: 'Name the receipt of its run with --report. The next run writes one with --report.' },
    );
  }
  const delivered = await readReceipt(path, file);
  const form = { format: delivered.format ?? formatOfEnding(file), header: delivered.header };
  const survey = await surveyFile(file, form);
  refuseOther(file, path, survey, delivered);
  await say(`${file}: as delivered at ${delivered.finishedAt}, ${contents(survey, form.format)}`);
  if (!delivered.complete) {
    await say(`that run did not deliver all that was asked for: ${delivered.errors.join('; ')}`);
  }
}

async function usualReceipt(file: string): Promise<string | undefined> {
  const path = `${file}.report.json`;
  return promises.access(path).then(
    () => path,
    () => undefined,
  );
}

function contents({ records, bytes, sha256 }: Survey, format = 'this format'): string {
  const counted = records === undefined ? `records not counted in ${format}` : countOf(records, 'record');
  return `${counted}, ${countOf(bytes, 'byte')}, sha256 ${sha256}`;
}

function refuseDamaged(file: string, { damage }: Survey): void {
  if (damage === undefined) return;
  throw new IncompleteError(`${file} is not whole: ${damage}`, { hint: 'Export it again.' });
}

function refuseOther(file: string, path: string, now: Survey, delivered: DeliveredFile): void {
  if (delivered.sha256 === null) {
    throw new IncompleteError(`the run of ${path} delivered no file: ${delivered.errors.join('; ')}`, {
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
