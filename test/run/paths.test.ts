import {
  chmodSync,
  linkSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFolio } from '../support/run-folio.ts';
import { runHere, TEST_TOKEN } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A folder with what a run may read: the settings in `home`, a database, an export with its receipt, a list, a token. */
async function place(): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const env = { FOLIO_CONFIG_DIR: home };
  writeFileSync(join(home, 'config.json'), '{"version":1,"profiles":{},"settings":{}}', { mode: 0o600 });
  const download = 'issued download dl --limit 3 --only pdf';
  for (const line of ['sync books.db issued', 'issued --limit 3 -o a.jsonl', download])
    expect(await runHere(['--sandbox', ...line.split(' ')], { env, cwd: folder })).toMatchObject({ code: 0 });
  writeFileSync(join(folder, 'ids.txt'), '1-9\n');
  writeFileSync(join(folder, 'token'), TEST_TOKEN);
  chmodSync(join(folder, 'token'), 0o600);
  symlinkSync('a.jsonl', join(folder, 'link'));
  linkSync(join(folder, 'a.jsonl'), join(folder, 'second-name'));
  writeFileSync(join(folder, 'a.jsonl.receipt.json'), '{}');
  mkdirSync(join(folder, 'out'));
  symlinkSync('../a.jsonl', join(folder, 'out', 'one.issued.csv'));
  return { folder, env };
}

const REFUSED: readonly (readonly [line: string, says: string])[] = [
  ['sync books.db --sandbox --receipt books.db', '--receipt books.db is the database'],
  ['sync new.db --sandbox --receipt ./new.db', '--receipt ./new.db is the database'],
  ['sync new.db --sandbox --receipt NEW.db', '--receipt NEW.db is the database'],
  ['sync books.db --sandbox --receipt books.db-wal', '--receipt books.db-wal would replace the database'],
  ['issued --from books.db -o ../LAST/books.db', 'books.db would replace the database'],
  ['issued --sandbox --changes-since a.jsonl --receipt a.jsonl', 'would replace the export that'],
  [
    'issued --sandbox --changes-since a.jsonl -o a.jsonl.receipt.json --format csv',
    'would replace the receipt of the export that --changes-since is to read',
  ],
  ['issued --from a.jsonl -o link', 'would replace the export that --from is to read'],
  ['issued --from link -o second-name --format csv', 'would replace the export that --from is to read'],
  ['aging --from a.jsonl -o ./a.jsonl', 'would replace the export that --from is to read'],
  ['report --from issued=a.jsonl -o a.jsonl --format html', 'would replace the export that --from is to'],
  ['issued --sandbox --customer-fiscal-id @ids.txt --receipt ids.txt', 'would replace the list of'],
  ['issued --base-url http://127.0.0.1:9/v1 --token-file token --receipt token', 'would replace the token'],
  ['issued --base-url http://127.0.0.1:9/v1 --token-file token -o token', 'would replace the token file'],
  ['get /issued --sandbox -o home/config.json', "would replace folio's file of profiles and settings"],
  ['issued --sandbox --receipt home/config.json', "would replace folio's file of profiles and settings"],
  ['issued download dl --sandbox --receipt dl/101-7-0f1e2d3c.pdf', 'would replace a file of an invoice in'],
  ['issued download dl --list-columns -o home/config.json', "would replace folio's file of profiles"],
  ['issued --sandbox -o x.csv --receipt X.csv', '--receipt X.csv is where the records go'],
  ['issued --sandbox -o b.json --receipt b.json', '--receipt b.json is where the records go'],
  ['issued --sandbox -o b.json --receipt ../LAST/b.json', 'b.json is where the records go'],
  ['issued --sandbox -o a.jsonl --receipt link', '--receipt link is where the records go'],
  ['issued --sandbox --receipt -', '--receipt - is where the records go'],
  ['issued --sandbox -o - --receipt /dev/stdout', '--receipt /dev/stdout is where the records go'],
  [
    'issued --sandbox --profile one,two --output-dir out --customer-fiscal-id @a.jsonl',
    '--output-dir: out/one.issued.csv would replace the list of --customer-fiscal-id',
  ],
  [
    'issued --sandbox --profile one,two --output-dir made --receipt made/all.json',
    'A receipt belongs to one file. Say --receipt beside: each has its own, <file>.receipt.json.',
  ],
];

describe('what a run reads', () => {
  it('is never written over, whatever flag or spelling: nothing is asked, nothing written', async () => {
    const { folder, env } = await place();
    const last = folder.split('/').at(-1)!;
    const before = contents(folder);
    for (const [line, says] of REFUSED) {
      const args = line.replace('LAST', last).split(' ');
      const place = { env: { ...env, FOLIO_TOKEN: undefined }, cwd: folder };
      const { code, stdout, stderr } = await runHere(args, place);
      expect([line, stdout.toString(), stderr]).toEqual([line, '', expect.stringContaining(says)]);
      expect([line, code]).toEqual([line, 2]);
      expect(contents(folder)).toEqual(before);
    }
  });

  it('is not where the shell has standard output go', async () => {
    const { folder, env } = await place();
    const file = openSync(join(folder, 'a.jsonl'), 'a');
    const { code } = await runFolio(['issued', '--from', 'a.jsonl'], {
      env,
      cwd: folder,
      stdio: ['ignore', file, 'pipe'],
    });
    closeSync(file);
    expect(code).toBe(2);
    expect(readFileSync(join(folder, 'a.jsonl'), 'utf8').split('\n')).toHaveLength(4);
  });

  it('may lie beside what is written, whose name is like it', async () => {
    const { folder, env } = await place();
    for (const line of [
      'issued --from a.jsonl -o b.jsonl',
      'sync books.db issued --sandbox --receipt books.db.json',
      'issued download dl --limit 3 --only pdf --sandbox -o dl/list.csv --receipt dl/receipt.json',
      'issued --sandbox -o /dev/null',
    ])
      expect([line, await runHere(line.split(' '), { env, cwd: folder })]).toMatchObject([line, { code: 0 }]);
  });
});

it.each(['issued -o x.csv', 'issued --receipt x.json', 'issued --from x.jsonl', 'sync x.db'])(
  '%s from a folder that was removed says so, and what to do',
  async (line) => {
    const cwd = temporaryFolder();
    const run = runFolio([...line.split(' '), ...(line.includes('--from') ? [] : ['--sandbox'])], {
      cwd,
      env: { PWD: cwd },
      shell: 'rmdir "$PWD" && exec "$@"',
    });
    const { code, stdout, stderr } = await run;
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toBe(
      `folio: the working folder ${cwd} was removed, and ${line.split(' ').at(-1)} would be in it\n` +
        '  Change to a folder that is there, or give the whole path.\n',
    );
  },
);

/** Every file below the folder, with its text. */
function contents(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(path, 'latin1')]));
}
