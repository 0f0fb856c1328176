import type { Command } from 'commander';
import { meantPeriod } from '../invoices/periods.ts';
import { blocksOf, type Topic } from './help-topics.ts';

/*
 * The one table of words that people type, as a flag or behind `folio help`, and that folio has other words for.
 */

/** What stood behind a flag that folio does not have. */
interface Typed {
  readonly word: string;
  readonly value: string | undefined;
  readonly today: number;
}

interface Meaning {
  /** The first one is that which lists name. */
  readonly words: string;
  /** What to write instead: a command has some of these flags. A whole command line is for commands that have none of them. */
  readonly instead: (typed: Typed) => readonly string[];
  /** Its page of help, written as the texts of topics are. */
  readonly help: string;
}

const MEANINGS: readonly Meaning[] = [
  {
    words: 'unpaid open pending outstanding receivable impagas pendientes',
    instead: () => ['--open'],
    help: `
What is still to be paid is --open: no credits, and nothing that was cancelled.
* folio issued --open -o open.xlsx :: a workbook; standard error says which credits are not in it
* folio issued --open --sum open --group-by counterpartyName :: how much, by customer
* folio aging :: how much and since when, less credits`,
  },
  {
    words: 'owe owes owed debt debts debtor balance saldo deuda',
    instead: ({ value }) => ['--open', ...byName('', value)],
    help: `
What one customer owes, found by a part of the name: open amounts by age, less credits.
* folio aging --where counterpartyName~roble :: how much, how late, and the fiscal ID
* folio issued --open --where counterpartyName~roble :: which documents
* folio statement --customer-fiscal-id 60155440-2 -o owes.html :: a page to send, by the fiscal ID
* folio aging --payable :: whom you owe
* folio aging :: all customers, those who owe most first`,
  },
  {
    words: 'overdue late due days days-late past-due vencidas atraso',
    instead: () => ['--overdue'],
    help: `
What was due before today and is still to be paid is --overdue, whatever the status says.
* folio issued --overdue -o late.xlsx :: a workbook of what is late; dueBy is the day that it was due
* folio statement --all --overdue -o late.xlsx :: the same with the column daysLate: how many days late
* folio issued --overdue --sort=-open --limit 10 :: the ten largest
* folio aging :: a column for each 30 days
* folio issued --open --where 'due<=+7d' :: what is due within a week`,
  },
  {
    words: 'paid status state pagadas estado',
    instead: ({ value = 'PAID' }) => [`--where status=${value}`],
    help: `
The service's own word for where a document stands is its status.
* folio issued --count --group-by status :: which there are
* folio issued --where status=PAID --period last-month :: the paid ones of last month`,
  },
  {
    words: 'month quarter year mes periodo',
    instead: ({ word, value = '', today }) => [
      `--period ${meantPeriod(word, today) ?? meantPeriod(value, today) ?? (value || '2026-10')}`,
    ],
    help: `
A month, a quarter or a year is kept by --period; --group-by adds up month by month.
* folio issued --period last-month --sum total :: what was invoiced last month
* folio issued --period 2026-10 --sum total --group-by counterpartyName :: October, by customer
* folio issued --sum total --group-by date:month :: also date:quarter and date:year
* folio report --period 2026-10 -o october.html :: on a page`,
  },
  {
    words: 'day date before to end hasta after start desde fecha',
    instead: ({ word, value = '2026-10-31' }) =>
      ['since', 'until']
        .filter((flag) => !(flag === 'since' ? TO : FROM).includes(word))
        .map((flag) => `--${flag} ${value}`),
    help: `
From one day to another, both within, is --since and --until. --from names a file to read.
* folio issued --since 2026-10-01 --until 2026-10-31 :: also today, yesterday, -30d
* folio issued --period 2026-10 :: the same month`,
  },
  {
    words: 'customer client search find name cliente',
    instead: ({ value }) => {
      const isId = value !== undefined && /\d/.test(value);
      return isId ? [`--customer-fiscal-id ${value}`] : [...byName('', value), '--customer-fiscal-id <id>'];
    },
    help: `
Documents of a customer are found by a part of the name, or by fiscal ID, which the service does.
* folio aging --where counterpartyName~roble :: what one owes
* folio issued --where counterpartyName~roble :: by name
* folio issued --customer-fiscal-id 60155440-2 :: by fiscal ID
* folio customers --where name~roble --columns fiscalId,name :: the fiscal ID of a name
* folio issued --where number=10002 :: one invoice`,
  },
  {
    words: 'supplier vendor issuer proveedor',
    instead: ({ value }) => [...byName(' --payable', value), '--issuer-fiscal-id <id>'],
    help: `
Documents of a supplier are found by a part of the name, or by fiscal ID, which the service does.
* folio received --where counterpartyName~roble :: by name
* folio received --issuer-fiscal-id 77155510-1 :: by fiscal ID
* folio aging --payable :: whom you owe`,
  },
  {
    words: 'excel xlsx csv json spreadsheet workbook file export planilla',
    instead: () => ['-o invoices.xlsx'],
    help: `
The ending of the file says the format: .xlsx is a workbook. For csv that a spreadsheet reads, add --excel.
* folio issued -o issued.xlsx :: a workbook
* folio issued --excel -o issued.csv :: csv, in which no text runs as a formula
* folio issued --columns number,customer.name,total -o three.csv :: three columns, as the service wrote them`,
  },
  {
    words: 'language idioma espanol spanish locale',
    instead: ({ value = 'es' }) => [`--lang ${value}`],
    help: `
Pages, and the headings of workbooks of statements and aging, are in English or Spanish.
* folio report --lang es -o octubre.html :: one page
* folio config set lang es :: all pages from now on`,
  },
];

