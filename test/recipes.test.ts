import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askDuckDb } from './output/parquet/read-parquet.ts';
import { register, type Listed } from './query/reconcile/tax-lists.ts';
import { otherUser } from './support/postgres-server.ts';
import { needing, startProgram, tryProgram } from './support/programs.ts';
import { startFolio, type RunningFolio } from './support/run-folio.ts';
import { runHere } from './support/run-here.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const SECURITY = readFileSync(join(ROOT, '.github/SECURITY.md'), 'utf8');
const BIN = resolve(import.meta.dirname, '../bin/folio.js');

const LEEME = readFileSync(join(ROOT, '.github/LEEME.md'), 'utf8');
/** Those of the README one by one, those of the page in Spanish as one, which goes on from step to step. */
const recipes = [...recipesIn(README), recipesIn(LEEME).join('\n')];

function recipesIn(page: string): string[] {
  return [...page.matchAll(/```sh recipe\n([^`]+)```/g)].map(([, lines]) => lines!.trim());
}

/** How a line ends that has these words: with which exit code, and what it prints on standard error. The first row that fits counts. */
const OUTCOMES: readonly (readonly [words: RegExp, status: number, says: RegExp])[] = [
  // The register of purchases lacks a document that the service has: the one difference, in one row.
  [/RCV_COMPRA/, 7, / 1 only in the service/],
  [/RCV_VENTA/, 0, /^(?!.*only in)/s],
  // A customer has both an open and a cancelled document, and the warning names him.
  [/statement .*--all/, 0, /^(?:warning: cancelled [^\n]*\n)?$/],
  // Its sum lacks the credits, which are named.
  // Amounts of several currencies are in order within each.
  [
    /--(?:open|overdue|sort=-amountToBePaid)/,
    0,
    /^(?:warning: --(?:open|overdue) leaves out \d+ credits?, [^\n]*\n)?(?:warning: --sort: [^\n]* within each currency: [^\n]*\n)?$/,
  ],
  [/^/, 0, /^$/],
];

let service: RunningFolio;
let settings: Record<string, string>;

beforeAll(async () => {
  service = startFolio(['sandbox', '--quiet']);
  settings = Object.fromEntries(
    (await firstLines(service, 3)).map((line) => [line.split('=')[0]!, line.slice(line.indexOf('=') + 1)]),
  );
});

afterAll(async () => {
  service.process.kill();
  await service.exit;
});

describe('a recipe', () => {
  it('is there, in English and in Spanish', () => {
    expect(recipesIn(README).length).toBe(5);
    expect(recipesIn(LEEME).length).toBeGreaterThan(5);
  });

  for (const recipe of recipes) {
    const programs = recipe.includes('| jq') ? (['bash', 'jq'] as const) : (['bash'] as const);
    it(recipe.split('\n')[0]!, needing(...programs), async () => {
      const shell = await loggedIn();
      // The month of the recipes is the last one, of which the embedded service always has documents.
      const month = new Date(new Date().setDate(0)).toISOString().slice(0, 7);
      const lines = recipe.replaceAll('2026-10 ', `${month} `).replaceAll('202610', month.replace('-', ''));
      if (recipe.includes('RCV_')) await writeRegisters(shell.folder, month);
      for (const line of lines.split('\n')) {
        const before = filesBelow(shell.folder);
        const { status, stdout, stderr } = await shell.run(line);
        const [, expected, says] = OUTCOMES.find(([words]) => words.test(line))!;
        expect([line, status, stderr]).toEqual([line, expected, expect.stringMatching(says)]);
        const written = filesBelow(shell.folder).filter((file) => !before.includes(file));
        const files = written.map((file) => file.replace(/:\d+$/, ''));
        // A listing has a record below its header.
        const isListing = / (issued|received|aging|documents) ?/.test(line) && !/jq|download/.test(line);
        const texts = files.filter((file) => file.endsWith('.csv')).map((file) => readFileSync(file, 'utf8'));
        for (const text of [...texts, ...(stdout === '' ? [] : [stdout])])
          expect(text.trimEnd().split('\n').length, line).toBeGreaterThan(isListing ? 1 : 0);
        const empty = files.filter((file) => statSync(file).size === 0);
        expect(empty).toEqual(line.includes(': >') ? files : []);
        expect(stdout.length + files.length, line).toBeGreaterThan(0);
      }
    });
  }

  it('for cron works as pasted, with what cron sets and no more, and mails only what went wrong', () => {
    const { folder, path } = machine();
    mkdirSync(join(folder, 'srv/books'), { recursive: true });
    const token = join(folder, 'token');
    const lines = /```cron\n([^`]+)```/.exec(README)![1]!.trim().split('\n');
    const [check, job] = [lines.pop()!, lines.pop()!].map((line) => line.replace(/^(?:\S+ ){5} /, ''));
    const env = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
    expect([Object.keys(env), `${job}${check}`.includes('%')]).toEqual([
      ['MAILTO', 'PATH', 'FOLIO_BASE_URL'],
      false,
    ]);
    const { FOLIO_BASE_URL } = settings as Record<'FOLIO_BASE_URL', string>;
    const ofCron = { HOME: folder, LOGNAME: 'books', SHELL: '/bin/sh', FOLIO_BASE_URL };
    const run = (line: string): unknown => {
      const command = line.replaceAll('/srv/', `${folder}/srv/`).replaceAll('/etc/folio/token', token);
      const { status, stdout, stderr } = tryProgram('sh', ['-c', command], {
        env: { ...env, ...ofCron, PATH: `${path}:${env['PATH']}` },
      });
      return { status, mail: stdout + stderr };
    };

    writeFileSync(token, settings['FOLIO_TOKEN']!, { mode: 0o600 });
    expect(run(job!)).toEqual({ status: 0, mail: '' });
    const books = join(folder, 'srv/books');
    expect(readdirSync(books).toSorted()).toEqual(['received.csv', 'received.csv.receipt.json']);
    expect(readFileSync(join(books, 'received.csv'), 'utf8').split('\n').length).toBeGreaterThan(90);
    const whole = readFileSync(join(books, 'received.csv.receipt.json'), 'utf8');
    expect(run(check!)).toEqual({ status: 0, mail: '' });

    writeFileSync(token, 'no-token-of-anybody-0123456789');
    expect(run(job!)).toEqual({ status: 3, mail: expect.stringMatching(/^folio: .+\n {2}.+\n$/) });
    const receipt = join(books, 'received.csv.receipt.json');
    writeFileSync(receipt, whole.replace(/"finishedAt": "\d{4}/, '"finishedAt": "2001'));
    expect(run(check!)).toEqual({ status: 6, mail: expect.stringContaining('is older than 26h: ') });
  });

  it('for a monitor pings it after success, and only then', needing('bash'), async () => {
    const shell = await loggedIn();
    const pings = join(shell.folder, 'pings');
    shell.fake('curl', `echo "$@" >> '${pings}'`);
    const line = blockOf(README, 'sh ping');
    expect(await shell.run(line)).toEqual({ status: 0, stdout: '', stderr: '' });
    const pinged = readFileSync(pings, 'utf8');
    expect(pinged).toMatch(/^-fsS -m 10 https:\/\/\S+\n$/);
    const nobody = line.replace('received ', 'received --profile nobody ');
    expect(await shell.run(nobody)).toMatchObject({ status: 2 });
    expect(readFileSync(pings, 'utf8')).toBe(pinged);
  });

  it(
    'for a container does what it would do there, here as a user without a home and without docker',
    needing('bash', 'setpriv'),
    async () => {
      const file = readFileSync(join(ROOT, '.config/Dockerfile'), 'utf8').trim().split('\n');
      expect(file.length).toBeLessThanOrEqual(10);
      expect(file.filter((line) => line.startsWith('ENTRYPOINT'))).toEqual(['ENTRYPOINT ["folio"]']);
      expect(file).toContain('WORKDIR /data');
      const shell = await loggedIn();
      const data = join(shell.folder, 'data');
      mkdirSync(data);
      chmodSync(shell.folder, 0o711);
      // Whoever is not root writes into its own folder only, as into a read-only root with a volume.
      const user = process.getuid?.() === 0 ? otherUser() : undefined;
      if (user !== undefined) chownSync(data, user.uid, user.gid);
      // The program where that user can read it, as in the image.
      const image = join(shell.folder, 'image');
      for (const part of ['bin', 'dist']) cpSync(join(ROOT, part), join(image, part), { recursive: true });
      const started = join(shell.folder, 'started');
      const drop = user && `setpriv --reuid ${user.uid} --regid ${user.gid} --clear-groups`;
      shell.fake(
        'docker',
        `[ "$1" = build ] && exit 0
       while [ "$1" != folio ]; do shift; done
       shift
       echo "$@" > '${started}'
       cd '${data}' && exec ${drop ?? ''} env -i PATH=/usr/bin:/bin HOME=/nonexistent TMPDIR=/nonexistent \\
         FOLIO_TOKEN="$FOLIO_TOKEN" FOLIO_BASE_URL="$FOLIO_BASE_URL" '${process.execPath}' '${image}/bin/folio.js' "$@"`,
      );
      const env = { FOLIO_TOKEN: settings['FOLIO_TOKEN']!, FOLIO_BASE_URL: settings['FOLIO_BASE_URL']! };
      for (const line of blockOf(README, 'sh container').split('\n'))
        expect(await shell.run(line, env)).toEqual({ status: 0, stdout: '', stderr: '' });
      expect(readFileSync(started, 'utf8')).toBe('received -o received.csv\n');
      expect(readdirSync(data)).toEqual(['received.csv']);
      expect(readFileSync(join(data, 'received.csv'), 'utf8').split('\n').length).toBeGreaterThan(90);
    },
  );

  it('takes the token from the programs that keep secrets', needing('bash'), async () => {
    const shell = await loggedIn();
    const block = blockOf(SECURITY, 'sh token command').split('\n');
    const expected = {
      op: 'read op://vault/folio/token',
      'secret-tool': 'lookup service folio',
      security: 'find-generic-password -s folio -w',
      pwsh: '-NoProfile -Command Get-Secret folio -AsPlainText',
    };
    for (const [name, asked] of Object.entries(expected)) {
      shell.fake(name, `[ "$*" = '${asked}' ] && echo '${settings['FOLIO_TOKEN']!}'`);
      const line = block.find((one) => new RegExp(`--token-command (?:'\\[")?${name}\\b`).test(one))!;
      const flags = `--profile ${name} --base-url ${settings['FOLIO_BASE_URL']!} --replace`;
      const login = line.replace('login', `login ${flags}`);
      expect({ line, ...(await shell.run(login)) }).toMatchObject({ line, status: 0 });
      const { status, stdout } = await shell.run(`folio issued --profile ${name} --count`);
      expect({ name, status, stdout }).toEqual({ name, status: 0, stdout: '120\n' });
    }
  });

  it('for DuckDB gives the sums that folio gives', needing('bash'), async () => {
    const { run, folder } = await loggedIn();
    const query = /duckdb -c "([^"]+)"/.exec(README)![1]!;
    expect(README).toContain('`folio issued -o issued.parquet`');
    expect(await run('folio issued -o issued.parquet')).toMatchObject({ status: 0 });
    const read = await askDuckDb(query.replace("'issued", `'${folder}/issued`));
    const { stdout } = await run('folio issued --sum totalAmount --group-by documentType --as-sent');
    const sums = stdout.trim().split('\n').slice(1);
    const expected = sums
      .map((line) => line.split(','))
      .map(([type, currency, , sum]) => [`${type} ${currency}`, Number(sum)] as const);
    const found = read.map(([type, currency, sum]) => [`${type} ${currency}`, Number(sum)] as const);
    expect(new Map(found)).toEqual(new Map(expected));
  });
});

