import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { CALENDAR_UNITS, isPeriod } from '../invoices/periods.ts';
import { endingsOf, formats } from '../output/formats.ts';
import { quoteForShell } from '../output/terminal/terminal-text.ts';
import { nearestHint, nearestNames } from '../query/nearest-names.ts';
import { issued } from '../resources/invoices.ts';
import { commandPath, hasFlag, resourceOf, shownUnder, termOf } from './command.ts';
import { blocksOf, type Topic } from './help-topics.ts';

/** Documents that are paid, by what folio knows of them. */
const PAID = "--where open=0 --where 'status!=NULLIFIED'";

/** Words for the first and for the last day of a span. */
const FROM = 'after start desde from-date date-from from-day start-date';
const TO = 'before to end hasta to-date date-to to-day end-date until-date';

/*
 * The one table of words that people type, as a flag or behind `folio help`, and that folio has other words for. A page begins
 * with its words, the first of which lists name; the rest is written as the texts of topics are.
 */
const PAGES = `
unpaid open pending outstanding receivable receivables impagas pendientes
What is still to be paid is --open: no credits, and nothing that was cancelled.
* folio issued --open -o open.xlsx :: a workbook; standard error says which credits are not in it
* folio issued --open --sum open --group-by counterpartyName :: how much, by customer
* folio aging :: how much and since when, less credits

owe owes owed who debt debts debtor debtors balance saldo deuda deudas
What customers owe: open amounts by age, less credits. One is found by a part of the name.
* folio aging :: all customers, those who owe most first
* folio aging --where counterpartyName~roble :: how much, how late, and the fiscal ID
* folio issued --open --where counterpartyName~roble :: which documents
* folio statement --customer-fiscal-id 60155440-2 -o owes.html :: a page to send, by the fiscal ID

overdue late due days days-late past-due vencidas atraso
What was due before today and is still to be paid is --overdue, whatever the status says.
* folio issued --overdue -o late.xlsx :: a workbook of what is late; dueBy is the day that it was due
* folio statement --all --overdue -o late.xlsx :: the same with the column daysLate: how many days late
* folio issued --open --where 'due>=today' --where 'due<=+7d' :: what is due within a week

paid pagadas pagado
Paid is what has nothing open and was not cancelled. The status has several words for it, such as
  MANUALLY_MARKED_AS_PAID. Credit notes that were used up are with them.
* folio issued ${PAID} :: what was paid
* folio issued --expand payments --sum payments.amount --group-by payments.date :: what was paid, day by day

status state estado
The service's own word for where a document stands is its status. It does not say what is late or paid: what
  is partly paid and late is PARTIALLY_PAID.
* folio issued --count --group-by status :: which there are
* folio issued --where status=PENDING,PARTIALLY_PAID :: those of two

month quarter year mes periodo last-month this-month
  january february march april may june july august september october november december
  enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
A month, a quarter or a year is kept by --period; --group-by adds up month by month.
* folio issued --period last-month --sum total :: what was invoiced last month
* folio issued --sum total --group-by date:month :: also date:quarter and date:year
* folio report --period 2026-10 -o october.html :: on a page

day date fecha between dates entre ${FROM} ${TO}
From one day to another, both within, is --since and --until. --from names a file to read.
* folio issued --since 2026-10-01 --until 2026-10-31 :: also today, yesterday, -30d
* folio issued --period 2026-10 :: the same month

customer client clients search find name cliente clientes customer-name client-name counterparty
Documents of a customer are found by a part of the name, or by fiscal ID, which the service does.
* folio customers :: all customers
* folio issued --where counterpartyName~roble :: by name
* folio issued --customer-fiscal-id 60155440-2 :: by fiscal ID
* folio statement --customer-fiscal-id 60155440-2 :: what he owes
* folio customers --where name~roble --columns fiscalId,name :: the fiscal ID of a name

supplier suppliers vendor vendors issuer proveedor proveedores supplier-name
Documents of a supplier are found by a part of the name, or by fiscal ID, which the service does.
* folio received --where counterpartyName~roble :: by name
* folio received --issuer-fiscal-id 77155510-1 :: by fiscal ID
* folio aging --payable :: whom you owe

excel ${formats.join(' ')} spreadsheet workbook planilla export exportar file save output-file out to-file
The ending of the file says the format: .xlsx is a workbook. For csv that a spreadsheet reads, add --excel.
* folio issued -o issued.xlsx :: a workbook
* folio issued --excel -o issued.csv :: csv, in which no text runs as a formula
* folio issued --columns number,customer.name,total -o three.csv :: three columns

download downloads pdf xml files attachments descargar
The files of issued invoices (PDF, XML) are put into a folder by folio issued download.
* folio issued download invoices :: all files; the next time, the new ones
* folio issued download invoices --only pdf :: no other files

import from-file input file-in offline
--from reads a database of folio sync, or an export in jsonl or json, and sends nothing.
* folio issued --from issued.jsonl --open :: an export
* folio aging --from books.db :: a database
* folio reconcile mine.csv --match number=Folio,total=Total :: your own list beside the service's

invoices invoice bills documents facturas factura list listar ver
Invoices that you issued are folio issued, those that suppliers sent are folio received.
* folio issued :: on a terminal the 50 newest; --limit 20 or --all
* folio received :: those of suppliers
* folio issued --where number=10002 :: one invoice

credits credit credit-notes credit-note notas-de-credito
Credit notes are documents of the listing. Sums, aging and report take them away; --open leaves them out.
* folio issued --where documentType=CREDIT_NOTE :: all credit notes
* folio issued --where documentType=CREDIT_NOTE --where 'open>0' :: those that are not used up
* folio issued --count --group-by documentType :: which types there are

payments payment pago pagos cobros
The payments of an invoice are a list within it; --expand payments makes a row of each.
* folio issued --expand payments --columns number,payments.date,payments.amount :: a row a payment
* folio issued --expand payments --sum payments.amount --group-by payments.date :: day by day

total totals sum by sum-by total-by group amount suma por
--sum adds a column exactly, less credit notes, each currency by itself; --group-by has a sum for each.
* folio issued --period last-month --sum total :: what was invoiced last month
* folio issued --period last-month --sum total --group-by counterpartyName :: by customer
* folio issued --sum total --group-by date:month :: by month

cron schedule scheduled nightly daily automatic task
Off a terminal a run that succeeds says nothing but warnings; the exit code says what went wrong. Log in once as
  the user of the job, or set FOLIO_TOKEN; cron has its own PATH: write the whole path of folio.
* folio issued --open -o /srv/books/open.csv --receipt beside :: a file a night, as it was before if it fails
* folio sync /srv/books/books.db :: a database a night
More: folio help exit-codes, folio help environment.

mail email send correo enviar
folio sends nothing. It writes the page or the file to attach.
* folio statement --customer-fiscal-id 60155440-2 -o owes.html :: what one customer owes
* folio statement --all --output-dir statements :: a page for each

ayuda tutorial examples manual ejemplos
Every command has its help, with examples at its end.
* folio help :: commands, topics and words
* folio issued --help :: a command
* folio --sandbox issued --open :: try it: made-up data, no token, no set-up

language idioma espanol spanish locale
Pages, and the headings of workbooks of statements and aging, are in English or Spanish.
* folio report --lang es -o octubre.html :: one page
* folio config set lang es :: all pages from now on`
  .trim()
  .split('\n\n')
  .map((page) => {
    const [words = '', ...lines] = page.split(/\n(?! )/);
    return { words: words.split(/\s+/), help: lines.join('\n') };
  });

