import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileAt, startInvoiceService } from '../support/invoice-service.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LOG_IN = '<!DOCTYPE html><html><title>Sign in</title></html>';

async function download(folder: string, origin: string, ...flags: string[]) {
  const args = ['issued', 'download', folder, '--base-url', origin, '--no-header', '--retries', '0'];
  const { code, stdout, stderr } = await runHere([...args, ...flags]);
  return { code, stdout: stdout.toString('utf8'), stderr };
}

const files = (folder: string): string[] =>
  readdirSync(folder)
    .map((name) => name.replace(/-[0-9a-f]{8}(?=[-.])/, '-#'))
    .toSorted();

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
    expect(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8')).toBe(good);
  });

  it('that is an error in JSON is no file of a kind that --only leaves out', async () => {
    let body = '{"error":"expired"}';
    const invoices = [{ id: 'a', number: 1, files: ['/f/1.pdf'] }];
    const service = await startInvoiceService(invoices, (_request, response) =>
      response.setHeader('content-type', body === '%PDF-' ? 'application/pdf' : 'application/json').end(body),
    );
    const folder = temporaryFolder();
    const run = () => download(folder, service.origin, '--only', 'pdf');
    const first = await run();
    expect({ code: first.code, files: files(folder) }).toEqual({ code: 6, files: [] });
    body = '%PDF-';
    expect((await run()).code).toBe(0);
    expect(files(folder)).toEqual(['1-a-#.pdf']);
  });

  it('of JSON that is no error is kept where JSON was named', async () => {
    const invoices = [{ id: 'a', number: 1, files: ['/f/1.json'] }];
    const service = await startInvoiceService(invoices, (_request, response) =>
      response.setHeader('content-type', 'application/json').end('{"lines":[{"message":"thanks"}]}'),
    );
    const folder = temporaryFolder();
    expect((await download(folder, service.origin)).code).toBe(0);
    expect(files(folder)).toEqual(['1-a-#.json']);
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
    expect(files(folder)).toEqual(['1-a-#.pdf', '1-a-#.xml']);
  });
});

describe('a folder that somebody prepared', () => {
  it.each(['a folder', 'a link'])(
    'with %s of the name of a file: the file gets another name',
    async (what) => {
      const folder = temporaryFolder();
      const target = join(temporaryFolder(), 'target');
      writeFileSync(target, 'mine');
      const service = await startInvoiceService([{ id: 'a', number: 7, files: ['/f/1.pdf'] }]);
      await download(folder, service.origin);
      const path = join(folder, readdirSync(folder)[0]!);
      rmSync(path);
      if (what === 'a folder') mkdirSync(path);
      else symlinkSync(target, path);
      for (const status of ['saved', 'there']) {
        const { code, stdout } = await download(folder, service.origin);
        expect(code).toBe(0);
        expect(stdout).toMatch(new RegExp(`^7,7-a-[0-9a-f]{8}-2\\.pdf,13,${status}\\n$`));
      }
      expect(readFileSync(target, 'utf8')).toBe('mine');
      expect(files(folder)).toEqual(['7-a-#-2.pdf', '7-a-#.pdf']);
    },
  );
});
