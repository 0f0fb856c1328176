import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { issuedInvoice, receivedInvoice } from './invoices.ts';

/*
 * `page-server <issued|received> <records> <page size>`: all pages of that size are made and compressed before it prints its
 * port, so that it only has to send them. Others are made when they are asked for.
 */

/** Bytes that a page of received invoices may have (spec 8). */
const MAX_BYTES = 6 * 1024 * 1024;
/** Records over which a page is compressed (spec 4.1 rule 4). */
const UNCOMPRESSED = 1729;

const isReceived = process.argv[2] === 'received';
const [total = 0, pageSize = 1] = process.argv.slice(3).map(Number);
const pages = new Map<string, Buffer>();
let calls = 0;

function pageOf(number: number, size: number): Buffer {
  const key = `${number} ${size}`;
  const known = pages.get(key);
  if (known !== undefined) return known;
  const record = isReceived ? receivedInvoice : issuedInvoice;
  const end = Math.min(total, (number + 1) * size);
  const records = Array.from({ length: Math.max(0, end - number * size) }, (_, at) =>
    record(number * size + at + 1),
  );
  const envelope = `{"total":${total},"page":${number},"pageSize":${size},"errors":[],"pageResults":[`;
  const body = Buffer.from(`${envelope}${records.join(',')}]}`);
  const page = isReceived || size <= UNCOMPRESSED ? body : gzipSync(body, { level: 4 });
  pages.set(key, page);
  return page;
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
  const page = pageOf(number, size);
  if (isReceived) setTimeout(() => send(response, page), waitOf(number));
  else send(response, page, size > UNCOMPRESSED ? { 'content-encoding': 'gzip' } : {});
}

function send(response: ServerResponse, page: Buffer, headers: Record<string, string> = {}): void {
  const isTooLarge = isReceived && page.length > MAX_BYTES;
  const body = isTooLarge ? Buffer.from('{"message":"Internal server error"}') : page;
  const common = { 'content-type': 'application/json', 'content-length': body.length };
  response.writeHead(isTooLarge ? 502 : 200, { ...common, ...headers }).end(body);
}

/** 10 to 25 s at a twentieth (spec 4.2 rule 4), by the number of the page: whoever reads it waits the same. */
function waitOf(number: number): number {
  return 500 + ((number * 389 + 211) % 751);
}

for (let number = 0; number * pageSize < total; number++) pageOf(number, pageSize);
const server = createServer({ keepAliveTimeout: 60_000 }, answer);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
