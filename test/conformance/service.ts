import { afterAll } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { httpGet, type HttpAnswer } from '../support/http-get.ts';

/**
 * The service whose conformance is tested: the embedded one, or the one at FOLIO_CONFORMANCE_URL, with
 * FOLIO_CONFORMANCE_TOKEN and, for a second organization, FOLIO_CONFORMANCE_TOKEN_2.
 */
interface Service {
  /** True for the embedded one, of whose data more is known than the specification says. */
  readonly isOwn: boolean;
  readonly baseUrl: string;
  readonly token: string;
  readonly secondToken: string | undefined;
  /** A GET of a path below the base address, or of a whole URL, with the token unless headers are given. */
  get(path: string, headers?: Record<string, string>): Promise<HttpAnswer>;
}

export type Item = Record<string, unknown>;

/** The page envelope (2.2). */
export interface Page {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly pageResults: readonly Item[];
  readonly errors: readonly Item[];
}

/** The envelope of the customer list (2.3). */
export interface CustomerPage {
  readonly data: readonly Item[];
  readonly errors: readonly Item[];
  readonly nextToken: string | null;
}

/** Enough of everything that each rule can be seen at work. */
const counts = { issued: 1800, received: 560, customers: 60, funds: 45, documents: 230 };

/** 2026-11-22, in days since 1970-01-01. */
const TODAY = 20_779;

/** Opens the service for one test file and closes it after its last test. */
export async function openService(): Promise<Service> {
  const { FOLIO_CONFORMANCE_URL: url, FOLIO_CONFORMANCE_TOKEN: token } = process.env;
  if (url !== undefined && token !== undefined) {
    return makeService(url.replace(/\/$/, ''), token, process.env.FOLIO_CONFORMANCE_TOKEN_2);
  }
  const sandbox = await startSandbox({ ...counts, today: TODAY, awkward: true, gatewayWords: 'spec' });
  afterAll(() => sandbox.close());
  return { ...makeService(sandbox.baseUrl, ...sandbox.tokens), isOwn: true };
}

function makeService(baseUrl: string, token: string, secondToken: string | undefined): Service {
  return {
    isOwn: false,
    baseUrl,
    token,
    secondToken,
    get: (path, headers = { authorization: token }) =>
      httpGet(/^https?:/.test(path) ? path : baseUrl + path, { headers }),
  };
}

/** What tells records apart: their text, without signed links, which may be new each time. */
export function texts(items: readonly Item[]): string[] {
  return items.map((item) =>
    JSON.stringify(item, (name, value: unknown) => (name === 'fileUrl' ? '' : value)),
  );
}
