import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needingTerminal, runInTerminal } from '../support/in-terminal.ts';
import { needing } from '../support/programs.ts';
import { TEST_TOKEN } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { terminalsForTests } from '../support/terminal-here.ts';

/** Listings of an export of so many records: nothing is asked of anybody. */
function listing(records: number, ...flags: string[]): string[] {
  const file = join(temporaryFolder(), 'records.jsonl');
  const lines = Array.from({ length: records }, (_, n) => `{"number":${n + 1},"name":"customer ${n + 1}"}\n`);
  writeFileSync(file, lines.join(''));
  return ['customers', '--from', file, '--no-color', '--no-progress', ...flags];
}

/** For runs that start no pager. */
const show = terminalsForTests();

describe.concurrent('a pager', needingTerminal, () => {
  it('shows what is longer than the screen, and what is said of it comes when it is quit', async () => {
    const env = { FOLIO_PAGER: 'sed "s/^/| /"', PAGER: 'false' };
    const { code, screen } = await runInTerminal(listing(60), { env, rows: 20 });
    const lines = screen.split('\r\n');
    expect(code).toBe(0);
    expect(lines.filter((line) => line.startsWith('| '))).toHaveLength(52);
    expect(lines.slice(-3)).toEqual(['| customer 50      50', '50 of 60 · --all for the rest', '']);
  });

  it('is not bothered with what fits the screen, with other formats, or with --no-pager', async () => {
    const env = { PAGER: 'sed "s/^/| /"', FOLIO_PAGER: undefined };
    for (const args of [listing(16), listing(60, '--format', 'csv'), listing(60, '--no-pager')]) {
      const { code, screen } = await show(args, { env, rows: 20 });
      expect([code, screen.includes('| ')]).toEqual([0, false]);
      expect(screen).toContain('customer 16');
    }
    expect((await runInTerminal(listing(60), { env, rows: 20 })).screen).toContain('| customer 16');
  });

  it('shows a table of --wide sideways, also a short one, with lines that are not folded', async () => {
    const file = join(temporaryFolder(), 'records.jsonl');
    writeFileSync(file, `{"number":1,"name":"${'long '.repeat(40)}end"}\n`);
    const args = ['customers', '--from', file, '--no-progress', '--no-color'];
    const env = { FOLIO_PAGER: 'echo "less -$LESS"; cat', LESS: undefined };
    const screens = await Promise.all(
      [['--wide'], ['--wide', '--columns', 'number'], []].map(
        async (flags) => (await runInTerminal([...args, ...flags], { env, rows: 20 })).screen,
      ),
    );
    expect(screens.map((screen) => /less -\w+/.exec(screen)?.[0])).toEqual([
      'less -RSX',
      undefined,
      undefined,
    ]);
    expect(screens[0]).toContain('long end');
  });

  it.each(['', 'cat', ' '])('is none where it is called %j', async (FOLIO_PAGER) => {
    const env = { FOLIO_PAGER, PAGER: 'false' };
    const { code, screen } = await show(listing(60), { env, rows: 20 });
    expect([code, screen.includes('customer 50')]).toEqual([0, true]);
  });

  it('that is quit early ends folio quietly', async () => {
    const env = { FOLIO_PAGER: 'head -n 3' };
    const { code, screen } = await runInTerminal(listing(20_000, '--all'), { env, rows: 20 });
    expect(code).toBe(0);
    expect(screen.split('\r\n')).toEqual([
      expect.stringContaining('name'),
      expect.any(String),
      expect.stringContaining('customer 1'),
      '',
    ]);
  });

  it('that is not there does not keep the table from being shown', async () => {
    const env = { FOLIO_PAGER: 'no-such-program' };
    const { code, screen } = await runInTerminal(listing(60), { env, rows: 20 });
    expect(code).toBe(0);
    expect(screen).toMatch(/no-such-program: (?:command )?not found/);
    expect(screen).toContain('customer 50');
  });

  it('gets nothing that is a secret from the environment', async () => {
    const file = join(temporaryFolder(), 'environment');
    const env = { FOLIO_PAGER: `env > ${file}; cat`, COPY: `x${TEST_TOKEN}`, LESS: 'S' };
    const { code } = await runInTerminal(listing(60), { env, rows: 20 });
    const given = readFileSync(file, 'utf8');
    expect(code).toBe(0);
    expect(given).not.toContain(TEST_TOKEN);
    expect(given.split('\n')).toEqual(expect.arrayContaining(['LESS=S', 'LV=-c', 'TERM=xterm-256color']));
  });

  it('that has everything is not disturbed by Ctrl-C, which is its own', async () => {
    const waits = 'until [ "$heard" ]; do sleep 0.1; done';
    const env = { FOLIO_PAGER: `trap "heard=yes; echo heard" INT; cat; echo READY; ${waits}; echo DONE` };
    const { code, screen } = await runInTerminal(listing(60), {
      env,
      rows: 20,
      typed: [['READY', '\u0003\u0003']],
    });
    expect(screen).toContain('customer 50');
    expect(screen).toMatch(/heard[^]*DONE/);
    expect(screen).toContain('50 of 60');
    expect(code).toBe(0);
  });

  it('is waited for where Ctrl-C stops a run of which more was to come', async () => {
    // It takes nothing more until a key comes, and then reads to the end, which folio makes when it has heard of the Ctrl-C.
    const waits = 'read key < /dev/tty; cat > /dev/null';
    const env = { FOLIO_PAGER: `trap "" INT; head -n 5; echo READY; ${waits}; echo DONE` };
    const { code, screen } = await runInTerminal(listing(20_000, '--all'), {
      env,
      rows: 20,
      typed: [
        ['READY', '\u0003'],
        ['^C', '\r'],
      ],
    });
    expect(screen).toMatch(/DONE[^]*folio: /);
    expect(code).toBe(130);
  });

  it('is less where none is named', needing('script', 'less'), async () => {
    const { code, screen } = await runInTerminal(listing(60), {
      ...{ env: { FOLIO_PAGER: undefined }, rows: 20 },
      typed: [[':', 'q']],
    });
    expect(code).toBe(0);
    expect(screen).toContain('customer 15');
    expect(screen).toContain('──────');
    expect(screen).not.toContain('customer 40');
    expect(screen).toContain('50 of 60');
  });
});
