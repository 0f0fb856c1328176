import { afterAll, expect } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { httpGet, type HttpAnswer } from '../support/http-get.ts';

/**
 * The service whose conformance is tested: the embedded one, or the one at FOLIO_CONFORMANCE_URL, with
 * FOLIO_CONFORMANCE_TOKEN and, for a second organization, FOLIO_CONFORMANCE_TOKEN_2.
 */
interface Service {
  /** True for the embedded one, of whose data more is known than the specification says. */
  readonly isOwn: boolean;
  readonly token: string;
  readonly secondToken: string | undefined;
  /** A GET of a path below the base address, or of a whole URL, with the token unless headers are given. */
  get(path: string, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** The same of what there is: fails where it is not. */
  page<T = Page>(path: string, headers?: Record<string, string>): Promise<T>;
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

export const ISSUED = '/invoices/issued';
export const RECEIVED = '/invoices/received';
export const CUSTOMERS = '/customers';
export const FUNDS = '/accounts-payable/prepaid-expenses';

/** Enough of everything that each rule can be seen at work. */
const counts = { issued: 1800, received: 560, customers: 60, funds: 45, documents: 230 };

/** 2026-11-22, in days since 1970-01-01. */
const TODAY = 20_779;

/** Opens the service for one test file and closes it after its last test. */
export async function openService(): Promise<Service> {
  const { FOLIO_CONFORMANCE_URL: url, FOLIO_CONFORMANCE_TOKEN: token } = process.env;
  if (url !== undefined && token !== undefined) {
    const secondToken = process.env.FOLIO_CONFORMANCE_TOKEN_2;
    return serviceAt(url.replace(/\/$/, ''), { isOwn: false, token, secondToken });
  }
  const sandbox = await startSandbox({ ...counts, today: TODAY, awkward: true });
  afterAll(() => sandbox.close());
  const [first, second] = sandbox.tokens;
  return serviceAt(sandbox.baseUrl, { isOwn: true, token: first, secondToken: second });
}

function serviceAt(baseUrl: string, facts: Pick<Service, 'isOwn' | 'token' | 'secondToken'>): Service {
  const get: Service['get'] = (path, headers = { authorization: facts.token }) =>
    httpGet(/^https?:/.test(path) ? path : baseUrl + path, { headers });
  return {
    ...{ ...facts, get },
    page: async <T>(...request: Parameters<Service['get']>) => {
      const answer = await get(...request);
      expect(answer.status).toBe(200);
      return answer.json as T;
    },
  };
}

/** What tells records apart: their text, without signed links, which may be new each time. */
export function texts(items: readonly Item[]): string[] {
  return items.map((item) =>
    JSON.stringify(item, (name, value: unknown) => (name === 'fileUrl' ? '' : value)),
  );
}
