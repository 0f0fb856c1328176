import { KNOWN_FIELDS } from '../query/known-columns.ts';
import { parseCondition, parseSort, type Condition, type QuestionFlags } from '../query/question-syntax.ts';
import type { FromFlags } from '../run/sources/export-source.ts';
import { names, parameter } from '../run/parse-values.ts';
import { flagGroup, text, valued, yes, type Flag } from './flag-group.ts';

const TITLE = 'Questions:';

/** `--where`, repeatable, where it is the only question. */
export const whereFlags = flagGroup<Pick<QuestionFlags, 'where'>>(TITLE, { where: whereFlag() });

/** `--from`: another place to read records from than the service. */
export const fromFlags = flagGroup<FromFlags>(TITLE, {
  from: text(
    '--from <file>',
    'of an export in jsonl, json or csv, or a database of folio sync: nothing is sent, no token is needed',
  ),
});

/** What is asked of the records of a listing, on this side: the service knows nothing of it. */
export const questionFlags = flagGroup<QuestionFlags>(TITLE, {
  where: whereFlag(),
  overdue: yes('--overdue', 'only what is still to be paid and was due before today, whatever its status'),
  since: text('--since <date>', 'issued on that day or later: 2026-11-21, 2026-11, today, -30d'),
  until: text('--until <date>', 'issued on that day or before; a month counts whole'),
  field: fieldFlag(),
  count: yes('--count', 'how many records; with --group-by for each value of a column'),
  sum: valued('--sum <columns>', 'the exact total of a column, for each currency', collected('--sum')),
  groupBy: valued(
    '--group-by <columns>',
    'totals for each value of a column; without --sum, of records',
    collected('--group-by'),
  ),
  sort: sortFlag('order what comes out: dueBy,-totalAmount (a minus: descending)'),
  changesSince: text(
    '--changes-since <file>',
    'what is added, changed and gone since an export in jsonl or json',
  ),
  changesSinceMissingOk: yes(
    '--changes-since-missing-ok',
    'where that file is not there yet, all records are added: for a first night',
  ),
  key: valued(
    '--key <columns>',
    'what tells records apart, for --changes-since and where a listing moves (default id)',
    names('--key'),
  ),
});

/** `--field`, repeatable. */
export function fieldFlag(): Flag<readonly (readonly [field: string, column: string])[]> {
  return valued(
    '--field <name=column>',
    `the column of ${KNOWN_FIELDS.join(', ')}; for good: folio config set fields.<name>`,
    parameter('--field'),
  );
}

/** `--sort`. */
export function sortFlag(about: string): Flag<NonNullable<QuestionFlags['sort']>> {
  return valued('--sort <columns>', about, (columns) => parseSort(columns));
}

function whereFlag(): Flag<readonly Condition[]> {
  return valued(
    '--where <condition>',
    'only records for which this holds: status=OVERDUE,PENDING "dueBy<today" "totalAmount>=1000" customer.name~roble; repeated, all must',
    (expression, before: readonly Condition[] = []) => [...before, parseCondition(expression)],
  );
}

/** Names with commas between them, and those of the same flag before. */
function collected(flag: string) {
  const read = names(flag);
  return (value: string, before: readonly string[] = []): readonly string[] =>
    read([...before, value].join(','));
}
