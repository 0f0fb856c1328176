import type { Command } from 'commander';
import { blocksOf, type Topic } from './help-topics.ts';

/*
 * The one table of words that people type, as a flag or behind `folio help`, and that folio has other words for. The first line
 * of an entry has the words, then what to write instead: a command has some of these flags, and in braces is an example of the
 * value. Its help is written as the texts of topics are.
 */
const WORDS = `
unpaid open pending outstanding owed debt receivable impagas pendientes :: --open
What is still to be paid is --open: no credits, and nothing that was cancelled.
* folio issued --open -o open.xlsx :: a workbook; standard error says which credits are not in it
* folio issued --open --sum open --group-by counterpartyName :: how much, by customer
* folio aging :: how much and since when, less credits
* folio statement --customer-fiscal-id 60155440-2 :: what one customer owes

overdue late due past-due vencidas :: --overdue
What was due before today and is still to be paid is --overdue, whatever the status says.
* folio issued --overdue --sort=-open --limit 10 :: the ten largest
* folio aging :: a column for each 30 days
* folio issued --open --where 'due<=+7d' :: what is due within a week

paid status state pagadas estado :: --where status={PAID}
The service's own word for where a document stands is its status.
* folio issued --count --group-by status :: which there are
* folio issued --where status=PAID --period last-month :: the paid ones of last month

month quarter year last-month this-month mes periodo :: --period 2026-10
A month, a quarter or a year is kept by --period; --group-by adds up month by month.
* folio issued --period last-month --sum total :: what was invoiced last month
* folio issued --period 2026-10 --sum total --group-by counterpartyName :: October, by customer
* folio issued --sum total --group-by date:month :: also date:quarter and date:year
* folio report --period 2026-10 -o october.html :: on a page

customer client search find name cliente :: --customer-fiscal-id <id> | --where counterpartyName~{roble}
Documents of a customer are found by fiscal ID, which the service does, or by a part of the name.
* folio issued --customer-fiscal-id 60155440-2 :: by fiscal ID
* folio issued --where counterpartyName~roble :: by name
* folio issued --where number=10002 :: one invoice
* folio aging --where counterpartyName~roble :: what one owes

supplier vendor issuer proveedor :: --issuer-fiscal-id <id> | --where counterpartyName~{roble}
Documents of a supplier are found by fiscal ID, which the service does, or by a part of the name.
* folio received --issuer-fiscal-id 77155510-1 :: by fiscal ID
* folio received --where counterpartyName~roble :: by name
* folio aging --payable :: whom you owe

excel xlsx csv json spreadsheet workbook file export planilla :: -o invoices.xlsx
The ending of the file says the format: .xlsx is a workbook. For csv that a spreadsheet reads, add --excel.
* folio issued -o issued.xlsx :: a workbook
* folio issued --excel -o issued.csv :: csv, in which no text runs as a formula
* folio issued --columns number,customer.name,total -o three.csv :: three columns, as the service wrote them`;

/** What folio has for a word. */
interface MeantWord {
  /** What to write instead, of the flags that the command has. `value` stood behind the word. */
  readonly flagsOf: (command: Command, value?: string) => readonly string[];
  /** Its page of help. */
  readonly topic: Topic;
}

/** The word as the table has it; undefined for others. */
export function meantWord(typed: string): MeantWord | undefined {
  const name = typed.replace(/^-+/, '').toLowerCase();
  for (const entry of WORDS.trim().split('\n\n')) {
    const [head = '', ...help] = entry.split('\n');
    const [words = '', write = ''] = head.split(' :: ');
    if (!words.split(' ').includes(name)) continue;
    const blocks = blocksOf([...help, 'More: folio help questions, folio help formats.'].join('\n'));
    return {
      flagsOf: (command, value) => write.split(' | ').flatMap((text) => written(text, command, value)),
      topic: { name, about: '', blocks },
    };
  }
  return undefined;
}

function written(text: string, { options }: Command, value = ''): readonly string[] {
  const [flag] = text.split(' ');
  if (!options.some(({ long, short }) => flag === long || flag === short)) return [];
  const isPlain = /^[\p{L}\p{N}_.,@][\p{L}\p{N}_.,@-]{0,39}$/u.test(value);
  return [text.replace(/\{(.*)\}/, (_, example: string) => (isPlain ? value : example))];
}