/** Writes the registers of a month, as the tax authority has them, of the documents of the service. */
async function writeRegisters(folder: string, month: string): Promise<void> {
  const { FOLIO_BASE_URL, FOLIO_TOKEN } = settings as Record<'FOLIO_BASE_URL' | 'FOLIO_TOKEN', string>;
  for (const [listing, kind, name] of [
    ['issued', 'sales', 'RCV_VENTA'],
    ['received', 'registro', 'RCV_COMPRA_REGISTRO'],
  ] as const) {
    const url = `${FOLIO_BASE_URL}/invoices/${listing}?options_pageSize=500`;
    const answer = await fetch(url, { headers: { Authorization: FOLIO_TOKEN } });
    const { pageResults } = (await answer.json()) as { pageResults: readonly SentInvoice[] };
    const documents = pageResults
      .filter(({ date }) => date.startsWith(month))
      .map((sent) => ({
        type: sent.documentType === 'CREDIT_NOTE' ? 61 : 33,
        rut: kind === 'sales' ? sent.receiverFiscalId : sent.issuerFiscalId,
        number: sent.number,
        date: sent.date.slice(0, 10).split('-').toReversed().join('/'),
        ...pesos(sent),
      }));
    const file = `${name}_96486919-7_${month.replace('-', '')}.csv`;
    writeFileSync(join(folder, file), register(kind, documents.slice(kind === 'sales' ? 0 : 1)));
  }
}

