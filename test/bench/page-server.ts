import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { issuedInvoice } from './invoices.ts';

/*
 * `page-server <records> <page size>`: all pages of that size are made and compressed before it prints its port, so that it
 * only has to send them. Others are made when they are asked for.
 */

/** Records over which a page is compressed (spec 4.1 rule 4). */
const UNCOMPRESSED = 1729;

const [total = 0, pageSize = 1] = process.argv.slice(2).map(Number);
const pages = new Map<string, Buffer>();

function pageOf(number: number, size: number): Buffer {
  const key = `${number} ${size}`;
  const known = pages.get(key);
  if (known !== undefined) return known;
  const end = Math.min(total, (number + 1) * size);
  const records = Array.from({ length: Math.max(0, end - number * size) }, (_, at) =>
    issuedInvoice(number * size + at + 1),
  );
  const envelope = `{"total":${total},"page":${number},"pageSize":${size},"errors":[],"pageResults":[`;
  const body = Buffer.from(`${envelope}${records.join(',')}]}`);
  const page = size <= UNCOMPRESSED ? body : gzipSync(body, { level: 4 });
  pages.set(key, page);
  return page;
}

for (let number = 0; number * pageSize < total; number++) pageOf(number, pageSize);
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const size = Number(searchParams.get('options_pageSize') ?? 10);
  const page = pageOf(Number(searchParams.get('options_page') ?? 0), size);
  const encoding = size > UNCOMPRESSED ? { 'content-encoding': 'gzip' } : {};
  const headers = { 'content-type': 'application/json', 'content-length': page.length };
  response.writeHead(200, { ...headers, ...encoding }).end(page);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
