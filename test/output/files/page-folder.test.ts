import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PageFolder, type FolderPage } from '../../../src/output/files/page-folder.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PAGE: FolderPage = { key: 'one', file: 'One.html', facts: { name: 'One' } };
const LIST = '.folio-pages.jsonl';

async function inFolder<Result>(
  path: string,
  work: (folder: PageFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await PageFolder.open(path, fakeContext(), ['index.html']);
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

describe('a folder of pages', () => {
  it('remembers its pages, and leaves nothing else behind', async () => {
    const path = temporaryFolder();
    const { bytes } = await inFolder(path, (folder) => folder.write(PAGE, 'text'));
    expect(bytes).toBe(4);
    expect(readdirSync(path).toSorted()).toEqual([LIST, 'One.html']);
    await inFolder(path, async (folder) => {
      expect(folder.pages).toMatchObject([PAGE]);
      expect(await folder.mayReplace('One.html')).toBe(true);
      expect(await folder.nameOf('one', 'Other', () => {})).toBe('One.html');
      expect(await folder.nameOf('two', 'one', () => {})).toBe('one-2.html');
      expect(await folder.nameOf('three', 'INDEX', () => {})).toBe('INDEX-2.html');
    });
  });

  it('knows its page whichever of two contents a kill left', async () => {
    const path = temporaryFolder();
    await inFolder(path, (folder) => folder.write(PAGE, 'old'));
    const before = readFileSync(join(path, LIST), 'utf8');
    await inFolder(path, (folder) => folder.write(PAGE, 'new'));
    const after = readFileSync(join(path, LIST), 'utf8');
    const hashes = [before, after].map((text) => (JSON.parse(text) as { hashes: string[] }).hashes);
    expect(hashes.map(({ length }) => length)).toEqual([1, 1]);
    // The line was added, and the file has not got its name yet; then it has, and the list was not written anew.
    const line = { ...(JSON.parse(after) as object), hashes: hashes.flat() };
    writeFileSync(join(path, LIST), `${before}\n${JSON.stringify(line)}\n`);
    for (const text of ['old', 'new']) {
      writeFileSync(join(path, 'One.html'), text);
      expect(await inFolder(path, (folder) => folder.mayReplace('One.html'))).toBe(true);
    }
    writeFileSync(join(path, 'One.html'), 'mine');
    await inFolder(path, async (folder) => {
      expect(await folder.mayReplace('One.html')).toBe(false);
      expect(await folder.has(PAGE)).toBe(false);
      await expect(folder.write(PAGE, 'x')).rejects.toThrow('another file was put there meanwhile');
    });
    expect(readFileSync(join(path, 'One.html'), 'utf8')).toBe('mine');
  });

  it('is used by one run at a time', async () => {
    const path = temporaryFolder();
    await inFolder(path, async () => {
      await expect(PageFolder.open(path, fakeContext(), [])).rejects.toThrow(/another run|is writing/);
    });
    expect(readdirSync(path)).toEqual([]);
  });

  it('follows no link that stands where its list should', async () => {
    const path = temporaryFolder();
    const other = join(temporaryFolder(), 'other');
    writeFileSync(other, 'mine');
    symlinkSync(other, join(path, LIST));
    await expect(PageFolder.open(path, fakeContext(), [])).rejects.toThrow('it is no file of folio');
    expect(readFileSync(other, 'utf8')).toBe('mine');
  });

  it('replaces a link in the place of a page only where it leads to what folio wrote, and never what it leads to', async () => {
    const path = temporaryFolder();
    const other = join(temporaryFolder(), 'other');
    writeFileSync(other, 'mine');
    symlinkSync(other, join(path, 'One.html'));
    await inFolder(path, async (folder) => {
      expect(await folder.mayReplace('One.html')).toBe(false);
      expect(await folder.nameOf('one', 'One', () => {})).toBe('One-2.html');
    });
    expect(readFileSync(other, 'utf8')).toBe('mine');
  });
});
