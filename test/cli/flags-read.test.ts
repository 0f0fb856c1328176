import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandPath, shownUnder, type FlagOption } from '../../src/cli/command.ts';
import { runCommandLine, wholeProgram } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';
import { answeringTransport } from '../support/fake-transport.ts';
import { modelRecords, ModelService, NOT_THERE, respond } from '../support/model-service.ts';
import { TEST_TOKEN } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What stands behind a command, where it needs something. */
const WORDS: Readonly<Record<string, string>> = {
  'folio issued download': 'FOLDER/files',
  'folio customers get': '1',
  'folio customers portal-link': '1',
  'folio funds get': '1',
  'folio funds documents': '1',
  'folio get': '/invoices/issued --paginate --param status=OVERDUE',
  'folio reconcile': 'FOLDER/list.csv --match number=Folio,total=Total --against issued',
  'folio report': '-o FOLDER/report.html',
  'folio statement': '--all',
  'folio sync': 'FOLDER/books.db customers',
  'folio verify': 'FOLDER/list.csv',
  'folio sandbox': '--port 0',
};

/** What a flag needs beside it. */
const BESIDE: Readonly<Record<string, string>> = {
  '--as-sent': '--sum total',
  '--awkward': '--sandbox',
  '--field': '--sum total',
  '--output-dir': '--profile a,b',
};

/** Values of flags; of others it is a month where they take a date, else `1`. */
const VALUES: Readonly<Record<string, string>> = {
  '--against': 'issued',
  '--as-of': '2026-10-31',
  '--base-url': 'https://127.0.0.1:1/v1',
  '--buckets': '10,20',
  '--delimiter': ';',
  '--field': 'due=dueBy',
  '--lang': 'es',
  '--latency': '1',
  '--match': 'number=Folio,total=Total',
  '--max-age': '2d',
  '--output': 'FOLDER/out.csv',
  '--param': 'status=OVERDUE',
  '--progress': 'plain',
  '--receipt': 'FOLDER/receipt.json',
  '--sort-order': 'asc',
  '--today': '2026-10-31',
  '--where': 'number>1',
};

/** Whole command lines, where a flag is read in a case of its own only. Undefined: another test shows that it is read. */
const CASES: Readonly<Record<string, string | undefined>> = {
  'folio report --format': 'report --format json',
  'folio auth login --replace': undefined,
  'folio verify --max-age': undefined,
  'folio reconcile --match': 'reconcile FOLDER/list.csv --against issued --match number=Folio,total=Total',
  'folio reconcile --issuer-fiscal-id':
    'reconcile FOLDER/list.csv --against received --match number=Folio,total=Total --issuer-fiscal-id 1-9',
  'folio report --output-dir': 'report --profile a,b --output-dir FOLDER/pages',
  'folio statement --output-dir': 'statement --all --output-dir FOLDER/pages',
  'folio statement --customer-fiscal-id': 'statement --customer-fiscal-id 1-9',
  'folio statement --issuer-fiscal-id': 'statement --payable --issuer-fiscal-id 1-9',
  'folio aging --issuer-fiscal-id': 'aging --payable --issuer-fiscal-id 1-9',
};

const program = await wholeProgram(fakeContext());
const commands = [program, ...shownUnder(program).flatMap(withChildren)];

function withChildren(command: Command): readonly Command[] {
  // `list` is its parent by another name.
  const children = shownUnder(command).filter((child) => !['list', 'help'].includes(child.name()));
  return [command, ...children.flatMap(withChildren)];
}

/** The command lines that have each flag of a command. Those of every command are tried with one. */
function linesOf(command: Command): readonly (readonly [flag: string, line: string])[] {
  const path = command === program ? 'folio issued' : commandPath(command);
  const flags = command.options.filter(({ long, hidden }) => !hidden && long !== '--version');
  return flags.flatMap((flag) => {
    const { long, required } = flag;
    const name = `${path} ${long!}`;
    if (name in CASES) return CASES[name] === undefined ? [] : [[long!, CASES[name]]];
    const [word] = (flag as Partial<FlagOption>).how?.choices ?? [];
    const usual = /<(?:date|period)>/.test(flag.flags) ? '2026-10' : '1';
    const value = required ? ` ${VALUES[long!] ?? word ?? usual}` : '';
    // Where there are no sums, the meaning of columns counts by itself.
    const isAlone = long === '--field' && !flags.some((other) => other.long === '--sum');
    const beside = isAlone ? '' : (BESIDE[long!] ?? '');
    const words = [path.replace(/^folio /, ''), WORDS[path] ?? '', beside].join(' ');
    return [[long!, `${words} ${long!}${value}`]];
  });
}

it('the rules of flags name flags that there are', () => {
  const options = commands.flatMap((command) => command.options);
  const known = new Set(['several profiles', ...options.map(({ long }) => long)]);
  const unknown = options.flatMap((option) => {
    const { rules = [] } = (option as Partial<FlagOption>).how ?? {};
    const named = rules.flatMap(({ not = [], needs = [], unless = [] }) => [...not, ...needs, ...unless]);
    return named.filter((name) => !known.has(name)).map((name) => `${option.long} names ${name}`);
  });
  expect(unknown).toEqual([]);
});

describe('a flag that is given is read:', () => {
  const few = modelRecords(5);
  const records = { issued: few, received: few, customers: few, funds: few, documents: few };
  const service = new ModelService(records);
  const transport = answeringTransport(({ url }) => {
    const page = service.page(url);
    return page === undefined ? NOT_THERE : respond(page);
  });

  it.each(commands.map((command) => [commandPath(command), command] as const))('%s', async (_, command) => {
    const unread: string[] = [];
    for (const [flag, line] of linesOf(command)) {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'list.csv'), 'Folio;Total\n1;1\n');
      const read = new Set<string>();
      const argv = line.replaceAll('FOLDER', folder).split(/ +/);
      const context = {
        ...fakeContext({
          argv,
          env: {
            FOLIO_CONFIG_DIR: folder,
            ...(argv.includes('--profile') || argv.includes('--base-url')
              ? {}
              : { FOLIO_BASE_URL: 'https://model.example', FOLIO_TOKEN: TEST_TOKEN }),
          },
          stdin: { text: 'a-token-on-standard-input' },
          openTransport: async () => transport,
        }),
        onFlagRead: (name: string) => void read.add(name),
      };
      if (argv[0] === 'sandbox') context.stop();
      await runCommandLine(context);
      if (!read.has(flag)) unread.push(`${line}\n${context.stderr.text}`);
    }
    expect(unread).toEqual([]);
  });
});