/** A word of the table that was typed, the word behind it (empty if none), and whether the command lists received invoices. */
interface Typed {
  readonly word: string;
  readonly value: string;
  readonly isReceived: boolean;
}

/** What to write. The command has these flags, by default the one that begins the line, and columns, and lacks one. */
type Advice = readonly [
  line: string,
  of?: { readonly has?: readonly string[]; readonly lacks?: string; readonly columns?: readonly string[] },
];

const OPEN: Advice = ['--open', { columns: ['open'] }];
const OVERDUE: Advice = ['--overdue', { columns: ['open'] }];
const IS_PAID: Advice = [PAID, { columns: ['open', 'status'] }];
const OF_PARTY = { columns: ['counterpartyName'] };

/** What to write in place of a flag, by the first word of its page. */
const INSTEAD: Readonly<Record<string, (typed: Typed) => readonly Advice[]>> = {
  unpaid: () => [OPEN],
  owe: ({ value }) => [OPEN, ...byName(value)],
  overdue: () => [OVERDUE],
  paid: () => [IS_PAID],
  status: ({ value }) => {
    const better = { overdue: [OVERDUE], paid: [IS_PAID] }[value.toLowerCase()] ?? [];
    const condition = quoteForShell(`status=${value || 'PENDING'}`);
    return [...better, [`--where ${condition}`, { columns: ['status'] }]];
  },
  month: ({ word, value }) => {
    const month = monthIn(word) ?? monthIn(value);
    if (month !== undefined) return [[`--period ${/^\d{4}$/.test(value) ? value : '<year>'}-${month}`]];
    return [[`--period ${[value || 'last-month', word].find(isPeriod) ?? '<period>'}`]];
  },
  day: ({ word, value }) => {
    const day = quoteForShell(value || '2026-10-31');
    if (FROM.split(' ').includes(word)) return [[`--since ${day}`]];
    if (TO.split(' ').includes(word)) return [[`--until ${day}`]];
    return [[`--since ${day} --until ${word === 'between' ? '<day>' : day}`]];
  },
  customer: ({ word, value, isReceived }) => {
    const ofId = `--customer-fiscal-id ${idIn(value) ?? '<id>'}`;
    // What a name finds among received invoices are suppliers.
    if (isReceived && /^c[lu]/.test(word)) return [[`folio issued ${idIn(value) ? ofId : filterOf(value)}`]];
    return [...(idIn(value) ? [] : byName(value)), [ofId]];
  },
  supplier: ({ value, isReceived }) => {
    const ofId = `--issuer-fiscal-id ${idIn(value) ?? '<id>'}`;
    if (isReceived) return [...(idIn(value) ? [] : byName(value)), [ofId]];
    return [
      [`folio received ${idIn(value) ? ofId : filterOf(value)}`, { lacks: '--payable' }],
      [`folio aging --payable ${filterOf(value)}`, { has: ['--payable'] }],
      [`--payable ${ofId}`, { has: ['--payable', '--issuer-fiscal-id'] }],
    ];
  },
  excel: ({ word, value }) => {
    const format = formats.find((one) => one === word && one !== 'xlsx');
    if (format !== undefined) return [[`--format ${format}`], [`-o invoices.${endingsOf(format)[0]}`]];
    return [[`-o ${quoteForShell(value.includes('.') ? value : 'invoices.xlsx')}`]];
  },
  download: ({ word }) => {
    const only = `--only ${word === 'xml' ? 'xml' : 'pdf'}`;
    return [[only], [`folio issued download invoices ${only}`, { lacks: '--only' }]];
  },
  import: ({ value }) => [[`--from ${quoteForShell(value || 'issued.jsonl')}`]],
  credits: () => [['--where documentType=CREDIT_NOTE', { columns: ['documentType'] }]],
  payments: () => [['--expand payments', { columns: ['payments'] }]],
  total: ({ word, value }) => {
    const isGroup = ['by', 'sum-by', 'total-by', 'group', 'por'].includes(word);
    if (!isGroup) return [['--sum total', { columns: ['total'] }]];
    const unit = CALENDAR_UNITS.find((one) => one === value.toLowerCase());
    if (unit !== undefined) return [[`--group-by date:${unit}`, { columns: ['date'] }]];
    const isParty = /^(?:(?:customer|client|supplier|vendor)s?)?$/i.test(value);
    return [isParty ? ['--group-by counterpartyName', OF_PARTY] : [`--group-by ${quoteForShell(value)}`]];
  },
  language: ({ value }) => [[`--lang ${quoteForShell(value || 'es')}`]],
};

