import { describe, expect, it } from 'vitest';
import { appendToRows } from '../../../src/output/csv/row-writer.ts';

const mended = (rows: string, tail: string) => appendToRows(Buffer.from(rows), tail, true).toString();

describe('mendRows', () => {
  it('completes each row before its end', () => {
    expect(mended('a,b\n,\nc,d\n', ',,')).toBe('a,b,,\n,,,\nc,d,,\n');
    expect(mended('\n\n', ',')).toBe(',\n,\n');
    expect(mended('', ',')).toBe('');
  });

  it('takes line breaks and quotes within quotes for text', () => {
    expect(mended('"a\nb",c\n"""\n""",""\n', ',')).toBe('"a\nb",c,\n"""\n""","",\n');
  });

  it('knows rows that end with CR LF, and delimiters of several bytes', () => {
    expect(mended('a;"\r\n"\r\n\r\n', ';')).toBe('a;"\r\n";\r\n;\r\n');
    expect(mended('a§b\n', '§§')).toBe('a§b§§\n');
  });

  it('fills in only blank rows where there is one column', () => {
    expect(mended('a\n\n"\n"\n', '""')).toBe('a\n""\n"\n"\n');
    expect(mended('\r\na\r\n', '""')).toBe('""\r\na\r\n');
  });
});
