/*
 * Runs the same command lines through an old build of folio and this one, against the same services, and prints what differs
 * in standard output, standard error, exit code and files:
 *
 *     git worktree add ../folio-old <commit> && (cd ../folio-old && npm ci)
 *     node .config/old-beside-new.js ../folio-old [pattern of command lines]
 *
 * Each build has folders and profiles of its own. What differs by nature (times, ports, names of temporary files) is masked.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [oldCheckout, pattern = ''] = process.argv.slice(2);
if (oldCheckout === undefined)
  throw new Error('usage: node .config/old-beside-new.js <old checkout> [pattern]');
const BUILDS = {
  old: resolve(oldCheckout, 'bin/folio.js'),
  new: new URL('../bin/folio.js', import.meta.url).pathname,
};
const AT_ONCE = Number(process.env.AT_ONCE ?? 2);
const TODAY = new Date().toISOString().slice(0, 10);
const SEEDS = [1, 2, 3, 4, 5];

const ODD_RECORDS = [
  {
    id: 'a',
    number: 1,
    totalAmount: 'abc',
    currency: 'usd',
    status: 'PENDING',
    amountToBePaid: 5,
    dueBy: 'never',
  },
  {
    id: 'b',
    number: '2',
    totalAmount: 12.5,
    currency: 'USD',
    status: 'NULLIFIED',
    amountToBePaid: 12.5,
    dueBy: '2020-01-01',
  },
  {
    id: 'c',
    number: 3,
    documentType: 'CREDIT_NOTE',
    totalAmount: 7,
    amountToBePaid: 7,
    dueBy: '2020-01-01',
    customer: { name: 'Ñandú "x"', fiscalId: '60.155.445-3' },
  },
  {
    id: 'd',
    number: 4,
    totalAmount: null,
    amountToBePaid: null,
    payments: [{ amount: 3, date: '2026-10-02' }, { amount: 4 }],
  },
  {
    id: 'd',
    number: 5,
    totalAmount: 1,
    text: '\u001b[31mred\u0007 =1+1\nline',
    __proto__x: 1,
    customer: { name: 'Other', fiscalId: '0601554453' },
  },
];

const root = await mkdtemp(join(tmpdir(), 'old-beside-new-'));
const closing = [];
try {
  process.exitCode = await compare();
} finally {
  for (const close of closing.toReversed()) await close();
  await rm(root, { recursive: true, force: true });
}

async function compare() {
  const services = await startServices();
  const fixtures = {};
  for (const name of Object.keys(BUILDS)) fixtures[name] = await makeFixtures(name, services);
  const lines = commandLines(services).filter(({ text }) => text.includes(pattern));
  let different = 0;
  const waiting = [...lines.entries()];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, line] = next;
        const results = {};
        for (const name of Object.keys(BUILDS))
          results[name] = await runLine(name, index, line, fixtures[name]);
        const report = differences(results.old, results.new);
        if (report.length === 0) continue;
        different += 1;
        process.stdout.write(`\n# ${line.text}\n${report.join('\n')}`);
      }
    }),
  );
  process.stdout.write(`\n${lines.length} command lines, ${different} different`);
  return different === 0 ? 0 : 1;
}

/* What is asked: services that work, awkward ones, two organizations, and services that fail in one way each. */