function filterOf(name: string): string {
  return `--where ${quoteForShell(`counterpartyName~${name || 'roble'}`)}`;
}

/** A filter by a part of the name, and what someone owes for a command that has no filter. */
function byName(name: string): readonly Advice[] {
  return [
    [filterOf(name), OF_PARTY],
    [`folio aging ${filterOf(name)}`, { lacks: '--where' }],
  ];
}

function idIn(value: string): string | undefined {
  return /\d/.test(value) ? value : undefined;
}

const MONTHS =
  'jan feb mar apr may jun jul aug sep oct nov dec ene feb mar abr may jun jul ago sep oct nov dic';

/** The two digits of a month by the first three letters of its name; undefined for another word. */
function monthIn(word: string): string | undefined {
  const at = MONTHS.split(' ').indexOf(word.slice(0, 3).toLowerCase());
  return at < 0 ? undefined : String((at % 12) + 1).padStart(2, '0');
}

/** The page for what was typed, or for one of several words (`who owes`); undefined for words that are not in the table. */
export function meantWord(...typed: readonly string[]) {
  const words = typed.join(' ').replace(/^-+/, '').toLowerCase().split(' ');
  for (const word of words) {
    const page = PAGES.find((each) => each.words.includes(word));
    if (page === undefined) continue;
    /** The first command line of its page. */
    const example = /^\* (.*?) :: /m.exec(page.help)![1]!;
    return {
      /** What to write for a flag of this name: of what the command has, else the example. `value` stood behind it. */
      instead(command: Command, value = ''): readonly string[] {
        const all = insteadOf(page.words[0]!, { word, value }, command);
        const { columns } = resourceOf(command) ?? issued;
        const known = new Set<string | undefined>(columns.flatMap(([name, , role]) => [name, role]));
        const fitting = all.filter(([, of]) => (of?.columns ?? []).every((name) => known.has(name)));
        return all.length > 0 && fitting.length === 0 ? [example] : fitting.map(([line]) => line);
      },
      example,
      topic: topicOf(page.help, word),
    };
  }
  return undefined;
}

