import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { writeNewFolder } from '../../../src/output/files/new-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { destinationContext } from '../destination-context.ts';

function emptyFolder(): string {
  const path = join(temporaryFolder(), 'pages');
  mkdirSync(path);
  return path;
}

type Build = Parameters<typeof writeNewFolder>[2];

function write(path: string, build: Build): ReturnType<typeof writeNewFolder> {
  return writeNewFolder(path, destinationContext(), build);
}

/** The folder in which the files of `path` are until it appears. */
function stagingOf(path: string): string {
  const name = readdirSync(dirname(path)).find((name) => name.endsWith('.folio-tmp'));
  return join(dirname(path), name!);
}

it('appears whole, as those may see it who might see the empty one, and leaves nothing beside', async () => {
  const path = emptyFolder();
  chmodSync(path, 0o750);
  const files = await write(path, async (write) => {
    await write('One.html', 'one');
    await write('índex.html', 'é');
    expect(readdirSync(path)).toEqual([]);
    expect(statSync(stagingOf(path)).mode & 0o777).toBe(0o750);
  });
  expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['One.html', 3],
    ['índex.html', 2],
  ]);
  expect(readFileSync(join(path, 'One.html'), 'utf8')).toBe('one');
  expect(statSync(path).mode & 0o777).toBe(0o750);
  expect(readdirSync(dirname(path))).toEqual(['pages']);
});

it.each<readonly [string, (path: string) => void, string]>([
  ['the build fails', () => {}, 'the build failed'],
  ['somebody puts a file there', (path) => writeFileSync(join(path, 'theirs'), ''), 'cannot write '],
  ['another run takes it over', (path) => writeFileSync(lockOf(path), 'theirs'), 'took it over'],
  ['another folder is put in its place', (path) => exchange(stagingOf(path)), 'was put in its place'],
])('leaves what was there where %s', async (what, meanwhile, message) => {
  const path = emptyFolder();
  const building = write(path, async (write) => {
    await write('One.html', 'one');
    meanwhile(path);
    if (what === 'the build fails') throw new Error('the build failed');
  });
  await expect(building).rejects.toThrow(message);
  expect(readdirSync(path)).toEqual(what.includes('a file') ? ['theirs'] : []);
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.folio-tmp'))).toEqual([]);
});

const lockOf = (path: string): string => join(dirname(path), '.pages.folio-lock');

function exchange(path: string): void {
  renameSync(path, `${path}-theirs`);
  mkdirSync(path);
}

it('is written by one run at a time', async () => {
  const path = emptyFolder();
  await write(path, async () => {
    await expect(write(path, async () => {})).rejects.toThrow('is writing');
  });
});

it('removes what a killed run left of it, and nothing else', async () => {
  const path = emptyFolder();
  const left = join(dirname(path), '.pages.5000002-aaaaaaaa.folio-tmp');
  const others = ['.pages.old', '.other.5000002-aaaaaaaa.folio-tmp'];
  for (const folder of [left, ...others.map((name) => join(dirname(path), name))]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'One.html'), 'half');
  }
  await write(path, async (write) => write('One.html', 'one'));
  expect(readdirSync(dirname(path)).toSorted()).toEqual([...others, 'pages'].toSorted());
});

it('takes the place of the folder that a link leads to, and leaves the link', async () => {
  const path = emptyFolder();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(path, link);
  await write(link, async (write) => write('One.html', 'one'));
  expect(readdirSync(path)).toEqual(['One.html']);
  expect(readdirSync(dirname(link))).toEqual(['link']);
  rmSync(path, { recursive: true });
  await expect(write(link, async () => {})).rejects.toThrow(`cannot write ${link}`);
});
