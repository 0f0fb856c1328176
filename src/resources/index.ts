import { customers } from './customers.ts';
import { fundDocuments, funds } from './funds.ts';
import { issued } from './issued.ts';
import { received } from './received.ts';
import type { Resource } from './resource.ts';

/** What the service lists by itself: each is a command, is checked by the doctor, and can be synced. */
export const listings: readonly Resource[] = [issued, received, customers, funds];

/** Everything that the service lists, also what belongs to another thing. */
export const resources: readonly Resource[] = [...listings, fundDocuments];