const [FROM, TO] = [
  ['after', 'start', 'desde'],
  ['before', 'to', 'end', 'hasta'],
];

/** A filter by a part of the name, and what someone owes for a command that has no filter. */
function byName(payable: string, part = 'roble'): readonly string[] {
  const condition = `counterpartyName~${part}`;
  const filter = `--where ${part.includes(' ') ? `'${condition}'` : condition}`;
  return [filter, `folio aging ${filter}${payable}`];
}

interface MeantWord {
  /** What to write instead, of what the command has. `value` stood behind the word. */
  readonly instead: (command: Command, value: string | undefined, today: number) => readonly string[];
  readonly topic: Topic;
}

/** What folio has for the word that was typed; undefined for words that are not in the table. */
export function meantWord(typed: string): MeantWord | undefined {
  const word = typed.replace(/^-+/, '').toLowerCase();
  const isPeriod = meantPeriod(word, 0) !== undefined;
  const meaning = MEANINGS.find(({ words }) => words.split(' ').includes(isPeriod ? 'month' : word));
  return (
    meaning && {
      instead: ({ options }, typed, today) => {
        const isPlain = typed !== undefined && /^[\p{L}\p{N}_.,@][\p{L}\p{N}_.,@ /-]{0,39}$/u.test(typed);
        const value = isPlain ? typed : undefined;
        const has = (line: string): boolean =>
          options.some(({ long, short }) => [long, short].includes(/ (--?[\w-]+)|$/.exec(` ${line}`)![1]));
        return meaning
          .instead({ word, value, today })
          .filter((line) => has(line) !== line.startsWith('folio '));
      },
      topic: topicOf(meaning, word),
    }
  );
}

/** The pages of help on words, each under its first word. */
export function wordTopics(): readonly Topic[] {
  return MEANINGS.map((meaning) => topicOf(meaning, meaning.words.split(' ')[0]!));
}

function topicOf({ help }: Meaning, name: string): Topic {
  const [about = '', ...more] = blocksOf(help);
  return {
    name,
    about: String(about),
    blocks: [about, ...more, 'More: folio help questions, folio help formats.'],
  };
}
