import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resources } from '../../src/resources/listings.ts';
import type { Resource } from '../../src/resources/resource.ts';
import type { FakeContextOptions } from '../support/fake-context.ts';
import { customersOf, pageOf, runAnswered } from '../support/scripted-run.ts';

/** A record with all that people look for in any listing. */
const RECORD = JSON.stringify({
  ...{ id: 4711, number: 'F-1', date: '2026-01-02', createdAt: '2026-01-03', dueBy: '2026-02-01' },
  ...{ status: 'OVERDUE', totalAmount: 300, amountToBePaid: 200, amount: 100, overdueAmount: 50 },
  balance: 70,
  ...{ currency: 'CLP', documentType: '33', name: 'Ada', fiscalId: '3-5', email: 'ada@example.com' },
  ...{ phone: '+56', owner: { name: 'Eva' }, category: 'travel' },
  ...{ customer: { name: 'Roble', fiscalId: '1-9' }, issuer: { name: 'Alerce', fiscalId: '2-7' } },
});

function bodyAt(path: string): string {
  if (path.endsWith('portal-link')) return '{"link":"https://example.com/portal"}';
  if (path.endsWith('customers/4711')) return RECORD;
  if (path.endsWith('prepaid-expenses/4711')) return `{"id":4711,"assignedDocuments":[${RECORD}],"total":1}`;
  return path.endsWith('customers') ? customersOf([RECORD]) : pageOf([RECORD]);
}

const run = (argv: readonly string[], screen: FakeContextOptions = {}) =>
  runAnswered(argv, ({ pathname }) => bodyAt(pathname), screen);

/** The words of an example, without files: what is read from them or written to them. */
function withoutFiles(line: string): string[] {
  const bare = line.replaceAll(/ (?:-o|--receipt|--changes-since) \S+/g, '').replace('@suppliers.txt', '1-9');
  return [...bare.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!).slice(1);
}

describe.each(resources.map((resource): [string, Resource] => [resource.name, resource]))(
  '%s',
  (_, resource) => {
    it('has examples that are command lines of its own, each with what it answers', async () => {
      expect(resource.examples.length).toBeGreaterThan(1);
      for (const [line, answer] of resource.examples) {
        const { code, asked } = await run(withoutFiles(line));
        expect({ line, code }).toEqual({ line, code: 0 });
        expect(asked[0]?.startsWith(resource.path.replace('{id}', '4711'))).toBe(true);
        expect(answer).toMatch(/^[a-z][^.]+$/);
      }
      const help = await run([...withoutFiles(resource.examples[0]![0]), '--help']);
      expect(help.stdout).toContain(resource.examples[1]![0]);
      const { defaultOrder, records, label, byDate } = resource;
      for (const word of [defaultOrder, records, label, byDate?.field ?? 'none'])
        expect(word).toMatch(/^[a-z]/);
    });
  },
);

/** The names at the head of a table on a terminal of so many columns. */
async function headOf(argv: readonly string[], columns: number): Promise<string> {
  const { stdout } = await run([...argv, '--format', 'table'], { terminal: true, columns });
  return stripVTControlCharacters(stdout.split('\n')[0]!).trim().replaceAll(/ +/g, ' ');
}

it.each([
  [
    'issued',
    'number date dueBy customer.name totalAmount amountToBePaid currency status customer.fiscalId documentType id ',
    'number date customer total open cur status',
    'number,date,due,customer,total,open,cur,status,fiscal ID,type,F-1,2026-01-02,2026-02-01,Roble,300,200,CLP,OVERDUE,1-9,33',
  ],
  [
    'received',
    'number date dueBy issuer.name totalAmount amountToBePaid currency status issuer.fiscalId documentType id ',
    'number date issuer total open cur status',
    'number,date,due,issuer,total,open,cur,status,fiscal ID,type,F-1,2026-01-02,2026-02-01,Alerce,300,200,CLP,OVERDUE,2-7,33',
  ],
  [
    'customers',
    'name fiscalId balance overdueAmount currency email phone id ',
    'name fiscalId balance overdueAmount currency',
    'name,Ada',
  ],
  [
    'funds',
    'number name owner.name createdAt amount balance currency status id ',
    'number name owner.name amount balance cur status',
    'number,name,owner,amount,balance,cur,status,F-1,Ada,Eva,100,70,CLP,OVERDUE',
  ],
  [
    'funds documents 4711',
    'number date issuer.name totalAmount currency category documentType id ',
    'number date issuer.name totalAmount currency',
    'number,date,issuer,total,cur,category,type,F-1,2026-01-02,Alerce,300,CLP,travel,33',
  ],
])(
  'folio %s shows on a terminal what people look for, less of it where it is narrow',
  async (line, wide, narrow, named) => {
    const argv = line.split(' ');
    expect((await headOf(argv, 200)).slice(0, wide.length)).toBe(wide);
    expect(await headOf(argv, 50)).toBe(narrow);
    // Its words name the columns, too.
    const words = named.split(',');
    const columns = words.slice(0, words.length / 2).join();
    const { stdout } = await run([...argv, '--columns', columns, '--format', 'csv']);
    expect(stdout.trim().replaceAll('\n', ',')).toBe(named);
  },
);
