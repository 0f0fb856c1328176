import { parseCondition, parseSort, type Condition, type QuestionFlags } from '../query/question-syntax.ts';
import { names } from '../run/parse-values.ts';
import { flagGroup, text, valued, type Flag } from './flag-group.ts';

const TITLE = 'Questions:';

/** `--where`, repeatable, where it is the only question. */
export const whereFlags = flagGroup<Pick<QuestionFlags, 'where'>>(TITLE, { where: whereFlag() });

/** What is asked of the records of a listing, on this side: the service knows nothing of it. */
export const questionFlags = flagGroup<QuestionFlags>(TITLE, {
  where: whereFlag(),
  sum: valued('--sum <columns>', 'the exact total of a column, for each currency', collected('--sum')),
  groupBy: valued(
    '--group-by <columns>',
    'totals for each value of a column; without --sum, of records',
    collected('--group-by'),
  ),
  sort: valued(
    '--sort <columns>',
    'order what comes out: dueBy,-totalAmount (a minus: descending)',
    (columns) => parseSort(columns),
  ),
  changesSince: text(
    '--changes-since <file>',
    'what is added, changed and gone since an export in jsonl or json',
  ),
  key: valued(
    '--key <columns>',
    'with --changes-since: what tells records apart (default id)',
    names('--key'),
  ),
});

function whereFlag(): Flag<readonly Condition[]> {
  return valued(
    '--where <condition>',
    'only records for which this holds: status=OVERDUE, "totalAmount>=1000", customer.name~roble; repeated, all must',
    (expression, before: readonly Condition[] = []) => [...before, parseCondition(expression)],
  );
}

/** Names with commas between them, and those of the same flag before. */
function collected(flag: string) {
  const read = names(flag);
  return (value: string, before: readonly string[] = []): readonly string[] =>
    read([...before, value].join(','));
}
