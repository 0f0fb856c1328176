import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { issuedInvoice, receivedInvoice } from './invoices.ts';

/*
 * The service that is measured against, in a process of its own: `page-server <records> <page size>`. All pages of that
 * size are made and compressed before it says its port on standard output, so that it only has to send them.
 */

/** Bytes that a page of received invoices may have (spec 8). */
const MOST_BYTES = 6 * 1024 * 1024;

const [total = 0, pageSize = 1] = process.argv.slice(2).map(Number);
const issued = new Map<string, Buffer>();
const received = new Map<string, Buffer>();
let calls = 0;

function page(record: (number: number) => string, number: number, size: number): Buffer {
  const records: string[] = [];
  for (let at = number * size; at < Math.min(total, (number + 1) * size); at++) records.push(record(at));
  const envelope = `{"total":${total},"page":${number},"pageSize":${size},"errors":[],"pageResults":[`;
  return Buffer.from(`${envelope}${records.join(',')}]}`);
}

function issuedPage(number: number, size: number): Buffer {
  const key = `${number} ${size}`;
  const made = issued.get(key);
  if (made !== undefined) return made;
  const body = page(issuedInvoice, number, size);
  // Over 1729 records the service compresses (spec 4.1 rule 4).
  const sent = size > 1729 ? gzipSync(body, { level: total > 200_000 ? 1 : 6 }) : body;
  issued.set(key, sent);
  return sent;
}

function receivedPage(number: number, size: number): Buffer {
  const key = `${number} ${size}`;
  const body = received.get(key) ?? page(receivedInvoice, number, size);
  received.set(key, body);
  return body;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/calls') {
    response.end(String(calls));
    calls = 0;
    return;
  }
  calls++;
  const number = Number(url.searchParams.get('options_page') ?? 0);
  const size = Number(url.searchParams.get('options_pageSize') ?? 10);
  const type = { 'content-type': 'application/json' };
  if (url.pathname.endsWith('/received')) {
    const body = receivedPage(number, size);
    const isTooLarge = body.length > MOST_BYTES;
    const sent = isTooLarge ? Buffer.from('{"message":"Internal server error"}') : body;
    // 10 to 25 s at a twentieth, by the number of the page: every reader waits the same for the same page.
    const milliseconds = 500 + ((number * 389 + 211) % 751);
    setTimeout(
      () => response.writeHead(isTooLarge ? 502 : 200, { ...type, 'content-length': sent.length }).end(sent),
      milliseconds,
    );
    return;
  }
  const body = issuedPage(number, size);
  const encoding: Record<string, string> = size > 1729 ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(200, { ...type, ...encoding, 'content-length': body.length }).end(body);
}

for (let number = 0; number * pageSize < total; number++) {
  if (process.argv[4] === 'received') receivedPage(number, pageSize);
  else issuedPage(number, pageSize);
}
const server = createServer({ keepAliveTimeout: 60_000 }, answer);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
