import { Option, type Command } from 'commander';
import { parseCondition, type Condition } from '../query/question-syntax.ts';
import { parseSort, type SortColumn } from '../query/question-syntax.ts';
import { names } from './parse-values.ts';

/** What is asked of the records of a listing, on this side: the service knows nothing of it. */
export interface QuestionFlags {
  readonly where?: readonly Condition[];
  readonly sum?: readonly string[];
  readonly groupBy?: readonly string[];
  readonly sort?: readonly SortColumn[];
  readonly changesSince?: string;
  readonly key?: readonly string[];
}

const GROUP = 'Questions:';

export function addQuestionFlags(command: Command): void {
  const options = [
    whereOption(),
    new Option('--sum <columns>', 'the exact total of a column, for each currency').argParser(
      collected('--sum'),
    ),
    new Option(
      '--group-by <columns>',
      'totals for each value of a column; without --sum, of records',
    ).argParser(collected('--group-by')),
    new Option(
      '--sort <columns>',
      'order what comes out: dueBy,-totalAmount (a minus: descending)',
    ).argParser(parseSort),
    new Option('--changes-since <file>', 'what is added, changed and gone since an export in jsonl or json'),
    new Option('--key <columns>', 'with --changes-since: what tells records apart (default id)').argParser(
      names('--key'),
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup(GROUP));
}

/** `--where`, repeatable. */
export function whereOption(): Option {
  const about = 'only records for which this holds: status=OVERDUE, "totalAmount>=1000", customer.name~roble';
  const collect = (expression: string, before: readonly Condition[] = []): readonly Condition[] => [
    ...before,
    parseCondition(expression),
  ];
  return new Option('--where <condition>', `${about}; repeated, all must`)
    .argParser(collect)
    .helpGroup(GROUP);
}

/** Names with commas between them, and those of the same flag before. */
function collected(flag: string) {
  const read = names(flag);
  return (value: string, before: readonly string[] = []): readonly string[] =>
    read([...before, value].join(','));
}
