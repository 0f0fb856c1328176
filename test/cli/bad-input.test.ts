import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/version.ts';
import { runScripted } from '../support/scripted-run.ts';
import { expectAnswer } from '../support/expect-exit.ts';

const NO_DAYS = ['', '0', '30,30', '60,30', '030', '30,', '1.5', '-5', '100000', '30d', 'x30'];

/** (a command line, in words where one has a space, what the one line must name); none of them may send a request, or write to standard output or a file. */
const refused: readonly (readonly [line: string | readonly string[], names: RegExp | string])[] = [
  ['issued extra', /unknown command 'extra'/],
  ['received extra', /unknown command 'extra' of folio received/],
  ['issued --limit 0', /--limit "0": expected a whole number, 1 or more/],
  ['issued --limit 1.5', /--limit "1\.5"/],
  ['issued --limit 5 --all', /--all and --limit/],
  ['issued --page -1', /--page/],
  ['funds --page 0', /--page "0": expected a whole number, 1 to/],
  ['funds --page-size 0', /--page-size "0": expected a whole number, 1 to 1000/],
  ['funds documents 9 --page-size 101', /--page-size "101": expected a whole number, 1 to 100/],
  ['customers --page 1', /unknown flag '--page'/],
  ['--sandbox config list', /--sandbox is not a flag of folio config list/],
  ['--token-file x verify y', /--token-file is not a flag of folio verify/],
  ['verify x --profile north', /--profile goes with a database/],
  ['verify postgres://u@h/x --receipt y --max-age 1h', /h\/x is a database, and has no receipt/],
  ['--sandbox auth status', /auth status shows tokens, and --sandbox needs none/],
  ['issued --open=yes', /^folio: --open takes no value\n {2}Write --open alone\.\n/],
  ['--sandbox=1 issued', /^folio: --sandbox takes no value\n/],
  ['issued -o', /^folio: --output <file>: the value is missing\n {2}See --help/],
  ['customers --sort-by NAME', /unknown flag '--sort-by'/],
  ['issued --sort-order up', /--sort-order "up": expected asc, desc/],
  ['issued --format xml', /--format "xml": expected table/],
  ['get /customers --columns id', /--columns needs --paginate/],
  ['get /customers --format csv', /--format needs --paginate/],
  ['issued --list-encoding repeat', /unknown flag '--list-encoding'/],
  ['issued --param novalue', /--param "novalue": expected name=value/],
  ['issued --param options_page=3', /--param options_page: folio walks the pages itself\n.* and --page\./],
  ['customers --param options_nextToken=x', /folio walks the pages itself\n.*--next-token/],
  ['customers --param options_page=2', /folio walks the pages itself\n.*--next-token/],
  ['customers --param fiscalId=1', /fiscalId: the service does not accept it.*\n {2}Leave it .*--where/],
  ['issued --columns a,,b', /--columns "a,,b"/],
  ['issued --period october', /"october": expected a month.*\n {2}Periods are written 2026-11,/],
  ['statement --all --period 10/2026', /Periods are written 2026-11,/],
  [['report', '--period', 'Q3 2026'], /Periods are written 2026-11,/],
  ['issued --period 2026-10-05', /Write --since 2026-10-05 --until 2026-10-05\.\n/],
  ['issued --since oct', /--since "oct" is not a date\n {2}Write a date as 2026-11-21, 2026-11 \(that/],
  ['issued --from 2026-10-01', /names a file.*\n {2}For records from that day on, write --since 2026-10-01/],
  [
    'aging --from october.jsonl --from november.jsonl',
    /--from november.jsonl: only one file is read, and --from october.jsonl names it\n {2}Join them, as in cat one\.jsonl two/,
  ],
  ['statement --customer-fiscal-id Roble', /`folio customers --where counterpartyName~<name>`/],
  [['received', '--issuer-fiscal-id', 'El Roble'], /`folio received --where counterpartyName~<name>`/],
  [['issued', '-o', ''], /--output "": expected a file/],
  [['issued', '--receipt', ''], /--receipt "": expected a file/],
  ['issued --columns a,b --columns a', /"a" comes twice/],
  ['issued --columns a,-b', /--columns "a,-b": expected a \* where -b is to be left out of all/],
  ['issued --columns *,-', /--columns "\*,-": expected a name behind each minus/],
  ['issued --delimiter ;;', /--delimiter ";;": expected one character/],
  ['issued --timeout soon', /--timeout "soon": expected a number of seconds/],
  ['customers get 1 -o customer.docx', /unknown file extension .docx/],
  ['issued --format json --excel', /--excel goes with csv, not with json/],
  ['issued --customer-fiscal-id ,', /--customer-fiscal-id: no fiscal ID given/],
  ['issued --customer-fiscal-id @/nowhere/ids', /--customer-fiscal-id @\/nowhere\/ids: no such file/],
  ['issued -o due.pdf', /-o due.pdf: unknown file extension .pdf\n {2}Name a file that ends with/],
  ['issued --excel -o due.csv.gz', /unknown file extension .gz/],
  ['issued --sum totalAmount download folder', /--sum is not a flag of folio issued download/],
  ['issued --where a=1 list --where b=2', /--where stands before and behind .*\n.*folio issued list\./],
  ['--profile north issued --profile south', /--profile stands before and behind the name/],
  ['customers --limit 3 get 1', /--limit is not a flag of folio customers get/],
  ['customers get', /missing required argument 'id'\n {2}Write it like folio customers get <id>\./],
  ['customers portal-link', /portal-link needs a customer\n {2}Give the customer’s ID/],
  ['get https://evil.example/v1/customers', /expected a path below the base address/],
  ['get //evil.example/customers', /expected a path below the base address/],
  ['get /invoices/issued?options_page=1 --paginate', /Leave it out; listings have --limit, --page/],
  ['get /customers/4711 --paginate', /\/customers\/4711 is not a listing/],
  ['issued --base-url http://api.example.com', /plain http/],
  ['issued --base-url https://user:secret@api.example.com', /base address is refused/],
  ['--awkward issued', /--awkward needs --sandbox/],
  ['--sandbox issued --base-url https://api.example.com', /--sandbox and --base-url/],
  ['issued --sandbox --token-file -', /--sandbox and --token-file do not go together: the/],
  [
    'auth status --profile a,b --base-url https://api.example.com',
    /--profile a,b and --base-url do not go together: each profile brings its own/,
  ],
  ['get /customers --no-header', /--no-header needs --paginate.*\n {2}Add --paginate, or leave/],
  ['aging --as-of 2026-02-30', /--as-of "2026-02-30": expected a day, such as 2026-10-31/],
  ['aging --as-of yesterday', /--as-of "yesterday"/],
  ['aging --field dew=dueBy', /there is no field dew to map/],
  ['aging --field due', /--field "due": expected name=value/],
  ['aging --from /nowhere/x', /cannot read \/nowhere\/x: there is no such file/],
  ['aging --from x --param a=b', /--from and --param do not go together/],
  ['aging --where x', /--where 'x' does not parse at character 2/],
  ['aging --issuer-fiscal-id 1-9', /--issuer-fiscal-id names nobody among the counterparties of issued/],
  ['aging --payable --customer-fiscal-id 1-9', /--customer-fiscal-id names nobody among the counterparties/],
  ['aging --sum x', /unknown flag '--sum'/],
  ...NO_DAYS.map((days): [string, RegExp] => [
    `aging --buckets=${days}`,
    /is not a list of days, .*\n.*--buckets 30,60,/,
  ]),
  ['statement', 'statement needs a customer, or --all'],
  ['statement --payable', 'statement needs a supplier, or --all'],
  ['statement --issuer-fiscal-id 1-9', '--issuer-fiscal-id names nobody among the counterparties of issued'],
  [
    'statement --all --customer-fiscal-id 1-9',
    '--all and --customer-fiscal-id do not go together: --all is everyone',
  ],
  ['statement --all -o x.html', 'a page is for one customer, and --all names everyone'],
  ['statement --all -o x.pdf', '-o x.pdf: unknown file extension .pdf\n  Name a file that ends with .html'],
  ['statement --customer-fiscal-id 1-9 --lang de', '--lang "de": expected en, es'],
  ['statement --customer-fiscal-id 1-9 --lang es', '--lang goes with html, xlsx, not with csv'],
  ['statement --customer-fiscal-id 1-9 --note x -o x.csv', '--note goes with html, not with csv'],
  [
    'statement --customer-fiscal-id 1-9 --organization x -o x.xlsx',
    '--organization goes with html, json, not with xlsx',
  ],
  ['statement --customer-fiscal-id 1-9 --note @gone.txt -o x.html', '--note @gone.txt: no such file'],
  ['statement --customer-fiscal-id 1-9 --excel -o x.html', '--excel goes with csv, not with '],
  ['statement --all --from x.jsonl --timeout 3', '--from and --timeout do not go together'],
  ['statement --customer-fiscal-id 1-9 --output-dir x', '--output-dir needs --all'],
  ['statement --all --output-dir x -o x.html', '--output-dir and --output do not go together'],
  ['statement --all --output-dir x --format csv', '--output-dir goes with html, not with csv'],
  ['statement --all --output-dir x --excel', '--excel goes with csv, not with html'],
  ['report --period november', '--period "november": expected a month, a quarter or a year'],
  ['report --period 2027-01', '--period 2027-01 has not begun yet'],
  ['report --lang de', '--lang "de": expected en, es'],
  ['report --lang es --format json', '--lang goes with html, not with json'],
  [['report', '--title', ' '], '--title " ": expected the name that the page is to have'],
  ['report --format pdf', '--format'],
  ['report -o report.pdf', '-o report.pdf: .pdf is not a form of a report'],
  ['report --all-profiles --output-dir x -o y.html', '--output-dir and --output do not go together'],
  ['report --output-dir x', '--output-dir needs several profiles'],
  ['report --all-profiles --output-dir x --receipt y', 'Say --receipt beside'],
  ['report --receipt beside --format json', '--receipt beside is a file beside that of -o, and none'],
  ['report --from mine.jsonl', '--from mine.jsonl does not say which listing it is'],
  ['report --from issued.jsonl --from issued=b.json', '--from names two files of the issued listing'],
  ['report --from issued.jsonl --timeout 3', '--from and --timeout do not go together'],
  ['report --from issued.jsonl --token-file x', '--from and --token-file do not go together'],
];

describe('a command line that is wrong', () => {
  it.each(refused)('%j', async (line, names) => {
    const argv = typeof line === 'string' ? line.split(' ') : line;
    const { code, stdout, stderr, asked } = await runScripted(argv, []);
    expect(stderr).toMatch(names);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect({ code, stdout, asked }).toEqual({ code: 2, stdout: '', asked: [] });
    expect(readdirSync('.').filter((name) => /^[xy]$|^([xy]|due|report|customer)\./.test(name))).toEqual([]);
  });

  it('is not one that asks for the version, wherever it does', async () => {
    for (const argv of [['--version'], ['issued', '--version'], ['customers', 'get', '--version']]) {
      await expectAnswer(runScripted(argv, []), `${version}\n`);
    }
  });

  it('never repeats a token that was given as a flag', async () => {
    for (const line of ['issued --token s3cret-value', '--token=s3cret-value issued']) {
      const { code, stderr } = await runScripted(line.split(' '), []);
      expect(code).toBe(2);
      expect(stderr).toContain('there is no --token flag');
      expect(stderr).not.toContain('s3cret');
    }
  });

  it('says who is asked for when there is no token, and no address', async () => {
    const nobody = await runScripted(['issued'], [], { env: { FOLIO_TOKEN: undefined } });
    expect(nobody).toMatchObject({ code: 3, stdout: '', asked: [] });
    expect(nobody.stderr).toContain('folio auth login');
    const nowhere = await runScripted(['issued'], [], { env: { FOLIO_BASE_URL: undefined } });
    expect(nowhere).toMatchObject({ code: 2, stdout: '', asked: [] });
  });
});
