import type { LinkSigner } from './signed-link.ts';
import type { Organization } from '../data/organization.ts';
import type { Query } from './query.ts';
import type { BodyForm, Reply } from './reply.ts';

/** What all endpoints of a sandbox share. */
export interface World {
  /** What an unknown customer's id gives (spec 4.4). */
  readonly missingCustomer: 404 | 500;
  /** In which shape a fund has its documents (spec 4.9). */
  readonly documentsAs: 'array' | 'envelope';
  readonly organizations: readonly [Organization, Organization];
  readonly links: LinkSigner;
  /** `http://127.0.0.1:PORT`, known once the sandbox listens. */
  readonly origin: string;
}

/** One request that may be answered: its token belongs to the organization. */
export interface Call {
  readonly world: World;
  /** Which of the two organizations asks. */
  readonly place: 0 | 1;
  readonly query: Query;
  /** The path's `{id}`, or empty. */
  readonly id: string;
  readonly acceptsGzip: boolean;
}

export interface Endpoint {
  /** The form of its 400 and 500 bodies. The specification leaves open which endpoint has which (spec 7). */
  readonly form: BodyForm;
  /** True where a large organization waits long, and no longer than 29 s (spec 4.2 rule 4). */
  readonly slow?: boolean;
  /** Throws BadQuery for what gives 400. */
  answer(call: Call): Reply;
}
