import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ModelService } from '../../support/model-service.ts';
import { randomFrom } from '../../support/random.ts';
import { randomRuns, TRIES_ALL } from '../../support/random-runs.ts';
import { ResumeSite } from './resume-site.ts';

const LINE = 'issued --page-size 2 --concurrency 1 -o FOLDER/out.jsonl --resume';
const JOURNAL = '.out.jsonl.folio-resume';
/** Bytes from one cut to the next. */
const STEP = TRIES_ALL ? 1 : 3;
const records = Array.from({ length: 9 }, (_, id) => `{"id":${id}}`);

async function stopped(): Promise<{ site: ResumeSite; journal: Buffer }> {
  const site = new ResumeSite(new ModelService({ issued: records }));
  await site.run(LINE, { stopAt: 3 });
  return { site, journal: readFileSync(site.path(JOURNAL)) };
}

describe('a journal that a kill or a power failure left in pieces', () => {
  it('cut within its last page, at any byte, gives the file of an unbroken run', async () => {
    const { site, journal } = await stopped();
    const whole = records.map((record) => `${record}\n`).join('');
    for (let end = journal.lastIndexOf('"next"') - 80; end < journal.length; end += STEP) {
      writeFileSync(site.path(JOURNAL), journal.subarray(0, end), { mode: 0o600 });
      expect(await site.run(LINE)).toMatchObject({ code: 0, stderr: '' });
      expect(site.read('out.jsonl')).toBe(whole);
    }
  });

  it('with any one byte changed never gives another file', async () => {
    const { site, journal } = await stopped();
    const whole = records.map((record) => `${record}\n`).join('');
    const random = randomFrom(7);
    for (let round = 0; round < randomRuns(200); round++) {
      const bad = Buffer.from(journal);
      bad[random(bad.length)]! ^= 1 << random(8);
      writeFileSync(site.path(JOURNAL), bad, { mode: 0o600 });
      expect(await site.run(LINE)).toMatchObject({ code: 0, stderr: '' });
      expect(site.read('out.jsonl')).toBe(whole);
    }
  });
});
