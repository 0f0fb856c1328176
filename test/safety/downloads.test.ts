import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileAt, startInvoiceService } from '../support/invoice-service.ts';
import { runHere } from '../support/run-here.ts';
import { fileOf, temporaryFolder } from '../support/temporary-folder.ts';

const LOG_IN = '<!DOCTYPE html><html><title>Sign in</title></html>';
const THANKS = '{"lines":[{"message":"thanks"}]}';

interface Sent {
  readonly body: string | Buffer;
  readonly type?: string;
}

/** A service of one invoice with these files, for which it sends what `sent` has now, and what downloads them. */
async function serve(paths: readonly string[], sent: { now: (path: string) => Sent }, ...flags: string[]) {
  const service = await startInvoiceService([{ id: 'a', number: 7, files: paths }], ({ url }, response) => {
    const { body, type = 'application/octet-stream' } = sent.now(url!);
    response.setHeader('content-type', type).end(body);
  });
  const folder = temporaryFolder();
  const args = ['issued', 'download', folder, '--base-url', service.origin, '--no-header', '--retries', '0'];
  const download = async () => {
    const { code, stdout, stderr } = await runHere([...args, ...flags]);
    const files = readdirSync(folder).map((name) => name.replace(/-[0-9a-f]{8}(?=[-.])/, '-#'));
    return { code, stdout: stdout.toString('utf8'), stderr, files: files.toSorted() };
  };
  return { folder, download };
}

describe('a file', () => {
  it.each([
    ['a page to log in', '/f/1.pdf', 'text/html', LOG_IN, 'a web page, not the file'],
    ['a page called a PDF', '/f/1.pdf', 'application/pdf', `\n  ${LOG_IN}`, 'a web page, not the file'],
    ['a page called XML', '/f/1.xml', 'text/xml', `\ufeff${LOG_IN}`, 'a web page, not the file'],
    ['JSON called a PDF', '/f/1.pdf', 'application/pdf', '{"error":"expired"}', 'not a PDF'],
    ['JSON', '/f/1', 'application/json; charset=utf-8', '{"a":1}', 'the link gives JSON, not the file'],
    ['JSON at the path of a PDF', '/f/1.pdf', 'application/json', '[]', 'the link gives JSON, not the file'],
    ['an error of no type', '/f/1', 'application/octet-stream', '{"message":"expired"}', 'an error, not'],
    ['an error called JSON', '/f/1.json', 'application/json', ' {"code":7,"errors":["x"]}', 'an error, not'],
    ['text called XML', '/f/1.xml', 'text/xml', 'expired', 'not XML'],
    // Such an answer is not a file of a kind that --only leaves out.
    ['an error, of one kind', '/f/1.pdf', 'application/json', '{"error":"expired"}', 'JSON', '--only', 'pdf'],
  ])('that is %s is not kept, and fetched by the next run', async (_, path, type, body, says, ...flags) => {
    const sent = { now: (): Sent => ({ body, type }) };
    const { folder, download } = await serve([path], sent, ...flags);
    expect(await download()).toMatchObject({ code: 6, files: [], stderr: expect.stringContaining(says) });
    sent.now = () => ({ body: fileAt(path) });
    expect((await download()).code).toBe(0);
    expect(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8')).toBe(fileAt(path));
  });

  it.each([
    ['JSON that is not an error, where JSON was named', 'json', THANKS, 'application/json'],
    ['XML in UTF-16', 'xml', Buffer.from('\ufeff<?xml version="1.0"?>', 'utf16le'), 'text/xml'],
    ['a PDF with bytes before it', 'pdf', `${' '.repeat(500)}%PDF-1.4`, 'application/pdf'],
  ])('of %s is kept', async (_, ending, body, type) => {
    const { download } = await serve([`/f/1.${ending}`], { now: () => ({ body, type }) });
    expect(await download()).toMatchObject({ code: 0, files: [`7-a-#.${ending}`] });
  });
});

describe('a folder that somebody prepared', () => {
  it.each(['a folder', 'a link'])('beside %s of its name: the file gets another', async (what) => {
    const { folder, download } = await serve(['/f/1.pdf'], { now: (path) => ({ body: fileAt(path) }) });
    const target = fileOf('mine', 'target');
    await download();
    const path = join(folder, readdirSync(folder)[0]!);
    rmSync(path);
    if (what === 'a folder') mkdirSync(path);
    else symlinkSync(target, path);
    for (const status of ['saved', 'there']) {
      const { code, stdout, files } = await download();
      expect([code, files]).toEqual([0, ['7-a-#-2.pdf', '7-a-#.pdf']]);
      expect(stdout).toMatch(new RegExp(`^7,7-a-[0-9a-f]{8}-2\\.pdf,13,${status}\\n$`));
    }
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });
});
