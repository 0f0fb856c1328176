import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileAt, startInvoiceService } from '../support/invoice-service.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LOG_IN = '<!DOCTYPE html><html><title>Sign in</title></html>';

async function download(folder: string, origin: string) {
  const args = ['issued', 'download', folder, '--base-url', origin, '--no-header', '--retries', '0'];
  const { code, stdout, stderr } = await runHere(args);
  return { code, stdout: stdout.toString('utf8'), stderr };
}

const files = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort();

describe('a file', () => {
  it.each([
    ['a page to log in', '/f/1.pdf', 'text/html', LOG_IN, 'a web page, not the file'],
    ['a page called a PDF', '/f/1.pdf', 'application/pdf', `\n  ${LOG_IN}`, 'a web page, not the file'],
    ['a page called XML', '/f/1.xml', 'text/xml', `\ufeff${LOG_IN}`, 'a web page, not the file'],
    ['JSON called a PDF', '/f/1.pdf', 'application/pdf', '{"error":"expired"}', 'no PDF'],
    ['JSON', '/f/1', 'application/json; charset=utf-8', '{"a":1}', 'the link gives JSON, not the file'],
    ['JSON at the path of a PDF', '/f/1.pdf', 'application/json', '[]', 'the link gives JSON, not the file'],
    ['an error of no type', '/f/1', 'application/octet-stream', '{"message":"expired"}', 'an error, not'],
    ['an error called JSON', '/f/1.json', 'application/json', ' {"code":7,"errors":["x"]}', 'an error, not'],
    ['text called XML', '/f/1.xml', 'text/xml', 'expired', 'no XML'],
  ])('that is %s is not kept, and fetched by the next run', async (_, path, type, body, says) => {
    const good = fileAt(path);
    let sends = body;
    const service = await startInvoiceService([{ id: 'a', number: 1, files: [path] }], (_request, response) =>
      response.setHeader('content-type', sends === body ? type : 'application/octet-stream').end(sends),
    );
    const folder = temporaryFolder();
    const first = await download(folder, service.origin);
    expect({ code: first.code, files: files(folder) }).toEqual({ code: 6, files: [] });
    expect(first.stderr).toContain(says);
    sends = good;
    expect((await download(folder, service.origin)).code).toBe(0);
    expect(readFileSync(join(folder, files(folder)[0]!), 'utf8')).toBe(good);
  });

  it('that is an error in JSON is no file of a kind that --only leaves out', async () => {
    let body = '{"error":"expired"}';
    const invoices = [{ id: 'a', number: 1, files: ['/f/1.pdf'] }];
    const service = await startInvoiceService(invoices, (_request, response) =>
      response.setHeader('content-type', body === '%PDF-' ? 'application/pdf' : 'application/json').end(body),
    );
    const folder = temporaryFolder();
    const args = [
      'issued',
      'download',
      folder,
      '--base-url',
      service.origin,
      '--only',
      'pdf',
      '--retries',
      '0',
    ];
    const first = await runHere(args);
    expect({ code: first.code, files: files(folder) }).toEqual({ code: 6, files: [] });
    body = '%PDF-';
    expect((await runHere(args)).code).toBe(0);
    expect(files(folder)).toEqual(['1-1.pdf']);
  });

  it('of JSON that is no error is kept where JSON was named', async () => {
    const invoices = [{ id: 'a', number: 1, files: ['/f/1.json'] }];
    const service = await startInvoiceService(invoices, (_request, response) =>
      response.setHeader('content-type', 'application/json').end('{"lines":[{"message":"thanks"}]}'),
    );
    const folder = temporaryFolder();
    expect((await download(folder, service.origin)).code).toBe(0);
    expect(files(folder)).toEqual(['1-1.json']);
  });

  it('of UTF-16 XML, or a PDF with bytes before it, is kept', async () => {
    const bodies = [
      Buffer.from('\ufeff<?xml version="1.0"?>', 'utf16le'),
      Buffer.from(`${' '.repeat(500)}%PDF-1.4`),
    ];
    const paths = ['/f/1.xml', '/f/2.pdf'];
    const service = await startInvoiceService([{ id: 'a', number: 1, files: paths }], ({ url }, response) =>
      response.end(bodies[paths.indexOf(url!)]),
    );
    const folder = temporaryFolder();
    expect((await download(folder, service.origin)).code).toBe(0);
    expect(files(folder)).toEqual(['1-1.xml', '1-2.pdf']);
  });
});

describe('a folder that somebody prepared', () => {
  const entry = (base: string, ending = 'pdf'): string =>
    `${JSON.stringify({ invoice: 'a', index: 1, base, ending })}\n`;

  it.each(['../../outside', '/etc/outside', '.hidden', 'a\u001b[2J', 'a/b', 'CON', 'x'.repeat(300)])(
    'with a ledger that names %j: nothing is written by that name',
    async (base) => {
      const outer = temporaryFolder();
      const folder = join(outer, 'files');
      mkdirSync(folder);
      writeFileSync(join(folder, '.folio-files.jsonl'), entry(base));
      const service = await startInvoiceService([{ id: 'a', number: 7, files: ['/f/1.pdf'] }]);
      const { code, stdout } = await download(folder, service.origin);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '7,7-1.pdf,13,saved\n' });
      expect(readdirSync(outer)).toEqual(['files']);
      expect(files(folder)).toEqual(['7-1.pdf']);
    },
  );

  it('with a ledger that is a link: refused, and what it leads to is not touched', async () => {
    const folder = temporaryFolder();
    const target = join(temporaryFolder(), 'target');
    writeFileSync(target, 'mine\n');
    symlinkSync(target, join(folder, '.folio-files.jsonl'));
    const service = await startInvoiceService([{ id: 'a', number: 7, files: ['/f/1.pdf'] }]);
    const { code, stderr } = await download(folder, service.origin);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^folio: cannot use .*: it is no file of folio's\n/);
    expect(readFileSync(target, 'utf8')).toBe('mine\n');
  });

  it('with a folder of the name of a file: the file gets another name', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '7-1.pdf'));
    const service = await startInvoiceService([{ id: 'a', number: 7, files: ['/f/1.pdf'] }]);
    const { code, stdout } = await download(folder, service.origin);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '7,7-1-2.pdf,13,saved\n' });
  });
});