/** The amounts as the register has them: in whole pesos, whatever the currency. */
function pesos(sent: SentInvoice): Pick<Required<Listed>, 'total' | 'net' | 'tax' | 'exempt'> {
  const { totalAmount, netAmount, taxAmount, exemptAmount, currency, exchangeRate = 1_000 } = sent;
  const [total, net, tax, exempt] = [totalAmount, netAmount, taxAmount, exemptAmount].map((amount) =>
    currency === 'CLP' ? amount : Math.round(amount * exchangeRate),
  ) as [number, number, number, number];
  return { total, net, tax, exempt };
}

type SentInvoice = Readonly<
  Record<'totalAmount' | 'netAmount' | 'taxAmount' | 'exemptAmount' | 'number', number> &
    Record<'currency' | 'documentType' | 'date' | 'issuerFiscalId' | 'receiverFiscalId', string> & {
      exchangeRate?: number;
    }
>;

/** What a block of code in that language holds. */
function blockOf(text: string, language: string): string {
  return new RegExp(`\`\`\`${language}\n([^\`]+)\`\`\``).exec(text)![1]!.trim();
}

interface Shell {
  readonly folder: string;
  readonly run: (
    line: string,
    more?: Readonly<Record<string, string>>,
  ) => Promise<{ status: number | null; stdout: string; stderr: string }>;
  /** Puts a program of that name on the path, which does what the script says. */
  readonly fake: (name: string, script: string) => void;
}