async function startServices() {
  const services = {};
  for (const seed of SEEDS) {
    const size =
      seed === 1
        ? []
        : ['--issued', `${400 * seed}`, '--received', `${130 * seed}`, '--customers', `${90 * seed}`];
    const awkward = seed % 2 === 0 ? ['--awkward'] : [];
    services[`seed${seed}`] = await startSandbox([
      '--seed',
      `${seed}`,
      '--today',
      TODAY,
      ...size,
      ...awkward,
    ]);
  }
  services.failing = await startSandbox(['--seed', '6', '--today', TODAY, '--fail-rate', '0.3']);
  services.empty = await startSandbox([
    '--today',
    TODAY,
    ...['issued', 'received', 'customers', 'funds'].flatMap((name) => [`--${name}`, '0']),
  ]);
  const json = (body) => (_, response) => response.end(JSON.stringify(body));
  const page = (records, total = records.length) => ({
    total,
    page: 0,
    pageSize: 1000,
    pageResults: records,
    errors: [],
  });
  const replies = {
    html: (_, response) => response.end('<html>hello</html>'),
    null: json(null),
    array: json([]),
    wrong: json({ results: [] }),
    cut: (_, response) => response.end('{"total":1,"pageResults":[{"id":"a"'),
    error500: (_, response) => response.writeHead(500).end('{"error":"x","message":"y"}'),
    error401: (_, response) => response.writeHead(401).end('{"message":"Unauthorized"}'),
    error403: (_, response) =>
      response.writeHead(403).end('{"Message":"User is not authorized to access this resource"}'),
    error404: (_, response) => response.writeHead(404).end('{}'),
    error429: (_, response) => response.writeHead(429, { 'retry-after': '900' }).end('{}'),
    redirect: (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    short: json(page([{ id: 'a' }], 500)),
    odd: json(page(ODD_RECORDS)),
  };
  for (const [name, reply] of Object.entries(replies))
    services[name] = { base: await listen(reply), tokens: ['stub-token-0123456789'] };
  return services;
}

async function startSandbox(args) {
  const child = spawn(process.execPath, [BUILDS.old, 'sandbox', '--port', '0', '-q', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  closing.push(async () => {
    child.kill();
    await once(child, 'close');
  });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += chunk;
    if (/FOLIO_TOKEN_2=\S+\n/.test(printed)) break;
  }
  const value = (name) => new RegExp(`${name}=(\\S+)`).exec(printed)[1].replaceAll("'", '');
  return { base: value('FOLIO_BASE_URL'), tokens: [value('FOLIO_TOKEN'), value('FOLIO_TOKEN_2')] };
}

async function listen(reply) {
  const server = createServer(reply).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/v1`;
}

/** A folder of a build: a store with two profiles, exports and a database of theirs, lists to reconcile. */
async function makeFixtures(name, services) {
  const folder = join(root, name);
  await mkdir(join(folder, 'config'), { recursive: true });
  const [token, second] = services.seed1.tokens;
  const config = { FOLIO_CONFIG_DIR: join(folder, 'config') };
  const make = async (args, env = {}) => {
    const done = await run(name, args, { cwd: folder, env: { ...config, ...env } });
    if (done.code !== 0) throw new Error(`${name}: ${args.join(' ')}: ${done.stderr}`);
  };
  for (const [profile, secret] of Object.entries({ one: token, two: second })) {
    await writeFile(join(folder, `${profile}.token`), secret, { mode: 0o600 });
    await chmod(join(folder, `${profile}.token`), 0o600);
    await make([
      'auth',
      'login',
      '--profile',
      profile,
      '--base-url',
      services.seed1.base,
      '--token-file',
      `${profile}.token`,
      '--no-verify',
    ]);
  }
  await make(['issued', '--profile', 'one', '-o', 'issued.jsonl', '--receipt', 'issued.jsonl.receipt.json']);
  await make(['received', '--profile', 'one', '-o', 'received.json']);
  await make(['issued', '--all-profiles', '-o', 'group.jsonl']);
  await make(['issued', '--profile', 'one', '--where', 'totalAmount>=1000', '-o', 'part.jsonl']);
  await make(['sync', 'books.db', '--profile', 'one']);
  await make(['sync', 'group.db', '--all-profiles']);
  await writeFile(
    join(folder, 'odd.jsonl'),
    ODD_RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''),
  );
  await writeFile(join(folder, 'empty.jsonl'), '');
  await writeFile(join(folder, 'ids.txt'), '60155445-3\n60155520-4\n');
  await writeFile(join(folder, 'broken.jsonl'), '{"id":"a"}\n{"id":');
  return folder;
}

/* The command lines. */

function commandLines({ ...services }) {
  const lines = [];
  const add = (text, { service = 'seed1', terminal = false, input, env = {} } = {}) => {
    const { base, tokens } = services[service];
    const profiles = /--(all-)?profiles?\b|--sandbox|--from |^(auth|config|help|completion|verify|--)/.test(
      text,
    );
    const address = profiles ? {} : { FOLIO_BASE_URL: base, FOLIO_TOKEN: tokens[0] };
    const about = [service === 'seed1' ? '' : `@${service} `, terminal ? 'tty ' : ''].join('');
    lines.push({ text: `${about}${text}`, args: words(text), terminal, input, env: { ...address, ...env } });
  };
  const listings = listed(`
    issued | received | customers | funds
  `);
  const invoices = ['issued', 'received'];
  const everyListing = listed(`
     | --limit 5 | --limit 0 | --limit 1 --format json | --all --format jsonl | --format json | --format csv
    | --format table | --format table --wide --limit 9 | --format table --raw --limit 9 | -o out.csv | -o
    out.jsonl | -o out.json | -o out.xlsx --columns=-files | -o out.parquet --columns=-files | -o out.pdf |
    -o out.csv --receipt r.json | --excel -o out.csv | --excel | --delimiter ; | --delimiter tab |
    --delimiter xx | --no-header | --columns id | --columns=-id | --columns id,nosuch | --columns * |
    --columns ID=id | --list-columns | --page-size 7 | --page-size 100000 | --page-size 0 | --concurrency 1
    | --concurrency 0 | --count | --count --format json | --where id=x | --where id!=x --count | --sort id
    --limit 4 | --sort=-id --columns id --limit 4 | --group-by id --count --limit 3 | --retries 0 --timeout
    5 | --retries -1 | --timeout 0 | --param foo=bar | --nosuch | --limt 3 | --format nosuch | --token x |
    -q | -v | --debug --limit 1 | --receipt r.json | --strict | --output-dir d | --changes-since empty.jsonl
    --format jsonl --limit 2 | --from nosuch.jsonl | --from broken.jsonl | --from empty.jsonl | extra
  `);
  for (const listing of listings) for (const flags of everyListing) add(`${listing} ${flags}`.trim());
  const questions = listed(`
    --overdue --count | --overdue --format jsonl | --sum total | --sum total,net,tax --group-by currency |
    --sum open --group-by counterpartyName | --sum amountToBePaid --group-by status | --sum totalAmount
    --as-sent | --group-by date:month --sum total | --group-by date:year | --group-by status,documentType |
    --since 2026-10 | --since -30d --count | --until 2026-09-30 --count | --since 2026-10 --until 2026-09 |
    --where status=OVERDUE,PENDING --count | --where totalAmount>=1000 --count | --where dueBy<today
    --format jsonl | --where open>0 --sum open | --where number~1 --columns number | --where totalAmount>abc
    | --where documentType=CREDIT_NOTE --sum total | --sort=-total --limit 5 | --sort dueBy,number --limit 5
    | --sort=-open --limit 5 --format jsonl | --expand payments --columns number,payments.amount | --expand
    files --limit 3 | --expand nosuch | --sum nosuch | --group-by nosuch | --sort nosuch | --where nosuch=1
    | --field total=netAmount --sum total | --field total=nosuch --sum total | --field nosuch=x | --columns
    Folio=number,Total=totalAmount --limit 3 | --columns number,open,paid --limit 4 | --count --sum total |
    --limit 5 --sum total | --sort-by amount --sort-order desc --limit 4 | --sort-by nosuch | --page 0
    --page-size 5 | --page 99
  `);
  for (const listing of invoices) for (const flags of questions) add(`${listing} ${flags}`);
  const aging = listed(`
     | --payable | --as-of 2026-10-31 | --as-of 2020 | --buckets 15,45 | --buckets 0 | --totals | --format
    json | -o a.xlsx | --payable --totals --format jsonl | --limit 3 | --columns counterpartyName,total
  `);
  for (const flags of aging) add(`aging ${flags}`.trim());
  for (const service of listed(`
    seed2 | seed3 | seed4 | seed5
  `)) {
    for (const listing of invoices) {
      for (const flags of [
        '--format jsonl',
        '',
        '--columns number,totalAmount,currency',
        ...questions.slice(0, 13),
      ])
        add(`${listing} ${flags}`.trim(), { service });
    }
    for (const flags of ['', '--format jsonl', '--limit 30 --format table'])
      add(`customers ${flags}`.trim(), { service });
    for (const flags of listed(`
     | --payable | --totals | --format json
  `))
      add(`aging ${flags}`.trim(), { service });
    for (const rest of listed(`
    report --format json | report -o r.html | issued -o x.xlsx --columns=-files | issued -o x.parquet --columns=-files | sync x.db | statement
    --all --output-dir pages
  `))
      add(rest, { service });
    add('issued --format table --limit 30', { service, terminal: true });
    add('aging', { service, terminal: true });
  }
  for (const service of listed(`
    empty | odd | html | null | array | wrong | cut | error500 | error401 | error403 | error404 | error429 |
    redirect | short
  `)) {
    for (const text of listed(`
    issued | received -o out.csv --receipt r.json | customers | issued --sum total | aging | sync x.db |
    report -o r.html | issued --columns number,totalAmount | doctor
  `)) {
      add(`${text} --retries 1 --retry-delay 1`.replace('doctor --retries 1 --retry-delay 1', 'doctor'), {
        service,
      });
    }
  }
  for (const text of listed(`
    issued --format jsonl | received | customers | funds | issued -o out.xlsx | aging | sync x.db
  `))
    add(`${text} --retry-delay 1`, { service: 'failing' });
  const from = listed(`
    issued --from F | issued --from F --format jsonl --limit 5 | issued --from F --sum total | issued --from
    F --group-by status | issued --from F --overdue --count | issued --from F -o out.csv | issued --from F
    --where number~1 --count | aging --from F | issued --from F --sort=-total --limit 5 | issued --from F
    --changes-since issued.jsonl | statement --from F --customer-fiscal-id 60155445-3 --format json | issued
    --from F --columns number,total | issued --from F --list-columns | aging --from F --payable | issued
    --from F --since 2026-10 --count | report --from F --format json | issued --from F -o out.parquet |
    statement --from F --all --output-dir pages | received --from F --count | issued --from F --page 1
  `);
  for (const text of from)
    for (const file of listed(`
    issued.jsonl | group.jsonl | part.jsonl | odd.jsonl | books.db | group.db
  `))
      add(text.replace('F', file));
  for (const text of listed(`
    received --from received.json | received --from received.json --sum total | aging --payable --from
    received.json | received --from issued.jsonl --count
  `))
    add(text);
  const organizations = listed(`
    issued | issued --count | issued --sum total | issued -o out.xlsx | issued --output-dir d | issued
    --output-dir d --format jsonl | aging | aging --totals | received --limit 5 | customers --format jsonl |
    issued --receipt r.json | issued --overdue --sum open | report --output-dir d | sync all.db | statement
    --all --output-dir pages | issued --group-by _profile --count | funds
  `);
  for (const text of organizations)
    for (const flag of listed(`
    --all-profiles | --profile one,two | --profile two | --profile nosuch
  `))
      add(`${text} ${flag}`);
  const others = [
    'customers get nosuch',
    'customers portal-link nosuch',
    'funds get nosuch',
    'funds documents nosuch',
    'get /invoices/issued',
    'get /invoices/issued --paginate',
    'get /customers --paginate',
    'get nosuch',
    'get /invoices/received?options_pageSize=3',
    'issued download files',
    'issued download files --only pdf',
    'issued --customer-fiscal-id 60155445-3',
    'issued --customer-fiscal-id @ids.txt --count',
    'issued --customer-fiscal-id 1-9',
    'issued --customer-fiscal-id 1-9,60155445-3 --count',
    'issued --customer-fiscal-id 1-9,60155445-3 --strict --count',
    'received --issuer-fiscal-id 1-9',
    'customers --next-token x',
    'funds --page 2 --page-size 5',
    'report',
    'report --format json',
    'report -o r.html',
    'report -o r.html --lang es',
    'report --period 2026-10 --format json',
    'report --period nosuch',
    'report -o r.html --title T',
    'statement',
    'statement --customer-fiscal-id 60155445-3 --format json',
    'statement --customer-fiscal-id 60155445-3 -o s.html',
    'statement --customer-fiscal-id 60155445-3 -o s.xlsx --lang es',
    'statement --all',
    'statement --all --output-dir pages',
    'statement --payable --all --output-dir pages',
    'statement --customer-fiscal-id 1-9',
    'reconcile',
    'reconcile nosuch.csv',
    'reconcile issued.jsonl',
    'verify issued.jsonl',
    'verify nosuch',
    'verify .',
    'verify issued.jsonl --max-age 26h',
    'verify issued.jsonl --max-age nosuch',
    'verify books.db --max-age 26h',
    'sync',
    'sync x.db',
    'sync x.db issued',
    'sync x.db nosuch',
    'sync books.db --plan',
    'sync postgres://u:p@127.0.0.1/x',
    'sync x.db --max-gone 5%',
    'sync x.db --receipt r.json',
    'config list',
    'config list --names',
    'config get format',
    'config set format jsonl',
    'config set nosuch 1',
    'config set fields.total netAmount',
    'config path',
    'config unset format',
    'auth list',
    'auth status',
    'auth status --profile two',
    'auth use two',
    'auth use nosuch',
    'auth logout --profile two',
    'auth login --profile three --base-url http://example.com',
    'doctor',
    'doctor --profile one',
    'help',
    'help exit-codes',
    'help environment',
    'help formats',
    'help questions',
    'help databases',
    'help agents',
    'help nosuch',
    'completion bash',
    'completion zsh',
    'completion fish',
    'completion nosuch',
    '--version',
    '--help',
    'nosuch',
    'isued',
    ...listed(`
    issued | received | customers | customers get | customers portal-link | funds | funds get | funds
    documents | issued download | aging | report | statement | reconcile | sync | verify | mcp | get | auth
    | auth login | auth status | config | config set | sandbox | doctor | completion
  `).map((text) => `${text} --help`),
  ];
  for (const text of others) add(text);
  const sandbox = listed(`
    issued --limit 3 | received --limit 3 | customers --limit 3 | funds --limit 3 | aging | issued
    --all-profiles --count | doctor | report --format json
  `);
  for (const text of sandbox) add(`--sandbox ${text}`, { env: { TZ: 'UTC' } });
  const seen = listed(`
    issued | issued --limit 3 | received | customers | funds | aging | aging --payable | issued --sum total
    | issued --group-by status | issued --sum open --group-by customer.name | issued --overdue | issued -o
    out.csv --no-progress | report | statement --customer-fiscal-id 60155445-3 | issued --columns
    number,customer.name,totalAmount --limit 4 | auth status | config list | verify issued.jsonl | issued
    --all-profiles --limit 4 | issued --from books.db | sync x.db --no-progress | issued --nosuch | help |
    issued --wide --limit 3 | issued --raw --limit 3 | issued --expand payments --limit 3 | issued download
    files --no-progress
  `);
  for (const text of seen) add(text, { terminal: true });
  const asks = [
    { name: 'count', arguments: { listing: 'issued' } },
    { name: 'find', arguments: { listing: 'issued', limit: 3 } },
    { name: 'summarize', arguments: { listing: 'issued', sum: ['total'] } },
    { name: 'aging', arguments: {} },
  ];
  for (const question of asks) {
    const messages = [
      {
        method: 'initialize',
        id: 1,
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { method: 'tools/list', id: 2 },
      { method: 'tools/call', id: 3, params: question },
    ];
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
    for (const text of ['mcp --from issued.jsonl', 'mcp --from books.db', 'mcp'])
      add(text, { input, env: { QUESTION: question.name } });
  }
  return lines;
}

/** What stands between bars. */
function listed(text) {
  return text.split('|').map((entry) => entry.trim().replaceAll(/\s+/g, ' '));
}

/** The words of a command line; none of these has quotes. */
function words(text) {
  return text.split(' ').filter((word) => word !== '');
}

/* Running and comparing. */

/** Runs a command line in a folder of its own, in which the fixtures stand as links, and the database as a copy. */
async function runLine(name, index, { args, terminal, input, env }, fixtures) {
  const cwd = join(root, `${name}-${index}`);
  await mkdir(cwd);
  const had = new Map();
  for (const file of await readdir(fixtures)) {
    if (file === 'config') continue;
    await writeFile(join(cwd, file), await readFile(join(fixtures, file)), { mode: 0o600 });
    had.set(file, hash(await readFile(join(cwd, file))));
  }
  await mkdir(join(cwd, 'config'));
  for (const file of await readdir(join(fixtures, 'config'))) {
    if (!/lock/.test(file))
      await writeFile(join(cwd, 'config', file), await readFile(join(fixtures, 'config', file)), {
        mode: 0o600,
      });
  }
  await chmod(join(cwd, 'config'), 0o700);
  const place = join(root, `at-${index}`); // The same path for both builds, since paths are printed.
  await rm(place, { force: true });
  await symlink(cwd, place);
  const done = await run(name, args, {
    cwd: place,
    terminal,
    input,
    env: { FOLIO_CONFIG_DIR: join(place, 'config'), ...env },
  });
  const files = {};
  for (const entry of await readdir(cwd, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(cwd.length + 1);
    if (path.startsWith('config/') || /\.db(-wal|-shm)?$/.test(path)) continue;
    const bytes = await readFile(join(cwd, path));
    if (had.get(path) !== hash(bytes))
      files[masked(path)] = /\.(xlsx|parquet)$/.test(path) ? hash(bytes) : masked(bytes.toString('utf8'));
  }
  await rm(cwd, { recursive: true });
  await rm(place);
  return { code: done.code, stdout: masked(done.stdout, cwd), stderr: masked(done.stderr, cwd), files };
}

async function run(name, args, { cwd, env, terminal = false, input }) {
  const command = [process.execPath, BUILDS[name], ...args, ...(terminal ? ['--no-progress'] : [])];
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = terminal
    ? spawn('script', ['-qefc', `stty cols 110 rows 40; ${quoted}`, '/dev/null'], {
        cwd,
        env: environment(env),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    : spawn(command[0], command.slice(1), {
        cwd,
        env: environment(env),
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
  const printed = { stdout: [], stderr: [] };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (chunk) => printed[stream].push(chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  if (input !== undefined) {
    child.stdin.write(input);
    // The server answers before its input ends.
    const answered = setInterval(() => printed.stdout.join('').includes('"id":3') && child.stdin.end(), 20);
    child.on('close', () => clearInterval(answered));
  }
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  return {
    code: code ?? signal,
    stdout: Buffer.concat(printed.stdout).toString('utf8'),
    stderr: Buffer.concat(printed.stderr).toString('utf8'),
  };
}

function environment(env) {
  return {
    PATH: process.env.PATH,
    HOME: root,
    LANG: 'C.UTF-8',
    TZ: 'America/Santiago',
    TERM: 'xterm',
    ...env,
  };
}

/** Without what differs between two runs of one build. */
function masked(text, cwd) {
  return (cwd === undefined ? text : text.replaceAll(cwd, '<cwd>'))
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, (instant) =>
      instant.startsWith(TODAY) && !/T00:00:00/.test(instant) ? '<instant>' : instant,
    )
    .replaceAll(
      /"(seconds|bytes|startedAt|finishedAt|requests|retries|started|finished|waited|waitedSeconds)":\s*[^,}\n]+/g,
      '"$1":<n>',
    )
    .replaceAll(/"sha256": "\w+"/g, '"sha256": <hash>')
    .replaceAll(/expires=\d+&signature=[\w-]+/g, '<signature>')
    .replaceAll(/(?<=,)\d+\.\d(?=,\n?)/g, '<n>')
    .replaceAll(/\b\d+(\.\d+)? m?s\b/g, '<time>')
    .replaceAll(/\b\d\d:\d\d(:\d\d)?\b/g, '<clock>')
    .replaceAll(/\r\n/g, '\n')
    .replaceAll(/\.folio-[\w.-]+/g, '<temporary>');
}

function differences(before, after) {
  const report = [];
  if (before.code !== after.code) report.push(`code: ${before.code} → ${after.code}`);
  const texts = (result) => ({
    stdout: result.stdout,
    stderr: result.stderr,
    ...Object.fromEntries(Object.entries(result.files).map(([path, text]) => [`file ${path}`, text])),
  });
  const [old, now] = [texts(before), texts(after)];
  for (const what of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (old[what] === now[what]) continue;
    report.push(`${what}:`, ...lineDifferences(old[what], now[what]));
  }
  return report;
}

function lineDifferences(before, after) {
  if (before === undefined || after === undefined)
    return [before === undefined ? '  + (only new)' : '  - (only old)'];
  const [old, now] = [before.split('\n'), after.split('\n')];
  const gone = old.filter((line) => !now.includes(line));
  const added = now.filter((line) => !old.includes(line));
  if (gone.length + added.length === 0) return ['  (the same lines in another order or number)'];
  const shown = (lines, sign) => [
    ...lines.slice(0, 6).map((line) => `  ${sign} ${line.slice(0, 400)}`),
    ...(lines.length > 6 ? [`  ${sign} … ${lines.length - 6} more`] : []),
  ];
  return [...shown(gone, '-'), ...shown(added, '+')];
}

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
