import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { needingTerminal, terminalsForTests } from '../support/in-terminal.ts';
import { quickly, startFaultServer } from '../support/run-against.ts';
import { fileOf } from '../support/temporary-folder.ts';
import { runStub } from '../support/scripted-run.ts';

const show = terminalsForTests();

/** Days from today as a date. */
function day(offset: number): string {
  const date = new Date();
  const local = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate() + offset);
  return new Date(local).toISOString().slice(0, 10);
}

const PAST = day(-1);
const FUTURE = day(1);

const INVOICES = (
  [
    ['PENDING', PAST, 1190000.5, 'Roble Ltda.'],
    ['PAID', PAST, 0, 'Quillay SpA'],
    ['PENDING', FUTURE, 7, 'Ñandú'],
  ] as const
).map(([status, due, amountToBePaid, name], index) => ({
  ...{ id: `7f1c${index}`, number: 10001 + index, date: '2024-11-01T00:00:00Z', currency: 'CLP' },
  ...{ totalAmount: 1190000.5, payments: [], status, dueBy: `${due}T00:00:00Z`, amountToBePaid },
  customer: { name },
}));

/** What a terminal of so many columns shows of the invoices, without colours. */
async function shown(
  columns: number,
  invoices: readonly object[] = INVOICES,
  { flags = [], env = { NO_COLOR: '1' } }: { flags?: string[]; env?: Record<string, string> } = {},
): Promise<string> {
  const file = fileOf(invoices.map((invoice) => `${JSON.stringify(invoice)}\n`).join(''), 'invoices.jsonl');
  const line = ['issued', '--from', file, '--no-progress', ...flags];
  const { code, screen } = await show(line, { columns, env });
  expect(code).toBe(0);
  return screen.replaceAll('\r\n', '\n');
}