/** The pages of help on words, each under its first word. */
export function wordTopics(): readonly Topic[] {
  return PAGES.map(({ words, help }) => topicOf(help, words[0]!));
}

function topicOf(help: string, name: string): Topic {
  const blocks = blocksOf(`${help}\nMore: folio help questions, folio help formats.`);
  return { name, about: String(blocks[0]), blocks };
}

/** The advice that goes with the flags of a command. A value of another form may be a secret, or break the line. */
function insteadOf(
  name: string,
  { word, value: typed }: Omit<Typed, 'isReceived'>,
  command: Command,
): readonly Advice[] {
  const value = /^[\p{L}\p{N}_.,@][\p{L}\p{N}_.,@ /-]{0,39}$/u.exec(typed)?.[0] ?? '';
  const flags = command.options.flatMap(({ long, short }) => [long, short]);
  const all = INSTEAD[name]?.({ word, value, isReceived: resourceOf(command)?.name === 'received' }) ?? [];
  return all.filter(([line, { has = /^-\S+/.exec(line) ?? [], lacks = '' } = {}]) => {
    return has.every((flag) => flags.includes(flag)) && !flags.includes(lacks);
  });
}

/** More names than a hint lists. */
const TOO_MANY = 30;

/** The hint with similar names, else with all of them or where they are; or to leave the word out if there are none. */
export function hintAmong(word: string, names: readonly string[], path: string): string {
  const help = `See ${path} --help for what there is.`;
  if (names.length === 0) return `Leave it out. ${help}`;
  return names.length < TOO_MANY || nearestNames(word, names).length > 0 ? nearestHint(word, names) : help;
}

/**
 * The error of the parser, with a suggestion. The parser's own suggestions are incomplete: it takes a misspelt command of
 * `customers`, which lists by itself, for an argument, and suggests no flag that the help of the command does not show.
 */
