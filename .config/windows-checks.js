/*
 * `node .config/windows-checks.js <folio.exe>`, on Windows or in what passes for it: whether the program does there what it
 * promises. Says what it does not, and fails.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const program = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'folio-'));
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('FOLIO_'));
const env = { ...Object.fromEntries(inherited), APPDATA: join(folder, 'Roaming') };
const IDS = '60155445-3\r\n60155520-4\r\n';
let checks = 0;
let failures = 0;

try {
  checkAll();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.stdout.write(`${checks - failures} of ${checks} checks of folio.exe passed on ${process.version}\n`);
process.exitCode = failures > 0 ? 1 : 0;

function checkAll() {
  check('the version', folio('--version').stdout, /^\d+\.\d+\.\d+\n$/);

  check(
    'where settings are',
    folio('config', 'path').stdout.trim(),
    join(env.APPDATA, 'folio', 'Config', 'config.json'),
  );
  const login = ['auth', 'login', '--profile', 'north', '--no-verify', '--base-url', 'http://127.0.0.1:9/v1'];
  check('a token with the line end of Windows', folioWith({ input: 'a-token\r\n' }, ...login).status, 0);
  check('the stored profile', folio('__profiles').stdout, 'north\n');
  check('a network that fails', folio('issued', '--retries', '0').status, 5);

  check('a file', sandbox('issued', '--limit', '3', '-o', 'issued.csv').status, 0);
  check('its rows', text('issued.csv').split('\n').length, 5);
  check(
    'the same again, with a receipt',
    sandbox('issued', '--limit', '4', '-o', 'issued.csv', '--receipt', 'issued.csv.receipt.json').status,
    0,
  );
  check('its receipt', folio('verify', 'issued.csv').status, 0);
  const held = openSync(join(folder, 'issued.csv'), 'r+');
  const over = sandbox('issued', '--limit', '2', '-o', 'issued.csv');
  closeSync(held);
  // Newer versions of Windows replace a file under whoever has it open.
  if (over.status !== 0) {
    check(
      'a file that is open elsewhere',
      over.stderr,
      /^folio: cannot write issued\.csv: another program has it open/,
    );
    check('what it held', folio('verify', 'issued.csv').status, 0);
  }
  check(
    'what is left beside it',
    readdirSync(folder).filter((name) => /\.tmp|\.lock/.test(name)),
    [],
  );

  for (const name of ['con.csv', 'AUX', 'nul.txt', 'lpt1 .csv', 'issued.csv:2.csv', 'november.', 'what?.csv'])
    check(`the name ${name}`, sandbox('issued', '--format', 'csv', '-o', name), {
      status: 1,
      stderr: /Windows/,
    });
  check('a folder named con', sandbox('issued', '--profile', 'one,two', '--output-dir', 'con'), {
    status: 1,
    stderr: /Windows takes con for a device/,
  });
  check('a folder of downloads named aux.d', sandbox('issued', 'download', 'aux.d'), {
    status: 1,
    stderr: /device/,
  });

  for (const encoding of ['utf8', 'utf16le']) {
    writeFileSync(join(folder, 'ids.txt'), `\ufeff${IDS}`, encoding);
    check(
      `a list in ${encoding}`,
      sandbox('issued', '--count', '--customer-fiscal-id', '@ids.txt').stdout,
      '5\n',
    );
  }
  const piped = { input: IDS };
  check(
    'a list that is piped in',
    folioWith(piped, '--sandbox', 'issued', '--count', '--customer-fiscal-id', '@-').stdout,
    '5\n',
  );

  const long = join(folder, ...Array.from({ length: 3 }, () => 'a'.repeat(100)));
  mkdirSync(long, { recursive: true });
  check(
    'a file of a long path',
    sandbox('issued', '--limit', '1', '-o', join(long, 'issued.xlsx')).status,
    0,
  );
  check('what it holds', readFileSync(join(long, 'issued.xlsx'), 'latin1').slice(0, 2), 'PK');
  check(
    'downloads in a long path',
    sandbox('issued', 'download', join(long, 'files'), '--limit', '2').status,
    0,
  );
  check('their names', readdirSync(join(long, 'files')).filter((name) => name.endsWith('.pdf')).length, 2);
  check('a database of a long path', sandbox('sync', join(long, 'books.db'), '--quiet').status, 0);
  check('its records', folio('issued', '--from', join(long, 'books.db'), '--all-profiles', '--count'), {
    stdout: '120\n',
  });

  check('parquet', sandbox('issued', '--limit', '1', '-o', 'issued.parquet').status, 0);
  check('its mark', text('issued.parquet').slice(0, 4), 'PAR1');
  check('the completion', folio('completion', 'powershell').stdout, /^# PowerShell[\n -~]*$/);
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const hello = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\r\n`;
  check('an assistant', folioWith({ input: hello }, '--sandbox', 'mcp'), {
    status: 0,
    stdout: /"serverInfo"/,
  });
  check('a wrong flag', folio('issued', '--no-such-flag').status, 2);
  check('an unknown fund', sandbox('funds', 'get', 'no-such-fund').status, 4);

  // What leaves is UTF-8, whatever the code page of the console.
  const line = `"${program}" --sandbox issued --limit 3 --columns customer.name --format csv`;
  for (const page of [850, 1252, 65001]) {
    const printed = execFileSync(`chcp ${page} >nul & ${line}`, {
      shell: true,
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    check(`the code page ${page}`, printed, /^customer\.name\nViña /);
  }
  check(
    'files that should not be',
    readdirSync(folder).toSorted(),
    [
      'Roaming',
      'a'.repeat(100),
      'ids.txt',
      'issued.csv',
      'issued.csv.receipt.json',
      'issued.parquet',
    ].toSorted(),
  );
}

function folio(...args) {
  return folioWith({}, ...args);
}

function sandbox(...args) {
  return folio('--sandbox', ...args);
}

function folioWith(options, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    cwd: folder,
    env,
    input: '',
    ...options,
  });
  return { status, stdout, stderr };
}

function text(name) {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Holds what was found against a value, a pattern, or several of them by name. */
function check(what, found, expected) {
  checks++;
  if (isAs(found, expected)) return;
  failures++;
  process.stdout.write(
    `${what}: ${JSON.stringify(found)} instead of ${expected instanceof RegExp ? expected : JSON.stringify(expected)}\n`,
  );
}

function isAs(found, expected) {
  if (expected instanceof RegExp) return expected.test(found);
  if (Array.isArray(expected) || typeof expected !== 'object')
    return JSON.stringify(found) === JSON.stringify(expected);
  return Object.entries(expected).every(([name, one]) => isAs(found[name], one));
}
