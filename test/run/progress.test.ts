import { beforeAll, describe, expect, it } from 'vitest';
import { always, inTurn, members, where, status } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { runOrganizations, type OrganizationsRun } from '../support/run-model.ts';

// How many turns of the event loop a first load of it takes is not a concern of these tests.
beforeAll(() => import('../../src/run/progress.ts'));

/** Twenty invoices, and a service that is slow enough for progress to be shown. */
const slow: OrganizationsRun = {
  organizations: { north: { records: { issued: modelRecords(20) }, turns: 10 } },
};
const LINE = 'issued --profile north --page-size 5 --concurrency 1 --format jsonl';

/** What the spinner shows at each request, without repeats. */
async function shown(line: string, options: OrganizationsRun): Promise<string[]> {
  const texts: string[] = [];
  await runOrganizations(line, {
    ...options,
    terminal: true,
    onRequest: (_, { spinner }) => {
      if (spinner.text !== texts.at(-1)) texts.push(spinner.text);
    },
  });
  return texts;
}

describe('the spinner', () => {
  it('shows on a terminal how far the run has come, and is gone at its end', async () => {
    const texts = await shown(`${LINE} -o /dev/null`, slow);
    // Whether it is there at the first request depends on what has to be loaded.
    expect(texts.slice(1)).toEqual([
      'issued invoices  5 of 20 · 1 page · 1 in flight',
      'issued invoices  8 of 20 · 2 pages · 1 in flight',
      'issued invoices  10 of 20 · 3 pages · 1 in flight',
      'issued invoices  12 of 20 · 4 pages · 1 in flight',
      'issued invoices  15 of 20 · 5 pages · 1 in flight',
      'issued invoices  16 of 20 · 6 pages · 1 in flight',
      'issued invoices  20 of 20 · 7 pages · 1 in flight',
    ]);
    const { context, stderr } = await runOrganizations(`${LINE} -o /dev/null`, { ...slow, terminal: true });
    expect([context.spinner.starts, context.spinner.isTurning, stderr]).toEqual([1, false, '']);
  });

  it('shows how many there will be of fiscal IDs, too, where one request lists them', async () => {
    const texts = await shown(`${LINE} --customer-fiscal-id 1-9,2-7 -o /dev/null`, slow);
    expect(texts.at(-1)).toContain('20 of 20');
  });

  it('ends before the first row is written to the same terminal', async () => {
    let whenRows: boolean | undefined;
    const { context, stdout } = await runOrganizations(LINE, {
      ...slow,
      terminal: true,
      onRequest: ({ url }, { spinner }) => {
        if (url.searchParams.get('options_page') === '2') whenRows = spinner.isTurning;
      },
    });
    expect([context.spinner.starts, whenRows]).toEqual([1, false]);
    expect(stdout).toContain('{"id":19,');
  });

  it('is gone before an error is said', async () => {
    const organizations = { north: { records: {}, turns: 10, script: always(status(403)) } };
    const { context, code } = await runOrganizations(LINE, { organizations, terminal: true });
    expect([code, context.spinner.starts, context.spinner.isTurning]).toEqual([3, 1, false]);
  });

  it('shows several profiles side by side, those that run', async () => {
    const organizations = {
      north: { records: { issued: modelRecords(20) }, turns: 30 },
      south: { records: { issued: modelRecords(4) }, turns: 8 },
      southeast: { records: { issued: modelRecords(7) }, turns: 12, script: inTurn(undefined, status(500)) },
    };
    const line = 'issued --all-profiles --page-size 5 --concurrency 1 --format jsonl -o /dev/null';
    const texts = await shown(line, { organizations });
    expect(texts).toContain(
      [
        'issued invoices · 1 of 3',
        '  north      1 in flight',
        '  southeast  5 of 7 · 1 page · 1 in flight',
      ].join('\n'),
    );
    expect(texts.at(-1)).toMatch(/^issued invoices · 2 of 3\n {2}north {2}20 of 20 · 7 pages · 1 in flight/);
  });

  it('is never wider than the terminal', async () => {
    const texts = await shown(`${LINE} -o /dev/null`, { ...slow, columns: 30 });
    expect(texts.at(-1)).toBe('issued invoices  20 of 20 …');
  });

  it.each([
    ['--no-progress', {}],
    ['-q', {}],
    ['', { CI: 'true' }],
    ['', { TERM: 'dumb' }],
  ])('is not there with %s %j', async (flag, env) => {
    const { context } = await runOrganizations(`${LINE} -o /dev/null ${flag}`.trim(), {
      ...slow,
      terminal: true,
      env,
    });
    expect(context.spinner.starts).toBe(0);
  });

  it('is not there where the records go through a pipe, as to a pager', async () => {
    const run = { ...slow, terminal: true, piped: true };
    const { context, stdout, stderr } = await runOrganizations(LINE, run);
    expect([context.spinner.starts, stderr]).toEqual([0, '']);
    expect(stdout).toContain('{"id":19,');
  });

  it('has no colour where none is wanted', async () => {
    const run = { ...slow, terminal: true };
    expect((await runOrganizations(`${LINE} -o /dev/null`, run)).context.spinner.color).toBe(true);
    const env = { NO_COLOR: '1' };
    expect((await runOrganizations(`${LINE} -o /dev/null`, { ...run, env })).context.spinner.color).toBe(
      false,
    );
  });
});

