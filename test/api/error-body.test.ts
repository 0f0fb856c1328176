import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOneLine, readPartialErrors } from '../../src/api/error-body.ts';
import { nobody } from '../support/scripted-run.ts';

const read = (value: unknown) => readPartialErrors(Buffer.from(JSON.stringify(value)));
const redact = (text: string) => text.replaceAll('secret-token', '[hidden]');

describe('readPartialErrors', () => {
  it('tells unknown fiscal IDs from other problems, each once', () => {
    expect(read([nobody('863456789'), nobody('80765432k'), nobody('863456789'), 'slow', 'slow'])).toEqual({
      missingFiscalIds: ['863456789', '80765432k'],
      warnings: ['slow'],
    });
    expect(read([nobody(863456789)]).missingFiscalIds).toEqual(['863456789']);
  });

  it.each<[errors: unknown, warnings: string[]]>([
    [[], []],
    [null, []],
    ['', []],
    [{}, []],
    [[null, {}, ''], []],
    ['all is slow', ['all is slow']],
    [{ message: 'late' }, ['late']],
    [{ description: 'late' }, ['late']],
    [{ detail: 'late' }, ['late']],
    [[{ _type: 'TimeoutError', message: 'late' }], ['TimeoutError: late']],
    [[{ _type: 'TimeoutError', requestName: 'x' }], ['{"_type":"TimeoutError","requestName":"x"}']],
    [[nobody(undefined)], ['{"_type":"EmptyResponseError","requestName":"byFiscalId","requestParams":{}}']],
    ...[{ _type: 'EmptyResponseError', requestParams: null }, ['a'], 7, true].map(
      (other): [unknown, string[]] => [[other], [JSON.stringify(other)]],
    ),
    [[{ message: { a: 1 } }], ['{"message":{"a":1}}']],
    [['\u001b[2Jgone'], [String.raw`\u001b[2Jgone`]],
  ])('%j: %j', (value, warnings) => {
    expect(read(value)).toEqual({ missingFiscalIds: [], warnings });
  });

  it('survives nesting that would overflow the stack', () => {
    const deep = Buffer.from(`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`);
    expect(readPartialErrors(deep).warnings).toHaveLength(1);
  });

  it('redacts before it cuts, so that no half of a secret is left', () => {
    const errors = JSON.stringify([`${'a'.repeat(495)}secret-token`]);
    expect(readPartialErrors(Buffer.from(errors), redact).warnings[0]).not.toContain('secr');
  });

  it('reads any JSON, and loses no problem over its form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { missingFiscalIds, warnings } = read([value, 'last']);
        expect(missingFiscalIds).toEqual([]);
        expect(warnings.at(-1)).toBe('last');
      }),
    );
  });
});

describe('plainWords', () => {
  it('makes one line of several', () => {
    expect(asOneLine('  a\r\n\tb\u2028c ')).toBe('a b c');
  });

  it('shows what would act on a terminal or hide text', () => {
    expect(asOneLine('a\u001b]0;x\u0007b\u009bc\u007fd\u202ee\u200bf\ud800')).toBe(
      String.raw`a\u001b]0;x\u0007b\u009bc\u007fd\u202ee\u200bf\ud800`,
    );
    for (let code = 0; code < 0xa0; code++) {
      if (code < 0x20 || code > 0x7e)
        expect(asOneLine(`a${String.fromCharCode(code)}b`)).toMatch(/^a[ -~]+b$/);
    }
  });

  it('cuts after 500 characters, within no word and no character', () => {
    expect(asOneLine('é'.repeat(500))).toBe('é'.repeat(500));
    expect(asOneLine('é'.repeat(501))).toBe(`${'é'.repeat(500)}…`);
    expect(asOneLine(`${'é'.repeat(499)}🙂🙂`)).toBe(`${'é'.repeat(499)}…`);
    expect(asOneLine(`${'word '.repeat(98)}eyJ.s3cret-_~+/=%2e`)).toBe(`${'word '.repeat(97)}word…`);
    expect(asOneLine(`{"token":"${'x'.repeat(500)}"}`)).toBe('{"token":"…');
  });
});