export async function explained(
  { code, message }: CommanderError,
  command: Command,
  wholeProgram: () => Promise<Command>,
): Promise<UsageError> {
  const path = commandPath(command);
  const text = message.replace(/^error: /, '');
  switch (code) {
    case 'commander.unknownOption': {
      // The value after an equals sign may be a secret, even if the flag does not exist.
      const word = /'([^'=]*)/.exec(message)?.[1] ?? '';
      if (hasFlag(command, word))
        return new UsageError(`${word} takes no value`, { hint: `Write ${word} alone.` });
      return new UsageError(`unknown flag '${word}'`, {
        hint: await hintForFlag(word, command, wholeProgram),
      });
    }
    case 'commander.missingArgument':
      return new UsageError(text, { hint: `Write it like ${termOf(path, command)}.` });
    case 'commander.unknownCommand':
    case 'commander.excessArguments': {
      if (hasFlag(command, '--token-command')) {
        // The word may be the token.
        const hint = `A token is typed where it is asked for, piped in, or in a file: see ${path} --help.`;
        return new UsageError(`${path} takes no arguments`, { hint });
      }
      const word = command.args[command.registeredArguments.length] ?? '';
      const whose = command.parent === null ? '' : ` of ${path}`;
      const isGroup = shownUnder(command).length > 0;
      const what = isGroup
        ? `unknown command '${word}'${whose}`
        : `'${word}' is one argument too many for ${path}`;
      return new UsageError(what, { hint: hintForWord(word, command) });
    }
    default:
      return new UsageError(
        text.replace(/^option '(?:-\w, )?([^']*)' argument missing/, '$1: the value is missing'),
        { hint: 'See --help for what there is.' },
      );
  }
}

/** The hint for that flag from the table, the commands that have it, or a flag with a similar name. */
async function hintForFlag(
  flag: string,
  command: Command,
  wholeProgram: () => Promise<Command>,
): Promise<string> {
  if (/^-[^-]/.test(flag) && commandPath(command) === 'folio config set')
    return 'Write -- before a value that begins with a dash: `folio config set <setting> -- <value>`.';
  const at = command.args.indexOf(flag);
  const value = at < 0 ? undefined : command.args[at + 1];
  const meant = meantWord(flag)?.instead(command, value) ?? [];
  if (meant.length > 0) return `Write ${meant.join(' or ')}. See folio help ${flag.replace(/^-+/, '')}.`;
  // Not those under a command that has it.
  const commandsWith = (one: Command): Command[] =>
    hasFlag(one, flag) ? [one] : shownUnder(one).flatMap(commandsWith);
  const program = await wholeProgram();
  if (hasFlag(program, flag)) return `Leave it out: ${commandPath(command)} does not use it.`;
  const have = commandsWith(program).map(commandPath);
  if (have.length > 0) return `It is a flag of ${have.join(', ')}.`;
  // Names are compared without their dashes, which all of them have.
  const names = command.options.flatMap(({ long }) => (long === '--token' ? [] : (long?.slice(2) ?? [])));
  const near = nearestNames(flag.replace(/^-+/, ''), names).map((one) => `--${one}`);
  return near.length > 0
    ? `Did you mean ${near.join(' or ')}?`
    : `See ${commandPath(command)} --help for what there is.`;
}

/** The hint for the word from the table, a command with a similar name, or the flag for an owner. */
function hintForWord(word: string, command: Command): string {
  const path = commandPath(command);
  if (word === 'help') return `Write ${path} --help.`;
  // Before misspellings: `export` is nearly `report`.
  const meant = meantWord(word);
  if (isPeriod(word) && hasFlag(command, '--period')) return `Write ${path} --period ${word}.`;
  if (meant !== undefined) {
    const lines = command.parent === null ? [] : meant.instead(command);
    return `Write ${lines.join(' or ') || meant.example}. See folio help ${word}.`;
  }
  const names = shownUnder(command).map((each) => each.name());
  const party = ['customer', 'supplier'].find((_, at) => hasFlag(command, ID_FLAGS[at]!));
  if (nearestNames(word, names).length > 0 || party === undefined) return hintAmong(word, names, path);
  const number = /^\d+$/.test(word) && hasFlag(command, '--where') ? [`--where number=${word}`] : [];
  const lines = [...number, ...meantWord(party)!.instead(command, word)];
  return `Write ${lines.join(' or ')}. See folio help ${party}.`;
}

/** The flags of the customer and of the supplier. */
const ID_FLAGS = ['--customer-fiscal-id', '--issuer-fiscal-id'];
