import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needingTerminal, terminalsForTests } from '../support/in-terminal.ts';
import { runHere } from '../support/run-here.ts';
import { fileOf } from '../support/temporary-folder.ts';

const show = terminalsForTests();

/** The lines of a screen; each is at most so wide unless it is a single word or a command line. */
function tooLong(screen: string, columns: number): string[] {
  const isWhole = (line: string): boolean => line.startsWith('  folio ') || !line.trim().includes(' ');
  return screen.split('\r\n').filter((line) => line.length > columns && !isWhole(line));
}

describe.concurrent('words on a terminal', needingTerminal, () => {
  it.each([
    [['--help'], 50],
    [['issued', '--help'], 60],
    [['help', 'exit-codes'], 60],
    [['issued', '--sandbox', '--limit', '1', '--columns', 'a.column.that.nobody.has,number'], 40],
    [['issued', '--all', '--limit', '5'], 40],
    [['issued', '--format', 'xlsx', '--sandbox'], 40],
    [['issued', '--page-size', 'many of them, as many as there are'], 40],
  ])('are not broken: %j', async (args, columns) => {
    const { screen } = await show([...args, '--no-progress'], { columns, rows: 400, env: { NO_COLOR: '1' } });
    expect(screen).not.toBe('');
    expect(tooLong(screen, columns)).toEqual([]);
  });

  it('keep the hint of an error set in', async () => {
    const { screen } = await show(['issued', '--all', '--limit', '5', '--sandbox'], { columns: 30 });
    expect(screen.split('\r\n').filter((line) => line !== '')).toEqual([
      'folio: --all and --limit do',
      'not go together',
      '  Leave one of them out.',
    ]);
  });
});

describe.concurrent('a thousand fiscal IDs that nobody has', () => {
  const unknown = Array.from({ length: 1_000 }, (_, n) => `${10_000_000 + n}-1`);
  const first = unknown.slice(0, 10).join(', ');

  async function asked(ids: readonly string[], ...flags: string[]) {
    const list = fileOf(ids.join('\n'), 'ids.txt');
    const receiptFile = `${list}.receipt.json`;
    const line = `issued --sandbox --customer-fiscal-id @${list} --receipt ${receiptFile}`;
    const { code, stderr } = await runHere([...line.split(' '), ...flags]);
    const receipt = JSON.parse(readFileSync(receiptFile, 'utf8')) as { missingFiscalIds: string[] };
    return { code, stderr, missing: receipt.missingFiscalIds };
  }

  it('are a count, the first ten, and all of them in the receipt', async () => {
    const { code, stderr, missing } = await asked([...unknown, '60155465-8']);
    expect(stderr).toBe(
      `warning: no customer has 1000 of the fiscal IDs: ${first} and 990 more; --receipt <file> has them all\n`,
    );
    expect([code, missing.toSorted()]).toEqual([0, unknown]);
  });

  it('are that too where it is a failure', async () => {
    const strict = await asked([...unknown, '60155465-8'], '--strict');
    expect(strict.stderr).toContain(
      `1000 unknown fiscal IDs: ${first} and 990 more; --receipt <file> has them all`,
    );
    expect(strict.code).toBe(6);
    const none = await asked(unknown);
    expect(none.stderr).toContain(
      `folio: no customer has any of these fiscal IDs: ${first} and 990 more; --receipt <file> has them all\n`,
    );
    expect([none.code, none.missing.toSorted()]).toEqual([4, unknown]);
  });

  it('are named one by one where they are few', async () => {
    const { stderr } = await asked(['1-9', '2-7', '60155465-8']);
    expect(stderr).toBe(
      'warning: no customer has the fiscal ID 1-9\nwarning: no customer has the fiscal ID 2-7\n',
    );
  });
});
