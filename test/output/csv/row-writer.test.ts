import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendToRows, RowCounter } from '../../../src/output/csv/row-writer.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { ModelService } from '../../support/model-service.ts';
import { withServer } from '../../support/run-against.ts';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const appended = (rows: string, tail: string) => appendToRows(Buffer.from(rows), tail, true).toString();

describe('appendToRows', () => {
  it('completes each row before its end', () => {
    expect(appended('a,b\n,\nc,d\n', ',,')).toBe('a,b,,\n,,,\nc,d,,\n');
    expect(appended('\n\n', ',')).toBe(',\n,\n');
    expect(appended('', ',')).toBe('');
  });

  it('takes line breaks and quotes within quotes for text', () => {
    expect(appended('"a\nb",c\n"""\n""",""\n', ',')).toBe('"a\nb",c,\n"""\n""","",\n');
  });

  it('knows rows that end with CR LF, and delimiters of several bytes', () => {
    expect(appended('a;"\r\n"\r\n\r\n', ';')).toBe('a;"\r\n";\r\n;\r\n');
    expect(appended('a§b\n', '§§')).toBe('a§b§§\n');
  });

  it('fills in only blank rows where there is one column', () => {
    expect(appended('a\n\n"\n"\n', '""')).toBe('a\n""\n"\n"\n');
    expect(appended('\r\na\r\n', '""')).toBe('""\r\na\r\n');
  });
});

describe('the rows of a file', () => {
  /** How many there are, and whether the last one is whole, in a file that comes in one piece or byte by byte. */
  const counted = (text: string, quotes = true): [rows: number, isWhole: boolean] => {
    const [atOnce, inBytes] = [new RowCounter(quotes), new RowCounter(quotes)];
    atOnce.add(Buffer.from(text));
    for (const byte of Buffer.from(text)) inBytes.add(Buffer.of(byte));
    expect([inBytes.rows, inBytes.isWhole]).toEqual([atOnce.rows, atOnce.isWhole]);
    return [atOnce.rows, atOnce.isWhole];
  };

  it('end with a line feed that is outside of quotes', () => {
    expect(counted('')).toEqual([0, true]);
    expect(counted('a,b\n')).toEqual([1, true]);
    expect(counted('a\r\n\n"b\n""c"\nd\n')).toEqual([4, true]);
    expect(counted('a\nb')).toEqual([1, false]);
    expect(counted('a\n"b\n')).toEqual([1, false]);
  });

  it('may have quotes that are text in tsv', () => {
    expect(counted('a"\nb\n', false)).toEqual([2, true]);
  });
});

describe('a file with more rows than memory is for', () => {
  const LATE = [5_500, 5_999];
  const issued = Array.from({ length: 6_000 }, (_, at) => {
    const late = LATE.includes(at) ? { [`late ${at}`]: '' } : {};
    return JSON.stringify({ id: at, note: `"${at}"\n${'.'.repeat(900)}`, ...late });
  });

  it.each([['csv', []] as const, ['csv', ['--excel']] as const, ['tsv', ['--no-header']] as const])(
    'has the same bytes as standard output in %s %j, where columns appear late',
    async (format, flags) => {
      const folder = temporaryFolder();
      const [output, receipt] = [join(folder, `all.${format}`), join(folder, 'receipt.json')];
      const server = await startFaultServer(new ModelService({ issued }));
      await withServer(server, async () => {
        const options = { env: { FOLIO_BASE_URL: server.baseUrl } };
        const asked = ['issued', '--format', format, ...flags];
        const { stdout } = await runHere(asked, options);
        const { code, stderr } = await runHere([...asked, '-o', output, '--receipt', receipt], options);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        const written = readFileSync(output);
        expect(written.length).toBeGreaterThan(5 * 2 ** 20);
        expect(written.equals(Buffer.from(stdout))).toBe(true);
        const sha256 = createHash('sha256').update(written).digest('hex');
        expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ bytes: written.length, sha256 });
        expect(readdirSync(folder).toSorted()).toEqual([`all.${format}`, 'receipt.json']);
      });
    },
  );
});
