import { exitCodes } from '../exit-codes.ts';
import type { Topic } from './topic.ts';

export const exitCodesTopic: Topic = {
  name: 'exit-codes',
  about: 'what each exit code says',
  blocks: [
    'A script can rely on these. Data goes to standard output and nothing else does; an error is one line on standard ' +
      'error, then what to do about it.',
    exitCodes.map(([code, meaning]) => [String(code), meaning] as const),
    'With 6 the output is there, with all that could be had. With any other code but 0 a file of that name is what it was ' +
      'before. A reader that closes early, such as head, is no failure.',
    'Examples:',
    [
      ['folio received -o received.csv || echo "not whole: $?"', 'say so when something is missing'],
      ['folio issued --strict --customer-fiscal-id @ids.txt', 'unknown fiscal IDs are exit code 6'],
    ],
  ],
};
