import { symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../support/programs.ts';
import { Journal } from '../../../src/output/journal.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { modelRecords, ModelService } from '../../support/model-service.ts';
import { ResumeSite } from './resume-site.ts';

const LINE = 'issued --page-size 3 -o FOLDER/out.csv --resume';

async function stoppedSite(line = LINE): Promise<ResumeSite> {
  const site = new ResumeSite(new ModelService({ issued: modelRecords(30), received: modelRecords(30) }));
  expect(await site.run(line, { stopAt: 6 })).toMatchObject({ code: 130 });
  return site;
}

describe('a run that asks for something else than the one that was stopped', () => {
  const others = [
    [`${LINE} --columns number,net`, 'another --columns (none, now number,net)'],
    [`${LINE} --sort-order desc`, 'another --sort-order (none, now desc)'],
    [`${LINE} --limit 7`, 'another --limit (none, now 7)'],
    [`${LINE} --param status=PAID`, 'another --param'],
    [`${LINE} --customer-fiscal-id 1-9`, 'another list of fiscal IDs'],
    [`${LINE} --format jsonl`, 'another --format (csv, now jsonl)'],
    [`${LINE} --excel`, 'another --excel (none, now true)'],
    [`${LINE} --no-header`, 'another --header (true, now false)'],
    [`${LINE} --delimiter ;`, 'another --delimiter (none, now ;)'],
    [LINE.replace('issued', 'received'), 'another listing (issued, now received)'],
    [
      `${LINE} --base-url https://other.example.com`,
      'another base address (https://api.example.com/v1, now https://other.example.com/v1)',
    ],
  ] as const;
  it.each(others)('%s: is refused with the reason, before any request', async (line, reason) => {
    const site = await stoppedSite();
    const before = site.read('.out.csv.folio-resume');
    const { code, stderr, asked } = await site.run(line);
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toContain(`the run that was stopped had ${reason}`);
    expect(stderr).toContain('leave out --resume');
    expect(site.read('.out.csv.folio-resume')).toBe(before);
    expect(site.names).toEqual(['.out.csv.folio-resume']);
    // What was kept still serves the run that it was kept for.
    expect(await site.run(LINE)).toMatchObject({ code: 0 });
  });

  it('is refused for another organization, known by what the token says, without naming either', async () => {
    const site = await stoppedSite();
    const claims = Buffer.from('{"organizationId":"org-one"}').toString('base64url');
    const env = {
      FOLIO_TOKEN: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.c2lnbmF0dXJl`,
    };
    const { code, stderr } = await site.run(LINE, { env });
    expect(code).toBe(2);
    expect(stderr).toContain('had another organization');
    expect(stderr).not.toContain('org-one');
  });

  it('is refused for another token, which neither the journal nor the refusal shows', async () => {
    const site = await stoppedSite();
    const { code, stderr, asked } = await site.run(LINE, {
      env: { FOLIO_TOKEN: 'a-token-of-somebody-else' },
    });
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toContain('had another token');
    const journal = site.read('.out.csv.folio-resume');
    for (const text of [stderr, journal]) expect(text).not.toMatch(/a-token-/);
    expect(await site.run(LINE)).toMatchObject({ code: 0 });
  });

  it.each(['--page-size 5', '--concurrency 1', '--retries 2', '--timeout 9', '--quiet', '--strict'])(
    'is not one that only asks otherwise: %s',
    async (flags) => {
      const site = await stoppedSite();
      const line = `issued --page-size 3 -o FOLDER/out.csv --resume ${flags}`;
      expect(await site.run(line)).toMatchObject({ code: 0 });
    },
  );
});

describe('--resume where nothing can be kept', () => {
  it.each([
    ['issued --resume', '--resume goes with -o'],
    ['issued --resume -o -', '--resume goes with -o'],
    ['issued --resume -o /dev/stdout', 'is no regular file'],
    ['issued --resume -o /dev/null', 'is no regular file'],
    ['issued --resume -o FOLDER/out.csv --page 1', '--resume and --page do not go together'],
  ])('%s: is a usage error', async (line, message) => {
    const site = new ResumeSite(new ModelService({ issued: modelRecords(3) }));
    const { code, stderr, asked } = await site.run(line);
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toContain(message);
  });

  it('is a usage error for a named pipe', async () => {
    const site = new ResumeSite(new ModelService());
    runProgram('mkfifo', [site.path('pipe')]);
    expect(await site.run('issued --resume -o FOLDER/pipe')).toMatchObject({ code: 2, asked: [] });
  });
});

describe('a journal that is not what this user wrote', () => {
  it('is refused when it is a link', async () => {
    const site = new ResumeSite(new ModelService({ issued: modelRecords(3) }));
    writeFileSync(site.path('elsewhere'), 'kept');
    symlinkSync(site.path('elsewhere'), site.path('.out.csv.folio-resume'));
    const { code, asked } = await site.run(LINE);
    expect([code, asked]).toEqual([1, []]);
    expect(site.read('elsewhere')).toBe('kept');
  });

  it('is refused when others can write it', async () => {
    const site = await stoppedSite();
    runProgram('chmod', ['666', site.path('.out.csv.folio-resume')]);
    const { code, stderr } = await site.run(LINE);
    expect(code).toBe(1);
    expect(stderr).toContain('others can write it');
  });

  it('is begun anew when it is something else', async () => {
    const site = new ResumeSite(new ModelService({ issued: modelRecords(3) }));
    writeFileSync(site.path('.out.csv.folio-resume'), 'not a journal\n', { mode: 0o600 });
    expect(await site.run(LINE)).toMatchObject({ code: 0 });
    expect(site.names).toEqual(['out.csv']);
  });
});

describe('a journal that was forged', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['without a fingerprint', { fingerprint: null }],
    ['of a moment that is none', { startedAt: 'soon' }],
    ['that goes on nowhere', { next: -1 }],
    ['with totals that are none', { totalAtStart: [] }],
    ['with places that are none', { unreadable: ['1'] }],
    ['of another version', { folioJournal: 99 }],
  ])('%s is said in a sentence, and the listing is read anew', async (_, members) => {
    const site = await stoppedSite();
    await forge(site.path('.out.csv.folio-resume'), (entry) => {
      const isHead = 'folioJournal' in entry.head;
      const isOfHead = ['fingerprint', 'startedAt', 'folioJournal'].includes(Object.keys(members)[0]!);
      return isHead === isOfHead ? { ...entry, head: { ...entry.head, ...members } } : entry;
    });
    const { code, stderr } = await site.run(LINE);
    expect(stderr).toMatch(
      /^warning: begins \S+out.csv anew: what is kept beside it is no journal of this version of folio\n$/,
    );
    expect([code, site.names]).toEqual([0, ['out.csv']]);
  });

  it('with records that are none is no fault of folio’s own', async () => {
    const site = await stoppedSite();
    await forge(site.path('.out.csv.folio-resume'), (entry) => ({ ...entry, body: Buffer.from('[{"a":') }));
    const { stderr } = await site.run(LINE);
    expect(stderr).not.toContain('fault of folio');
  });
});

type Entry = Parameters<Journal['append']>[0];

/** Writes the journal anew, each entry changed, with hashes that fit. */
async function forge(path: string, change: (entry: Entry) => Entry): Promise<void> {
  const journal = await Journal.open(path, new FakeClock());
  const entries: Entry[] = [];
  for await (const { head, body } of journal.entries()) entries.push(change({ head, body }));
  await journal.cutAt(0);
  for (const entry of entries) await journal.append(entry);
  await journal.close();
}

describe('two runs with --resume on one file', () => {
  it('are kept apart by the lock of the target, which covers the journal', async () => {
    const site = await stoppedSite();
    let second: { code: number; stderr: string } | undefined;
    await site.run(LINE, {
      until: async ({ number }) => {
        if (number === 0) second = await site.run(LINE);
      },
    });
    expect(second).toMatchObject({ code: 1 });
    expect(second?.stderr).toContain('is writing');
  });
});
