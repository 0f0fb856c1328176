import { chmodSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { Journal } from '../../src/output/journal.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const clock = new FakeClock();

interface Kept {
  readonly head: unknown;
  readonly text: string;
  readonly end: number;
}

async function contents(path: string): Promise<Kept[]> {
  const journal = await Journal.open(path, clock);
  const kept: Kept[] = [];
  for await (const { head, body, end } of journal.entries()) kept.push({ head, text: body.toString(), end });
  await journal.close();
  return kept;
}

async function write(path: string, texts: readonly string[]): Promise<void> {
  const journal = await Journal.open(path, clock);
  for await (const entry of journal.entries()) expect(entry.end).toBeGreaterThan(0);
  for (const text of texts) await journal.append({ head: { text }, body: Buffer.from(text) });
  await journal.close();
}

describe('Journal', () => {
  it('gives back what was written, over several openings, and is private', async () => {
    const path = join(temporaryFolder(), 'journal');
    await write(path, ['', 'one\n', '{"two":"\n\n"}']);
    await write(path, ['ñandú', 'x'.repeat(10_000)]);
    const texts = ['', 'one\n', '{"two":"\n\n"}', 'ñandú', 'x'.repeat(10_000)];
    expect((await contents(path)).map(({ head, text }) => ({ head, text }))).toEqual(
      texts.map((text) => ({ head: { text }, text })),
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('passes over what is torn at the end, at whatever byte', async () => {
    const path = join(temporaryFolder(), 'journal');
    await write(path, ['first', 'second', 'third']);
    const whole = readFileSync(path);
    const [, second, third] = await contents(path);
    for (let end = second!.end; end < third!.end; end++) {
      writeFileSync(path, whole.subarray(0, end));
      expect((await contents(path)).map(({ text }) => text)).toEqual(['first', 'second']);
    }
  });

  it('passes over an entry of which a byte is another, and all behind it', async () => {
    const path = join(temporaryFolder(), 'journal');
    await write(path, ['first', 'second', 'third']);
    const whole = readFileSync(path);
    const [first, second] = await contents(path);
    // The line feed behind the body is not sealed: it is there for people.
    for (let at = first!.end; at < second!.end - 1; at++) {
      const bad = Buffer.from(whole);
      bad[at]! ^= 1;
      writeFileSync(path, bad);
      expect((await contents(path)).map(({ text }) => text)).toEqual(['first']);
    }
  });

  it('goes on behind where it was cut', async () => {
    const path = join(temporaryFolder(), 'journal');
    await write(path, ['first', 'second', 'a third one that is longer']);
    const [first] = await contents(path);
    const journal = await Journal.open(path, clock);
    await journal.cutAt(first!.end);
    await journal.append({ head: {}, body: Buffer.from('2') });
    await journal.close();
    expect((await contents(path)).map(({ text }) => text)).toEqual(['first', '2']);
  });

  it('is empty where the head says more bytes than there are', async () => {
    const path = join(temporaryFolder(), 'journal');
    await write(path, ['first']);
    const text = readFileSync(path, 'utf8').replace(' 5 {', ' 999999999999999 {');
    writeFileSync(path, text);
    expect(await contents(path)).toEqual([]);
    truncateSync(path, 0);
    expect(await contents(path)).toEqual([]);
  });

  it('refuses a link, and a file that others can write', async () => {
    const folder = temporaryFolder();
    const [path, link] = [join(folder, 'journal'), join(folder, 'link')];
    await write(path, ['first']);
    symlinkSync(path, link);
    await expect(Journal.open(link, clock)).rejects.toThrow(OutputError);
    chmodSync(path, 0o620);
    await expect(Journal.open(path, clock)).rejects.toThrow('others can write it');
  });

  it('is opened on Windows, where every file seems open to all', async () => {
    const path = join(temporaryFolder(), 'journal');
    await write(path, ['first']);
    chmodSync(path, 0o666);
    const journal = await Journal.open(path, clock, 'win32');
    const texts: string[] = [];
    for await (const { body } of journal.entries()) texts.push(body.toString());
    await journal.close();
    expect(texts).toEqual(['first']);
  });

  it('says which folder is missing', async () => {
    const path = join(temporaryFolder(), 'gone', 'journal');
    await expect(Journal.open(path, clock)).rejects.toThrow(/gone.*ENOENT/);
  });
});
