import type { Organization } from './data/organization.ts';
import type { RecordView } from './data/ordering.ts';
import type { Query } from './query.ts';
import { gatewayReply, jsonReply, type BodyForm, type Reply } from './reply.ts';

/** What the service lists: how much there is of it, and the endpoints that serve it. */
export interface ServedListing {
  /** By name, which is an option of the sandbox and a flag of `folio sandbox`. The second organization has a third of each. */
  readonly counts: Readonly<Record<string, Count>>;
  /** By path below the base address. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

export interface Count {
  /** In the help: `issued invoices`. */
  readonly what: string;
  readonly usual: number;
  /** The most that there may be: identifiers and sort keys are exact up to here. */
  readonly most: number;
}

export interface Endpoint {
  /** The form of its 400 and 500 bodies. The specification leaves open which endpoint has which (spec 7). */
  readonly form: BodyForm;
  /** Any other gives 400. */
  readonly parameters: readonly string[];
  /** True where a large organization waits long, and no longer than 29 s (spec 4.2 rule 4). */
  readonly slow?: boolean;
  /** Throws BadQuery for what gives 400. */
  readonly answer: (call: Call) => Reply;
}

/** One request that may be answered: its token belongs to the organization. */
export interface Call {
  readonly organization: Organization;
  readonly query: Query;
  /** The path's `{id}`, or empty. */
  readonly id: string;
  readonly acceptsGzip: boolean;
  /** A link that opens something of the organization without a token, for a day. */
  readonly link: (kind: 'files' | 'portal', path: string) => string;
}

/** The parameters of endpoints whose pages have numbers. */
export const PAGE = ['options_page', 'options_pageSize'];

/** One page of records as JSON text: `head`, the records between commas, `tail`. */
interface RecordPage {
  readonly view: RecordView;
  /** The position of the first record; beyond the end the page is empty. */
  readonly offset: number;
  readonly size: number;
  readonly head: string;
  readonly tail: string;
  readonly render: (index: number) => string;
}

/** What stands before and after the records in the page envelope (spec 2.2). */
export function envelope(
  fields: Readonly<Record<'total' | 'page' | 'pageSize', number>>,
  errors: readonly object[] = [],
): Pick<RecordPage, 'head' | 'tail'> {
  const head = `${JSON.stringify(fields).slice(0, -1)},"pageResults":[`;
  return { head, tail: `],"errors":${JSON.stringify(errors)}}` };
}

/** A response of more results is compressed for those who can read it (spec 4.1 rule 4). */
const COMPRESSION_THRESHOLD = 1729;

/** The answer with a page; 502 where it is larger than `maxBytes`. */
export function pageReply({ acceptsGzip }: Call, page: RecordPage, maxBytes = Infinity): Reply {
  const { view, offset, size, head, tail, render } = page;
  const count = Math.max(0, Math.min(view.total - offset, size));
  const records = Array.from({ length: count }, (_, at) => render(view.at(offset + at)));
  const reply = jsonReply(200, head + records.join() + tail);
  if (reply.body.length > maxBytes) return gatewayReply(502, 'Internal server error');
  return { ...reply, compress: acceptsGzip && count > COMPRESSION_THRESHOLD };
}