describe('off a terminal', () => {
  it('there is nothing', async () => {
    const { stderr, context } = await runOrganizations(LINE, slow);
    expect([stderr, context.spinner.starts, context.clock.sleeps]).toEqual(['', 0, []]);
  });

  it('--progress plain prints a line with the time every ten seconds', async () => {
    const organizations = { north: { records: { issued: modelRecords(20) }, turns: 5 } };
    const { stderr, context } = await runOrganizations(`${LINE} --progress plain`, { organizations });
    const lines = stderr.trimEnd().split('\n');
    expect(new Set(context.clock.sleeps)).toEqual(new Set([10_000]));
    expect(lines[0]).toBe('2026-11-20T12:00:10Z issued invoices: 1 in flight');
    expect(lines.join('\n')).toMatch(
      /^2026-11-20T12:\d\d:\d0Z issued invoices: 5 of 20 · 1 page · 1 in flight/m,
    );
    expect(lines.filter((line) => !/^2026-11-20T12:\d\d:\d0Z issued invoices: /.test(line))).toEqual([]);
  });

  const tooLarge = where(({ records }) => records.length > 4, status(502));
  it.each([
    [inTurn(undefined, status(429, { 'retry-after': '25' })), / · 1 retry · waits 15 s · \d min left\n/],
    [tooLarge, / · 1 page made smaller · /],
    [always(members({ total: '30' })), / of 30 · .* · reading again what moved\n/],
  ])('--progress plain says what takes the time: %#', async (script, line) => {
    const north = { records: { issued: modelRecords(20) }, turns: 5, script };
    const { stderr } = await runOrganizations(`${LINE} --progress plain`, { organizations: { north } });
    expect(stderr).toMatch(line);
  });

  it('--progress plain says how much time is left at the pace so far, within the limit', async () => {
    const organizations = { north: { records: { issued: modelRecords(20) }, turns: 3 } };
    const { stderr } = await runOrganizations(`${LINE} --limit 8 --progress plain`, { organizations });
    const line = /T12:(\d\d):(\d\d)Z issued invoices: 5 of 8 · 1 page(?: · 1 in flight)? · (\d+) s left/;
    // How many turns of the event loop had passed until then, of 10 s each, depends on how busy the machine is.
    const [minutes, seconds, left] = line.exec(stderr)!.slice(1).map(Number);
    expect(left).toBe(((minutes! * 60 + seconds!) / 5) * 3);
  });

  it('--progress plain names each profile that is asked', async () => {
    const organizations = {
      north: { records: { issued: modelRecords(20) }, turns: 5 },
      south: { records: { issued: modelRecords(5) }, turns: 3 },
    };
    const { stderr } = await runOrganizations('issued --all-profiles --progress plain', { organizations });
    expect(stderr.replaceAll(/^\S+Z /gm, '')).toMatch(
      /^north: issued invoices: 1 in flight\nsouth: issued invoices: 1 in flight\n/,
    );
  });
});

describe('what is said of requests', () => {
  it.each(['-v', '--debug'])('is a line for each, with %s', async (flag) => {
    const script = inTurn(status(500));
    const organizations = { north: { records: { issued: modelRecords(1) }, script } };
    const { stderr } = await runOrganizations(`issued --profile north ${flag}`, { organizations });
    const target = '/v1/invoices/issued?options_page=0&options_pageSize=2000';
    expect(stderr.split('\n')).toEqual([
      `2026-11-20T12:00:00Z GET ${target} → 500, 49 bytes, 0 ms`,
      expect.stringMatching(
        /^2026-11-20T12:00:00Z GET \S+ again in 250 ms, attempt 2: api\.example\.com failed on \S+ \(500\): Refused: /,
      ),
      expect.stringMatching(/^2026-11-20T12:00:00Z GET \S+ → 200, \d+ bytes, 0 ms, attempt 2$/),
      '',
    ]);
  });

  it('is a word before a wait of more than five seconds, for somebody who looks on', async () => {
    const script = inTurn(status(429, { 'retry-after': '12' }));
    const organizations = { north: { records: { issued: modelRecords(1) }, script } };
    const run = { organizations, terminal: true };
    const { stderr, code } = await runOrganizations('issued --profile north --format csv', run);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^waits 12 s before the next try: api\.example\.com .*\(429\)/);
    const piped = await runOrganizations('issued --profile north', { organizations });
    expect(piped.stderr).toBe('');
  });
});
