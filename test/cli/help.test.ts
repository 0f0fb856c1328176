import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Help, type Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { examplesOf, shownUnder } from '../../src/cli/command.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { manPage } from '../../src/cli/man-page.ts';
import { ABOUT_TOPICS, helpSettings, renderTopic } from '../../src/cli/help.ts';
import { topics, type TermList } from '../../src/cli/help-topics.ts';
import { wholeProgram } from '../../src/cli/program.ts';
import { wordTopics } from '../../src/cli/words.ts';
import { formats } from '../../src/output/formats.ts';
import { listings } from '../../src/resources/listings.ts';
import { fakeContext } from '../support/fake-context.ts';
import { runProfiles as folio } from '../support/scripted-run.ts';
import { expectRefused } from '../support/expect-exit.ts';

const SRC = resolve(import.meta.dirname, '../../src');

describe('folio help', () => {
  it('lists commands and topics', async () => {
    const { code, stdout } = await folio(['help'], { terminal: true, columns: 110 });
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: folio');
    for (const { name, about } of topics) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +${about}`, 'm'));
      expect(ABOUT_TOPICS).toContain(name);
    }
    expect((await folio(['--help'])).stdout).toContain(ABOUT_TOPICS);
    const words = wordTopics().map(({ name }) => name);
    expect(stdout.replaceAll('\n', ' ')).toContain(words.join(', '));
  });

  it('is that of a command with each flag in full, which --help has in a line, flags before examples', async () => {
    const { stdout } = await folio(['help', 'funds', 'documents']);
    const { stdout: byFlag } = await folio(['funds', 'documents', '--help']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('for each currency, less credit notes');
    expect(stdout).not.toContain('Flags in full');
    expect(byFlag).toContain('Flags in full: folio help funds documents');
    expect(stdout.indexOf('--limit')).toBeLessThan(stdout.indexOf('Examples:'));
  });

  it('is one screen of 24 lines for folio alone, with the prompt, that names every command', async () => {
    const { stdout } = await folio([], { terminal: true, columns: 80 });
    const lines = stdout.split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const name of ['issued', 'aging', 'statement', 'sync', 'doctor', 'completion'])
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    expect(stdout).toContain('folio <command> --help');
  });

  it('is as wide as a small terminal where it is read through another program', async () => {
    for (const words of [['--help'], ['issued', '--help'], ['help'], ['help', 'formats']])
      expect(await folio(words)).toEqual(await folio(words, { terminal: true, columns: 80 }));
  });

  it('has the flags of every day in a line each, the others below, and the examples last', async () => {
    const { stdout } = await folio(['issued', '--help'], { terminal: true, columns: 80 });
    const [daily = '', more = '', examples = ''] = stdout.split(/\n(?:Flags|More|Examples):\n/).slice(1);
    const flags = daily.trimEnd().split('\n');
    expect(flags.filter((line) => !/^ {2}-.* {2}\S/.test(line) || line.length > 80)).toEqual([]);
    for (const flag of ['--open', '--overdue', '--period', '--where', '--sum', '--output'])
      expect(daily).toContain(flag);
    for (const flag of ['--strict', '--retries', '--receipt']) expect(more).toContain(flag);
    const lines = examples.split('\n').filter((line) => line.startsWith('  folio'));
    expect(lines.slice(-2)).toEqual(['  folio issued --overdue', '  folio issued --open -o open.xlsx']);
    expect(examples).not.toContain('OVERDUE');
    const { stdout: customers } = await folio(['customers', '--help']);
    expect(customers).toMatch(/\nFlags:\n[^]*--where [^]*\nMore:\n[^]*--open [^]*--since /);
  });

  /** Every help text, as a terminal of 80 columns shows it. */
  async function everyText(): Promise<(readonly [words: string, text: string])[]> {
    const namesUnder = (command: Command, path: readonly string[]): string[][] =>
      shownUnder(command).flatMap((one) => [
        [...path, one.name(), '--help'],
        ...namesUnder(one, [...path, one.name()]),
      ]);
    const commands = namesUnder(await wholeProgram(fakeContext()), []);
    const pages = [...topics, ...wordTopics()].map(({ name }) => ['help', name]);
    const all = [[], ['help'], ['--help'], ...commands, ...pages];
    return Promise.all(
      all.map(async (words) => {
        const { code, stdout } = await folio(words, { terminal: true, columns: 80 });
        expect(code).toBe(0);
        return [words.join(' '), stdout] as const;
      }),
    );
  }

  it('fits a terminal of 80 columns, with examples that a shell takes as they are', async () => {
    const examples: string[] = [];
    for (const [words, text] of await everyText()) {
      const lines = text.split('\n');
      expect([words, lines.filter((line) => line.length > 80)]).toEqual([words, []]);
      examples.push(...lines.flatMap((line) => /^ {2}(folio [a-z-].*?)(?: {2}|$)/.exec(line)?.[1] ?? []));
    }
    const program = await wholeProgram(fakeContext());
    const commands = [program, ...program.commands.flatMap((one) => [one, ...one.commands])];
    const declared = commands.flatMap((one) => examplesOf(one).map(([line]) => line));
    expect(declared.filter((line) => line.startsWith('folio ') && !examples.includes(line))).toEqual([]);
    expect(new Set(examples).size).toBeGreaterThan(100);
    const bare = examples.map((line) => line.replaceAll(/'[^']*'|"[^"]*"| (?:\|\|?|>) .*/g, ''));
    expect(bare.filter((line) => /[<>*&;()$!]|[^/]~ /.test(line))).toEqual([]);
  });

  it('has a text on each topic, no wider than the terminal', async () => {
    for (const { name } of topics) {
      const { code, stdout } = await folio(['help', name], { terminal: true, columns: 60 });
      expect(code).toBe(0);
      // Command lines and the names of variables are not broken.
      const prose = stdout.split('\n').filter((line) => !line.startsWith('  '));
      expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(60);
    }
    const { stdout } = await folio(['help', 'exit-codes'], { terminal: true, columns: 110 });
    for (const [code, meaning] of exitCodes) expect(stdout).toContain(`${code} `.padEnd(5) + meaning);
    for (const format of formats)
      expect((await folio(['help', 'formats'])).stdout).toContain(`\n  ${format} `);
  });

  it.each([
    [['delimiter'], 'See folio --help for what there is.'],
    [['isued'], 'Did you mean issued?'],
    [['exit-code'], 'Did you mean exit-codes?'],
    [['funds', 'document'], 'Did you mean documents?'],
    [['funds', 'zebra'], 'The names are list, get, documents.'],
    [['funds', 'get', '4711'], 'Leave it out. See folio funds get --help for what there is.'],
  ])('refuses %j, and names what there is', async (words, hint) => {
    const says = `there is no help on ${JSON.stringify(words.at(-1))}\n  ${hint}`;
    await expectRefused(folio(['help', ...words]), says);
  });

  it.each([
    ['unpaid', /--open: no credits.*folio issued --open -o open.xlsx/s],
    ['overdue', /--overdue, whatever/],
    ['late', /folio issued --overdue -o late.xlsx.*folio statement --all --overdue -o late.xlsx.*daysLate/s],
    ['owe', /folio aging --where counterpartyName~roble/],
    ['excel', /folio issued -o issued.xlsx/],
    ['month', /folio issued --period last-month --sum total/],
    ['csv', /--excel -o issued.csv/],
    ['paid', /folio issued --where open=0 --where 'status!=NULLIFIED'/],
    ['credits', /--where documentType=CREDIT_NOTE/],
    ['cron', /folio sync/],
    ['mail', /folio statement --customer-fiscal-id/],
    ['who owes', /folio aging\n/],
  ])('knows %s, which is a word of people', async (word, text) => {
    const screen = { terminal: true, columns: 80 };
    const { code, stdout, stderr } = await folio(['help', ...word.split(' ')], screen);
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(text), '']);
    expect(stdout.split('\n').length).toBeLessThan(20);
  });

  it('tells assistants on one page how to ask', async () => {
    const { stdout } = await folio(['help', 'agents']);
    expect(Buffer.byteLength(stdout)).toBeLessThan(4_000);
    const flags = '--count --columns --limit --sum --group-by'.split(' ');
    for (const word of ['--format json', 'never read a whole', ...flags]) expect(stdout).toContain(word);
  });

  it('names every variable of the environment that is read', () => {
    const read = new Set<string>();
    for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(SRC, file), 'utf8');
      for (const [, name] of text.matchAll(/env\['([A-Z_]+)'\]/g)) read.add(name!);
      for (const [, names] of text.matchAll(/const \{ ([^}]+) \} = \w*\.?\w*\.?env\b/g)) {
        for (const [name] of names!.matchAll(/\b[A-Z_]{3,}\b/g)) read.add(name);
      }
    }
    const variables = topics.find(({ name }) => name === 'environment')!.blocks[1] as TermList;
    const told = variables.flatMap(([names]) => names.split(', '));
    // What every program takes from its system, and no user sets for folio.
    const systems = ['HOME', 'USERPROFILE', 'TERM_PROGRAM', 'WT_SESSION', 'LC_CTYPE'];
    expect([...read].filter((name) => !told.includes(name) && !systems.includes(name))).toEqual([]);
    expect(read.size).toBeGreaterThan(10);
  });
});

describe('a slip of the keys', () => {
  it.each([
    ['isued', 'Did you mean issued?'],
    ['unpaid', 'Write folio issued --open -o open.xlsx. See folio help unpaid.'],
    ['export', 'Write folio issued -o issued.xlsx. See folio help export.'],
    ['download', 'Write folio issued download invoices. See folio help download.'],
    ['october', 'Write folio issued --period last-month --sum total. See folio help october.'],
    ['who owes', 'Write folio aging. See folio help who.'],
    ['facturas', 'Write folio issued. See folio help facturas.'],
    ['ayuda', 'Write folio help. See folio help ayuda.'],
    ['list', 'Write folio issued. See folio help list.'],
    ['customers gett 1', 'Did you mean get?'],
    ['issued help', 'Write folio issued --help.'],
    ['customers get 1 help', 'Write folio customers get --help.'],
    ['auth logn', 'Did you mean login?'],
    ['issued --formt csv', 'Did you mean --format?'],
    ['issued --profil x', 'Did you mean --profile?'],
    ['issued --opne', 'Did you mean --open?'],
    ['issued --customer Roble', 'Write --where counterpartyName~Roble or --customer-fiscal-id <id>. See '],
    ['issued --customer 60155440-2', 'Write --customer-fiscal-id 60155440-2. See folio help customer.'],
    ['statement --customer Roble', 'Write folio aging --where counterpartyName~Roble or'],
    ['statement Roble', 'Write folio aging --where counterpartyName~Roble or --customer-fiscal-id <id>. See'],
    ['statement 60155440-2', 'Write --customer-fiscal-id 60155440-2. See folio help customer.'],
    ['received 10002', 'Write --where number=10002 or --issuer-fiscal-id 10002. See folio help supplier.'],
    ['report october', 'Write --period <year>-10. See folio help october.'],
    ['report 2026-10', 'Write folio report --period 2026-10.'],
    ['get a b', 'Leave it out. See folio get --help for what there is.'],
    ['received --supplier x+y', "Write --where 'counterpartyName~x y' or --issuer-fiscal-id <id>. See folio"],
    ['statement --supplier x', 'Write folio aging --payable --where counterpartyName~x or --payable'],
    ['issued --supplier x', 'Write folio received --where counterpartyName~x. See'],
    ['received --customer x', 'Write folio issued --where counterpartyName~x. See'],
    ['issued download invoices --customer=x', 'Write --where counterpartyName~roble or --customer-fiscal'],
    ['issued --status a+b', "Write --where 'status=a b'. See folio help status."],
    ['issued --status OVERDUE', 'Write --overdue or --where status=OVERDUE. See folio help status.'],
    ['issued --status=OVERDUE', 'Write --where status=PENDING. See folio help status.'],
    ['issued --paid', "Write --where open=0 --where 'status!=NULLIFIED'. See folio help paid."],
    // Of what the listing has; else of one that has it.
    ['customers --paid', "Write folio issued --where open=0 --where 'status!=NULLIFIED'. See folio help"],
    ['customers --unpaid', 'Write folio issued --open -o open.xlsx. See folio help unpaid.'],
    ['customers --by month', 'Write folio issued --period last-month --sum total. See folio help by.'],
    ['customers --by assignedTo.team', 'Write --group-by assignedTo.team. See folio help by.'],
    ['issued --from-date 2026-10-01', 'Write --since 2026-10-01. See folio help from-date.'],
    ['issued --between 2026-10-01 2026-10-31', 'Write --since 2026-10-01 --until <day>. See folio help'],
    ['issued --by customer', 'Write --group-by counterpartyName. See folio help by.'],
    ['issued --by month', 'Write --group-by date:month. See folio help by.'],
    ['issued --total', 'Write --sum total. See folio help total.'],
    ['issued --credits', 'Write --where documentType=CREDIT_NOTE. See folio help credits.'],
    ['issued --payments', 'Write --expand payments. See folio help payments.'],
    ['issued --save my+file.csv', "Write -o 'my file.csv'. See folio help save."],
    ['issued --from-file old.jsonl', 'Write --from old.jsonl. See folio help from-file.'],
    ['issued --csv', 'Write --format csv or -o invoices.csv. See folio help csv.'],
    ['issued --xlsx', 'Write -o invoices.xlsx. See folio help xlsx.'],
    ['issued --pdf', 'Write folio issued download invoices --only pdf. See folio help pdf.'],
    ['issued --month 2026-10', 'Write --period 2026-10. See folio help month.'],
    ['issued --month oct', 'Write --period <year>-10. See folio help month.'],
    ['issued --month', 'Write --period last-month. See folio help month.'],
    ['issued --enero 2026', 'Write --period 2026-01. See folio help enero.'],
    ['issued --quarter Q3', 'Write --period <period>. See folio help quarter.'],
    ['issued --day 2026-10-05', 'Write --since 2026-10-05 --until 2026-10-05. See folio help day.'],
    ['report --last-month', 'Write --period last-month. See folio help last-month.'],
    ['issued --to 2026-10-31', 'Write --until 2026-10-31. See folio help to.'],
    ['report --idioma es', 'Write --lang es. See folio help idioma.'],
    ['customers --search roble', 'Write --where counterpartyName~roble. See folio help search.'],
    ['config set columns.issued -files', 'Write -- before a value that begins with a dash: `folio config'],
    ['--sandbx issued', 'Did you mean --sandbox?'],
    // Where the flag belongs, if it is one at all.
    ['issued --fail-rate 0.3', 'It is a flag of folio sandbox.'],
    ['aging --strict', 'It is a flag of folio issued, folio received.'],
    ['report --since 2026', `It is a flag of ${listings.map(({ name }) => `folio ${name}`).join(', ')}.`],
    ['customers get 1 --nowhere', 'See folio customers get --help for what there is.'],
  ])('folio %s is answered with what was meant', async (line, hint) => {
    const { code, stdout, stderr } = await folio(line.split(' ').map((word) => word.replace('+', ' ')));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const [, word] = /^folio: (?:unknown (?:command|flag) )?'(.+?)'.*\n {2}.+\n$/.exec(stderr) ?? [];
    expect([word, line]).toEqual([expect.any(String), expect.stringContaining(word!)]);
    expect(stderr).toContain(`\n  ${hint}`);
  });

  it('never repeats what was given to a flag that does not exist', async () => {
    const { stderr } = await folio(['issued', '--tokn=s3cret-value']);
    expect(stderr).not.toContain('s3cret');
  });
});