/** An empty folder, and folio on the path of a home. */
function machine(): { folder: string; home: string; path: string } {
  const home = temporaryFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'folio'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, { mode: 0o755 });
  return { folder: temporaryFolder(), home, path: `${bin}:${process.env['PATH']}` };
}

/** A machine on which north and south are logged in, north being the current one. The settings are in the folder, too. */
async function loggedIn(): Promise<Shell> {
  const { folder, home, path } = machine();
  const env = { PATH: path, HOME: home, FOLIO_CONFIG_DIR: join(folder, '.folio'), FOLIO_PROFILE: 'north' };
  const tokens = { south: settings['FOLIO_TOKEN_2']!, north: settings['FOLIO_TOKEN']! };
  for (const [profile, token] of Object.entries(tokens)) {
    const file = join(home, profile);
    writeFileSync(file, token, { mode: 0o600 });
    const where = ['--base-url', settings['FOLIO_BASE_URL']!, '--token-file', file, '--no-verify'];
    const line = ['auth', 'login', '--profile', profile, ...where];
    expect((await runHere(line, { env: { ...env, FOLIO_TOKEN: undefined } })).code).toBe(0);
  }
  const run: Shell['run'] = (line, more = {}) =>
    inShell(line, { home, cwd: folder, env: { ...env, ...more } });
  const fake: Shell['fake'] = (name, script) =>
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  fake('folio', askHere(home));
  return { folder, run, fake };
}

/** What a shell runs for folio: it asks this process to run it, which takes a tenth of the time, and hands on what that gives. */
function askHere(home: string): string {
  return [
    `{ printf '%s\\0' "$@"; echo; } >&3`,
    'read -r code <&3',
    `cat '${join(home, 'stdout')}'`,
    `cat '${join(home, 'stderr')}' >&2`,
    'exit "$code"',
  ].join('\n');
}

/** Has bash run the line, and this process what the line calls folio for, one call after the other. */
async function inShell(
  line: string,
  { home, cwd, env }: { home: string; cwd: string; env: Readonly<Record<string, string>> },
): ReturnType<Shell['run']> {
  const shell = startProgram('bash', ['-o', 'pipefail', '-c', line], {
    ...{ cwd, env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const said = ['', ''];
  for (const [at, stream] of [shell.stdout!, shell.stderr!].entries())
    stream.on('data', (chunk: Buffer) => (said[at] += chunk.toString('latin1')));
  const calls = shell.stdio[3];
  if (!(calls instanceof Socket)) throw new Error('the shell has nothing to call folio by');
  let call = '';
  calls.on('data', (chunk: Buffer) => {
    call += chunk.toString();
    if (!call.endsWith('\0\n')) return;
    const args = call.split('\0').slice(0, -1);
    call = '';
    void runHere(args, { cwd, env: { FOLIO_TOKEN: undefined, ...env } }).then(({ code, stdout, stderr }) => {
      writeFileSync(join(home, 'stdout'), stdout);
      writeFileSync(join(home, 'stderr'), stderr);
      calls.write(`${code}\n`);
    });
  });
  const [status] = (await once(shell, 'close')) as [number | null];
  const [stdout, stderr] = said.map((text) => Buffer.from(text, 'latin1').toString()) as [string, string];
  return { status, stdout, stderr };
}

/** Files below the folder, each with when it changed. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path}:${Math.round(statSync(path).mtimeMs)}`);
}

async function firstLines({ process: { stdout } }: RunningFolio, count: number): Promise<string[]> {
  let text = '';
  for await (const chunk of stdout!) {
    text += String(chunk);
    if (text.split('\n').length > count) break;
  }
  return text.split('\n').slice(0, count);
}
