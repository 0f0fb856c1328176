import { openUndiciTransport } from '../../src/api/undici-transport.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from './fake-context.ts';
import { startHttpService, type AnswerRequest, type HttpService } from './servers.ts';

/** An invoice in the listing; `files` are paths of this server, or whole addresses. */
export interface ListedInvoice {
  readonly id?: string | number;
  readonly number?: string | number;
  readonly files?: readonly string[];
}

interface InvoiceService extends HttpService {
  /** May be changed between requests. */
  invoices: ListedInvoice[];
}

/** Serves one listing of issued invoices, and the files behind it as the test says. */
export async function startInvoiceService(
  invoices: readonly ListedInvoice[],
  answerFile: AnswerRequest = (request, response) => response.end(fileAt(request.url ?? '')),
): Promise<InvoiceService> {
  const http = await startHttpService((request, response, logged) => {
    if (logged.target.startsWith('/v1/invoices/issued')) response.end(pageOf(service, logged.url));
    else answerFile(request, response, logged);
  });
  const service: InvoiceService = { ...http, invoices: [...invoices] };
  return service;
}

/** What begins as a file of its ending does, and tells its address. */
export const fileAt = (url: string): string => `${url.includes('.xml') ? '<xml ' : '%PDF-'}${url}`;

function pageOf({ invoices, origin }: InvoiceService, url: URL): string {
  const size = Number(url.searchParams.get('options_pageSize') ?? 10);
  const page = Number(url.searchParams.get('options_page') ?? 0);
  const records = invoices.slice(page * size, (page + 1) * size).map(({ files, ...invoice }) => ({
    ...invoice,
    ...(files && { files: files.map((link) => ({ fileUrl: link.startsWith('/') ? origin + link : link })) }),
  }));
  const envelope = { total: invoices.length, page, pageSize: size, errors: [] };
  return JSON.stringify({ ...envelope, pageResults: records });
}

export const SERVICE_TOKEN = 'token-that-no-file-server-may-see';

/** Runs a command line in this process, over real connections, against the service. */
export async function runAgainstService(
  argv: readonly string[],
  service: Pick<InvoiceService, 'origin'>,
  options: FakeContextOptions & { readonly prepare?: (context: FakeContext) => void } = {},
) {
  const env = { FOLIO_TOKEN: SERVICE_TOKEN, FOLIO_BASE_URL: service.origin, ...options.env };
  const context = fakeContext({ openTransport: openUndiciTransport, ...options, argv, env });
  options.prepare?.(context);
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text, context };
}
