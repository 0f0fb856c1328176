import { describe, expect, it } from 'vitest';
import { appendToRows } from '../../../src/output/csv/row-writer.ts';

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