describe.concurrent('a table of invoices on a terminal', needingTerminal, () => {
  it.each([
    [60, 'number date customer.name totalAmount open cur'],
    [80, 'number date dueBy customer.name totalAmount open cur status'],
    [100, 'number date dueBy customer.name totalAmount amountToBePaid currency status'],
  ])('of %i columns shows what an accountant looks for', async (columns, names) => {
    const lines = (await shown(columns)).split('\n');
    expect(lines[0]!.trim().replaceAll(/ +/g, ' ')).toBe(names);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.filter((line) => line.startsWith('Not shown'))).toHaveLength(1);
  });

  it('of 80 columns keeps date, party, amounts and status where types mix, and leaves out what is due', async () => {
    const mixed = ['INVOICE', 'CREDIT_NOTE', 'DEBIT_NOTE'].map((documentType, index) => ({
      ...INVOICES[index]!,
      documentType,
      // To tell them apart would take the room of the date.
      customer: { name: `Constructora Pacífico Sur y Compañía ${index}` },
    }));
    expect(await shown(80, mixed)).toMatch(
      /^number +type +date +customer\S* +totalAmount +open +cur +status\n[^]*10002 +CREDIT_N… +2024-11-01 +Constr[^]*\n\nNot shown: dueBy, id/,
    );
    expect(await shown(130, mixed)).toContain('CREDIT_NOTE');
    // Types stay apart, and names that do not still read well.
    const notes = ['NOTA_CREDITO', 'NOTA_DEBITO'].map((documentType, at) => ({
      ...mixed[at]!,
      documentType,
    }));
    expect(await shown(80, notes)).toMatch(/ NOTA_C.* 2024-11-01 +Constructora Pa…[^]* NOTA_D.* 2024-11-01 /);
  });

  it('of what is open keeps what is due before its status', async () => {
    const wide = INVOICES.map((invoice) => ({ ...invoice, totalAmount: 11_190_000.5 }));
    expect(await shown(72, wide)).not.toContain(PAST);
    expect(await shown(72, wide, { flags: ['--open'] })).toContain(PAST);
  });

  it('leaves out a column before it cuts two names to the same text', async () => {
    const named = ['Librería Santa Inés del Maipo Ltda.', 'Librería Santa Inés del Maule Ltda.'].map(
      (name, index) => ({ ...INVOICES[index]!, customer: { name } }),
    );
    const apart = await shown(80, named);
    expect(apart).toContain('Librería Santa Inés del Mai');
    expect(apart).toContain('Librería Santa Inés del Mau');
    expect(apart).toMatch(/Not shown: .*status/);
    for (const line of apart.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(await shown(120, named)).toMatch(/Maipo Ltda\. .*PENDING/);
  });

  const NUMBERS = ['9'.repeat(16), 'F001-00000000012345678', '0b1c7b4e-9c2f-4ad1-8f7d-6f1a2b3c4d5e'];
  it.each(NUMBERS)('shows the number of a document whole: %s', async (number) => {
    const numbered = INVOICES.map((one, at) => ({ ...one, number: `${number}${at}`.slice(-36) }));
    const screen = await shown(60, numbered);
    for (const { number: whole } of numbered) expect(screen).toContain(whole);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('takes a terminal that says nothing of its width for one of 80 columns', async () => {
    expect(await shown(0)).toBe(await shown(80));
  });

  it('shows days as days, and marks what is past due where there are no colours', async () => {
    expect(await shown(90)).toBe(`\
number date       dueBy       customer.name totalAmount amountToBePaid currency status
────── ────────── ─────────── ───────────── ─────────── ────────────── ──────── ───────
 10001 2024-11-01 ${PAST}! Roble Ltda.   1,190,000.5    1,190,000.5 CLP      PENDING
 10002 2024-11-01 ${PAST}  Quillay SpA   1,190,000.5              0 CLP      PAID
 10003 2024-11-01 ${FUTURE}  Ñandú         1,190,000.5              7 CLP      PENDING

! past due
Not shown: id, payments · --columns, --wide
`);
  });

  it('marks what is past due also where its due date is a point in time that is cut', async () => {
    const timed = INVOICES.map((one) => ({ ...one, dueBy: one.dueBy.replace('00:00:00', '15:30:00') }));
    const screen = await shown(80, timed);
    expect(screen).toContain(`${PAST}! `);
    expect(screen).toContain(`${FUTURE}… `);
    expect(screen).toContain('! past due');
  });

  it('shows what is past due in red, whatever the status, and nothing else', async () => {
    const screen = await shown(90, INVOICES, { env: {} });
    const red = [...screen.matchAll(/\u001b\[1;31m(.*?)\u001b/g)].map(([, text]) => text);
    expect(red).toEqual([PAST, '1,190,000.5']);
    expect(stripVTControlCharacters(screen)).not.toContain('!');
  });
});

describe('a result on a terminal', () => {
  const BOOK = Array.from({ length: 12 }, (_, n) =>
    JSON.stringify({
      ...{ id: `66827d4ebde3eaf13af9dc${n}`, number: 1_234_560 + n, date: '2026-10-15T00:00:00Z' },
      ...{ dueBy: n === 3 ? null : '2026-11-14', documentType: n === 5 ? 'CREDIT_NOTE' : 'INVOICE' },
      ...{ status: 'PARTIALLY_PAID', currency: 'CLP', netAmount: 1_234_567_890 + n, taxAmount: 234_567_899 },
      ...{ totalAmount: 1_469_135_789 + n, amountToBePaid: 1_469_135_789 },
      receiverFiscalId: `76543210${n}-K`,
      customer: { name: `Sociedad de Inversiones y Servicios del Norte Grande ${n} Limitada` },
    }),
  );
  const from = fileOf(BOOK.join('\n'), 'book.jsonl');
  const earlier = fileOf(BOOK.slice(2).join('\n').replaceAll('1469135789', '987654321'), 'earlier.jsonl');
  const listed = ['n,t', '1234561,1469135790', '1234562,1469135799', '9999999,987654321'];
  const rows = listed.map((row, at) => `${row},${at === 0 ? 'd' : '2026-10-15'}\n`);
  const list = fileOf(rows.join(''), 'list.csv');
  const match = 'number=n,total=t,date=d,documentType==33,currency==CLP';

  it.each([
    [7, ['reconcile', list, '--against', 'issued', '--match', match], '1,469,135,799'],
    [0, ['statement', '--all'], '2026-11-14'],
    [0, ['aging'], '1,469,135,789'],
    [0, ['issued', '--changes-since', earlier], '1,469,135,789'],
    [0, ['issued', '--group-by', 'counterpartyFiscalId', '--sum', 'total,net,tax'], '765432109-K'],
    [0, ['issued', '--columns', 'notes,id,date,dueBy,receiverFiscalId,Saldo=amountToBePaid'], '2026-10-15'],
  ])(
    'exits with %i and shows no part of a date, an amount, a fiscal ID or a head: %j',
    async (code, args, whole) => {
      for (const columns of [40, 60, 80, 100, 110, 120, 160]) {
        const options = { terminal: true, columns, env: { LANG: 'C.UTF-8', NO_COLOR: '1' } };
        const { code: ended, stdout } = await runStub([...args, '--from', from], {}, options);
        const lines = stdout.split('\n');
        expect(lines.filter((line) => line.length > columns)).toEqual([]);
        expect(lines.filter((line) => /[\d,.-]…/.test(line.replaceAll(/[0-9a-f]{5,}…/g, '')))).toEqual([]);
        expect([ended, lines[0]]).toEqual([code, expect.not.stringContaining('…')]);
        if (columns >= 60) expect(stdout).toContain(whole);
      }
    },
  );

  const LATE = [-5, 10, 40, 70, 100].flatMap((late, n) =>
    ['Norte', 'Sur'].map((end) =>
      JSON.stringify({
        ...{ number: n, documentType: 'INVOICE', currency: 'CLP', dueBy: day(-late), date: '2024-01-02' },
        ...{ totalAmount: 9_000_000, amountToBePaid: 1_234_567 },
        customer: { name: `Inmobiliaria del ${end}` },
      }),
    ),
  );
  const CREDIT = LATE[0]!.replace('INVOICE', 'CREDIT_NOTE').replaceAll('1234567', '0');
  const late = fileOf([...LATE, CREDIT].join('\n'), 'late.jsonl');
  const onTerminal = async (columns: number, args: readonly string[], from = late): Promise<string> => {
    const options = { terminal: true, columns, env: { LANG: 'C.UTF-8', NO_COLOR: '1' } };
    const { code, stdout } = await runStub([...args, '--from', from], {}, options);
    expect(code).toBe(0);
    return stdout;
  };

  it('of ages has columns that add up to the total, or one of what is overdue, at any width', async () => {
    const added: string[] = [];
    for (let columns = 50; columns <= 130; columns += 4) {
      const [head = '', , ...rows] = (await onTerminal(columns, ['aging'])).split('\n');
      const names = head.match(/not due|\d+ to \d+|over 90|overdue|total/g) ?? [];
      const amounts = rows
        .slice(0, 3)
        .map((row) => row.match(/\b[\d,]+\b/g)!.map((text) => Number(text.replaceAll(',', ''))));
      for (const row of amounts) {
        const [total, ...parts] = row.slice(-names.length).toReversed();
        if (parts.length > 1)
          expect([columns, parts.reduce((sum, part) => sum + part, 0)]).toEqual([columns, total]);
      }
      expect(names.slice(0, -1)).not.toEqual([expect.stringMatching(/not due|\d/)]);
      added.push(names.join());
    }
    expect(new Set(added).size).toBeGreaterThan(2);
  });

  it('of totals shows each total that was asked for before what is beside one', async () => {
    const args = ['issued', '--sum', 'totalAmount,amountToBePaid', '--group-by', 'customer.name'];
    const [head] = (await onTerminal(72, args)).split('\n');
    expect(head!.trim()).toMatch(/^customer.name +currency +records +totalAmount +amountToBePaid$/);
  });
});

const SIXTY = Array.from({ length: 60 }, (_, n) => `{"id":"i${n}","number":${1000 + n},"date":"2026-01-05"}`);

/** What the service was asked, and what a terminal showed. */
async function asked(args: readonly string[]): Promise<{ queries: string[]; screen: string }> {
  const server = await startFaultServer({ issued: SIXTY, received: SIXTY });
  const line = quickly([...args, '--no-progress'], server);
  const { code, screen } = await show(line, { env: { NO_COLOR: '1' } });
  expect(code).toBe(0);
  const queries = server.requests.map(({ url }) => url.search.slice(1).replaceAll('options_', ''));
  return { queries, screen };
}

describe.concurrent('the newest', needingTerminal, () => {
  it.each([
    [['issued'], 'sortBy=DATE&sortOrder=DESC', '50 of 60, newest first · --all for the rest\r\n'],
    [['received', '--limit', '5'], 'sortBy=DATE&sortOrder=DESC', '5 of 60, newest first\r\n'],
    [['issued', '--sort-by', 'number'], 'sortBy=NUMBER', '50 of 60 · --all for the rest\r\n'],
    [['issued', '--sort-order', 'asc'], 'sortOrder=ASC', '50 of 60 · --all for the rest\r\n'],
    [['issued', '--param', 'options_sortBy=AMOUNT'], 'sortBy=AMOUNT', '50 of 60 · --all for the rest\r\n'],
    [['issued', '--where', 'number<=1001'], 'sortBy=DATE&sortOrder=DESC', '2 of 60, newest first\r\n'],
    [['issued', '--where', 'number=9'], 'sortBy=DATE&sortOrder=DESC', 'number goes from 1000 to 1059\r\n'],
    [['issued', '--format', 'csv', '--limit', '5'], '', ''],
  ])('come first on a terminal, unless another order is asked for: %j', async (args, sorted, footer) => {
    const { queries, screen } = await asked(args);
    const order = queries.map((query) =>
      query
        .split('&')
        .filter((part) => part.startsWith('sort'))
        .join('&'),
    );
    expect(order).toEqual([sorted]);
    expect(screen.slice(screen.length - footer.length)).toBe(footer);
    expect(screen.includes('newest')).toBe(footer.includes('newest'));
  });

  it('cost one request, of as many records as are shown', async () => {
    const { queries } = await asked(['issued', '--limit', '5']);
    expect(queries).toEqual(['page=0&pageSize=5&sortBy=DATE&sortOrder=DESC']);
  });

  it('are what the sandbox shows', async () => {
    const { screen } = await show(['issued', '--sandbox', '--limit', '2', '--columns', 'date']);
    const dates = [...screen.matchAll(/\d{4}-\d\d-\d\d/g)].map(([date]) => date);
    expect(dates).toHaveLength(2);
    expect(dates).toEqual(dates.toSorted().toReversed());
    expect(dates[0]!.localeCompare('2026')).toBe(1);
  });
});
