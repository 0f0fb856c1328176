import { posix, resolve, win32 } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanExtension,
  fileStem,
  safePageName,
  uniqueNames,
} from '../../../src/output/downloads/file-names.ts';
import { around, devices, traversals } from '../hostile-names.ts';
import { hasForbidden, hostileText } from '../hostile-text.ts';
import { randomRuns } from '../../support/random-runs.ts';

const named: readonly (readonly [stem: string, name: string])[] = [
  ['F-1001', 'F-1001-0f1e2d3c.pdf'],
  ['Ñandú 12/2024', 'Ñandú 12_2024-0f1e2d3c.pdf'],
  ['../../etc/passwd', '_.._etc_passwd-0f1e2d3c.pdf'],
  ['..\\..\\x', '_.._x-0f1e2d3c.pdf'],
  ['', 'file-0f1e2d3c.pdf'],
  ['..', 'file-0f1e2d3c.pdf'],
  [' . ', 'file-0f1e2d3c.pdf'],
  ['.bashrc', 'bashrc-0f1e2d3c.pdf'],
  ['-rf', 'rf-0f1e2d3c.pdf'],
  ['~root', 'root-0f1e2d3c.pdf'],
  ['a. . ', 'a. . -0f1e2d3c.pdf'],
  ['CON', '_CON-0f1e2d3c.pdf'],
  ['con.x', '_con.x-0f1e2d3c.pdf'],
  ['com1 .x', '_com1 .x-0f1e2d3c.pdf'],
  ['COM¹', '_COM¹-0f1e2d3c.pdf'],
  ['console', 'console-0f1e2d3c.pdf'],
  ['a\u0000b\nc', 'a_b_c-0f1e2d3c.pdf'],
  ['fdp.\u202eexe', 'fdp._exe-0f1e2d3c.pdf'],
  ['e\u0301', 'é-0f1e2d3c.pdf'],
  ['a\ud800b', 'a_b-0f1e2d3c.pdf'],
  ['a:b*c?d"e<f>g|h', 'a_b_c_d_e_f_g_h-0f1e2d3c.pdf'],
  ['x'.repeat(300), `${'x'.repeat(65)}-0f1e2d3c.pdf`],
  ['漢'.repeat(100), `${'漢'.repeat(21)}-0f1e2d3c.pdf`],
  ['😀'.repeat(100), `${'😀'.repeat(16)}-0f1e2d3c.pdf`],
];

/** What is wrong with a name, by rules of its own; none of them a rule of the code. */
function faultsOf(name: string): string[] {
  const rules: readonly (readonly [fault: string, isSo: boolean])[] = [
    ['leaves the folder', resolve('/downloads', name) !== `/downloads/${name}`],
    ['leaves the folder on Windows', win32.resolve('C:\\downloads', name) !== `C:\\downloads\\${name}`],
    ['is not one segment', posix.basename(name) !== name || win32.basename(name) !== name],
    ['holds what Windows forbids', /[<>:"/\\|?*]/.test(name)],
    ['begins or ends badly', /^[.~\s-]|[.\s]$/.test(name)],
    ['is a device', /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(name.split('.')[0]!.trim())],
    ['holds what is not seen', hasForbidden(name)],
    ['is not NFC', name.normalize('NFC') !== name],
    ['is too long', Buffer.byteLength(name) > 150],
  ];
  return rules.filter(([, isSo]) => isSo).map(([fault]) => fault);
}

/** The name of a file of such a number. */
const nameOf = (number: string, id?: string): string => `${fileStem([number, id], '0f1e2d3c')}.pdf`;

describe('fileStem', () => {
  it.each(named)('makes of %j %s', (stem, name) => {
    expect(nameOf(stem)).toBe(name);
    expect(faultsOf(name)).toEqual([]);
  });

  it('makes a safe name of any text', () => {
    const part = fc.oneof(
      hostileText,
      fc.constantFrom(...traversals, ...devices, ...around),
      fc.string({ unit: 'grapheme' }),
    );
    const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (number, id) => faultsOf(nameOf(number, id)).length === 0),
      { numRuns: randomRuns(10_000) },
    );
  });

  it('has the number, then the id, as far as there are any', () => {
    const stems = [['7', 'a'], [undefined, 'a'], ['7', undefined], ['7', '..'], []];
    expect(stems.map((parts) => fileStem(parts, '0f1e2d3c'))).toEqual(
      ['7-a', 'a', '7', '7', 'file'].map((start) => `${start}-0f1e2d3c`),
    );
  });
});

describe('uniqueNames', () => {
  it('gives equal names a number, also when only a careless file system takes them for equal', () => {
    const unique = uniqueNames();
    const names = 'a-1.pdf A-1.PDF a-1.pdf a-1-2.pdf é.pdf e\u0301.pdf ß.pdf SS.pdf x x'.split(' ');
    expect(names.map((name) => unique(name)).join(' ')).toBe(
      'a-1.pdf A-1-2.PDF a-1-3.pdf a-1-2-2.pdf é.pdf e\u0301-2.pdf ß.pdf SS-2.pdf x x-2',
    );
  });

  it('never gives a name twice, nor one that is too long', () => {
    const stem = fc.constantFrom('a', 'A', 'a-2', 'a-2-2', '漢'.repeat(50), '漢'.repeat(49), 'x'.repeat(200));
    fc.assert(
      fc.property(fc.array(stem, { maxLength: 40 }), (stems) => {
        const unique = uniqueNames();
        const names = stems.map((stem) => unique(safePageName(stem, 'html')));
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
        expect(names.flatMap(faultsOf)).toEqual([]);
      }),
    );
  });
});

describe('cleanExtension', () => {
  it.each([
    ['application/pdf', '/x', 'pdf'],
    ['Application/PDF; charset=binary', '/x.exe', 'pdf'],
    ['text/xml', '/x.pdf', 'xml'],
    ['application/octet-stream', '/a/b.XML', 'xml'],
    [undefined, '/a.b/c.p7s', 'p7s'],
    ['', '/archive.tar.gz', 'gz'],
    [undefined, '/a.pdf/', 'bin'],
    [undefined, '/a', 'bin'],
    [undefined, '/a.', 'bin'],
    [undefined, '/a.pdf%2f..%2fx', 'bin'],
    [undefined, '/a.p\u202ef', 'bin'],
    [undefined, '/a.verylongone', 'bin'],
    ['application/x-msdownload', '/a.exe', 'bin'],
    [undefined, '/a.LNK', 'bin'],
    ['constructor', '/a.pdf', 'pdf'],
    ['__proto__', '/a.pdf', 'pdf'],
  ])('of type %s at %s is %s', (type, path, ending) => {
    expect(cleanExtension(type, path)).toBe(ending);
  });
});
