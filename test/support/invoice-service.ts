import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { openUndiciFileTransport } from '../../src/api/undici-file-transport.ts';
import { openUndiciTransport } from '../../src/api/undici-transport.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from './fake-context.ts';

type AnswerFile = (request: IncomingMessage, response: ServerResponse) => void;

/** An invoice in the listing; `files` are paths of this server, or whole addresses. */
export interface ListedInvoice {
  readonly id?: string | number;
  readonly number?: string | number;
  readonly files?: readonly string[];
}

interface InvoiceService {
  readonly origin: string;
  /** May be changed between requests. */
  invoices: ListedInvoice[];
  /** Every request: its address and its headers. */
  readonly seen: { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

/** Serves one listing of issued invoices, and the files behind it as the test says. Ends with the test. */
export async function startInvoiceService(
  invoices: readonly ListedInvoice[],
  answerFile: AnswerFile = (request, response) => response.end(fileAt(request.url ?? '')),
): Promise<InvoiceService> {
  const seen: InvoiceService['seen'] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    seen.push({ url, headers: request.headers });
    if (url.startsWith('/v1/invoices/issued')) response.end(pageOf(service, new URL(url, service.origin)));
    else answerFile(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: InvoiceService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoices: [...invoices],
    seen,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  onTestFinished(() => service.close());
  return service;
}

/** What begins as a file of its ending does, and tells its address. */
export function fileAt(url: string): string {
  return `${url.includes('.xml') ? '<xml ' : '%PDF-'}${url}`;
}

function pageOf({ invoices, origin }: InvoiceService, url: URL): string {
  const size = Number(url.searchParams.get('options_pageSize') ?? 10);
  const page = Number(url.searchParams.get('options_page') ?? 0);
  const records = invoices.slice(page * size, (page + 1) * size).map(({ files, ...invoice }) => ({
    ...invoice,
    ...(files && { files: files.map((link) => ({ fileUrl: link.startsWith('/') ? origin + link : link })) }),
  }));
  return JSON.stringify({
    total: invoices.length,
    page,
    pageSize: size,
    pageResults: records,
    errors: [],
  });
}

interface ServiceExit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly context: FakeContext;
}

export const SERVICE_TOKEN = 'token-that-no-file-server-may-see';

/** Runs a command line in this process, over real connections, against the service. */
export async function runAgainstService(
  argv: readonly string[],
  service: Pick<InvoiceService, 'origin'>,
  options: FakeContextOptions & { readonly prepare?: (context: FakeContext) => void } = {},
): Promise<ServiceExit> {
  const env = { FOLIO_TOKEN: SERVICE_TOKEN, FOLIO_BASE_URL: service.origin, ...options.env };
  const transports = { openTransport: openUndiciTransport, openFileTransport: openUndiciFileTransport };
  const context = fakeContext({ ...transports, ...options, argv, env });
  options.prepare?.(context);
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text, context };
}
