import { customerEndpoint } from './customer-endpoint.ts';
import { customersEndpoint } from './customers-endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { fundEndpoint } from './fund-endpoint.ts';
import { fundsEndpoint } from './funds-endpoint.ts';
import { issuedEndpoint } from './issued-endpoint.ts';
import { portalLinkEndpoint } from './portal-link-endpoint.ts';
import { receivedEndpoint } from './received-endpoint.ts';

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/invoices/issued': issuedEndpoint,
  '/v1/invoices/received': receivedEndpoint,
  '/v1/customers': customersEndpoint,
  '/v1/customers/portal-link': portalLinkEndpoint,
  '/v1/accounts-payable/prepaid-expenses': fundsEndpoint,
};

const itemEndpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/customers': customerEndpoint,
  '/v1/accounts-payable/prepaid-expenses': fundEndpoint,
};

export interface Route {
  readonly endpoint: Endpoint;
  readonly id: string;
}

/** The endpoint at a path, or undefined when there is none (spec 4). An id is one segment, decoded. */
export function findRoute(path: string): Route | undefined {
  const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
  if (endpoint !== undefined) return { endpoint, id: '' };
  const slash = path.lastIndexOf('/');
  const parent = path.slice(0, slash);
  const item = Object.hasOwn(itemEndpoints, parent) ? itemEndpoints[parent] : undefined;
  const segment = path.slice(slash + 1);
  if (item === undefined || segment === '') return undefined;
  try {
    return { endpoint: item, id: decodeURIComponent(segment) };
  } catch {
    return undefined;
  }
}
