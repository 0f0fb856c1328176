import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DigestReader } from '../../src/json/digest-identity.ts';
import { IdentityReader } from '../../src/json/identity.ts';
import { open } from '../database/try-sync.ts';
import { randomFrom, randomRuns } from '../support/random-runs.ts';
import { batchOf } from '../support/records.ts';
import { pageOf, runScripted } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Draw = (below: number) => number;

/** What a record holds: of a number the literal, of a link what it is signed for. */
type Value =
  | string
  | number
  | null
  | { readonly literal: string }
  | { readonly file: string }
  | Value[]
  | Members;
interface Members {
  readonly members: Readonly<Record<string, Value>>;
}

function valueOf(number: number, draw: Draw): Members['members'] {
  return {
    name: `Ñandú/${draw(9)} "SpA"`,
    amount: { literal: `${draw(100)}.50` },
    count: 5,
    none: null,
    customer: { members: { name: `C ${draw(9)}`, code: null, 'a.b': 'dotted' } },
    empty: { members: { nothing: null } },
    lines: [{ members: { a: `x${number}`, b: null, c: { literal: '1.0' } } }, null],
    pdf: { file: `/f/${number}` },
    files: [{ members: { fileUrl: { file: `/g/${number}` }, type: 'pdf' } }],
    site: `https://acme.example/?page=${number}`,
  };
}

/** Something else in a record: each of these is a change. */
const EDITS: readonly ((members: Members['members']) => Members['members'])[] = [
  (members) => ({
    ...members,
    amount: { literal: `${(members['amount'] as { literal: string }).literal}1` },
  }),
  (members) => ({ ...members, count: '5' }),
  (members) => ({ ...members, name: 'Another' }),
  (members) => ({ ...members, none: '' }),
  (members) => ({ ...members, site: 'https://acme.example/?page=0' }),
  (members) => ({ ...members, lines: [...(members['lines'] as Value[]), null] }),
  (members) => ({ ...members, customer: { members: { name: 'Another' } } }),
  (members) => ({ ...members, count: null }),
];

/** One of the many texts of a record. */
function spelt(value: Value, draw: Draw): string {
  const space = draw(20) === 0 ? ' ' : '';
  if (value === null) return `${space}null`;
  if (typeof value === 'number') return `${space}${value}`;
  if (typeof value === 'string') return `${space}${speltText(value, draw)}`;
  if (Array.isArray(value)) return `[${value.map((item) => spelt(item, draw)).join(`,${space}`)}${space}]`;
  if ('literal' in value) return `${value.literal}${draw(4) === 0 ? '0' : ''}${space}`;
  if ('file' in value) {
    if (draw(9) === 0) return 'null';
    const query = `a=b${draw(2) === 0 ? '&' : '\\u0026'}signature=${draw(1e6)}`;
    return `"https:${draw(2) === 0 ? '//' : '\\/\\/'}h${draw(9)}.example${value.file}?${query}"`;
  }
  const members = Object.entries(value.members).filter(([, member]) => member !== null || draw(2) === 0);
  const texts = members.map(([name, member]) => {
    // A link is known by this name as it is usually written.
    const key = name === 'fileUrl' ? '"fileUrl"' : speltText(name, draw);
    return `${key}${space}:${spelt(member, draw)}`;
  });
  return `{${texts.sort(() => draw(3) - 1).join(`${space},`)}}`;
}

function speltText(text: string, draw: Draw): string {
  const escaped = draw(3) === 0;
  return JSON.stringify(text).replaceAll(/(?<!\\)[a-z/]/g, (letter) =>
    escaped && draw(5) === 0 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
  );
}

interface Pair {
  readonly id: number;
  readonly before: string;
  readonly after: string;
  readonly isChanged: boolean;
}

function randomPair(id: number, draw: Draw): Pair {
  const value = valueOf(id, draw);
  const edit = draw(3) === 0 ? EDITS[draw(EDITS.length)]! : undefined;
  const isText = draw(6) === 0;
  return {
    id,
    before: spelt({ members: { id, ...value } }, draw),
    after: spelt({ members: { id: isText ? String(id) : id, ...(edit?.(value) ?? value) } }, draw),
    isChanged: edit !== undefined || isText,
  };
}

/** The ids of the changed records by `--changes-since`, which must call none added or gone. */
async function changesOf(pairs: readonly Pair[], folder: string): Promise<number[]> {
  const file = join(folder, 'old.jsonl');
  writeFileSync(file, pairs.map(({ before }) => `${before}\n`).join(''));
  const page = pageOf(pairs.map(({ after }) => after));
  const argv = ['issued', '--changes-since', file, '--format', 'jsonl'];
  const { code, stdout } = await runScripted(argv, [page]);
  expect(code).toBe(0);
  const rows = stdout.split('\n').filter(Boolean);
  const changes = rows.map((row) => JSON.parse(row) as { readonly _change: string; readonly id: unknown });
  expect(changes.map((row) => row._change)).toEqual(changes.map(() => 'changed'));
  return [...new Set(changes.map((row) => Number(row.id)))];
}

/** The same by `sync`. */
async function syncedOf(pairs: readonly Pair[], folder: string): Promise<number[]> {
  const path = join(folder, 'books.db');
  for (const which of ['before', 'after'] as const) {
    const page = pageOf(pairs.map((pair) => pair[which]));
    const { code, stderr } = await runScripted(['sync', path, 'issued'], [page]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  }
  const database = await open(path);
  const rows = await database.query('SELECT _key, _change FROM issued_history');
  // What is only spelt in another way is stored as it came last.
  const [stored] = await database.query('SELECT count(*) FROM issued WHERE _gone_run IS NULL');
  await database.close();
  expect(Number(stored![0])).toBe(pairs.length);
  expect(rows.map(([, change]) => change)).toEqual(rows.map(() => 'changed'));
  return rows.map(([key]) => Number(key)).sort((a, b) => a - b);
}

/** A walk may take a respelt record for a changed one, but no changed one for the same. */
function expectOfWalk({ before, after, isChanged }: Pair): void {
  for (const newReader of [() => new IdentityReader(), () => new DigestReader()]) {
    const [one, other] = [before, after].map((text) => newReader().read(batchOf(text), 0));
    expect(one!.key()).toBe(other!.key());
    if (isChanged) expect(one!.content()).not.toBe(other!.content());
  }
}

it('is the same record, and says the same, to the walk, --changes-since and sync', async () => {
  for (let run = 0; run < randomRuns(50); run++) {
    const draw = randomFrom(1000 + run);
    const pairs = Array.from({ length: 24 }, (_, at) => randomPair(at + 1, draw));
    const changed = pairs.filter(({ isChanged }) => isChanged).map(({ id }) => id);
    const folder = temporaryFolder();
    expect(await changesOf(pairs, folder)).toEqual(changed);
    expect(await syncedOf(pairs, folder)).toEqual(changed);
    for (const pair of pairs) expectOfWalk(pair);
  }
});

it('compares records whose members are named by data, more names in all than a table has columns', async () => {
  const members = (name: string, from: number): string[] =>
    Array.from({ length: 600 }, (_, at) => `"${name}${from}.${at}":${at}`);
  const records = (name: string): string[] =>
    Array.from({ length: 10 }, (_, at) => `{"id":${at},"by":{${members(name, at).join(',')}}}`);
  const folder = temporaryFolder();
  const after = records('new');
  const pairs = records('old').map((before, id) => ({ id, before, after: after[id]!, isChanged: true }));
  expect(await changesOf(pairs, folder)).toEqual(pairs.map(({ id }) => id));
});