describe('the manual', async () => {
  const page = manPage(await wholeProgram(fakeContext()), '2026-11-22');

  it('holds nothing that roff would take for a request, or print as something else', () => {
    const text = page.split('\n').filter((line) => !/^\.(TH|SH|SS|B|EX|EE)\b/.test(line));
    expect(text.filter((line) => /^[.']/.test(line))).toEqual([]);
    // Each backslash begins an escape that is meant; one at the end of a line joins it to the next.
    expect(page.replaceAll(/\\(?:[-e&\n]|f[BIR]|\((?:cq|aq|ga|ha|ti|pc))/g, '')).not.toContain('\\');
  });

  it('is dated, and written in lines that every reader takes', () => {
    expect(page).toMatch(/^\.TH FOLIO 1 2026-11-22 /);
    expect(page.split('\n').filter((line) => Buffer.byteLength(line) > 80)).toEqual([]);
  });
});

it('a topic puts long terms on lines of their own', () => {
  const list = [['a term that is far too long for a column', 'what it means']] as const;
  const topic = { name: 'x', about: 'x', blocks: ['Two words:', list] };
  const helper = Object.assign(new Help(), helpSettings, { helpWidth: 40 });
  expect(renderTopic(topic, helper)).toBe(
    `Two words:\n  a term that is far too long for a column\n${' '.repeat(24)}what it means\n`,
  );
});
