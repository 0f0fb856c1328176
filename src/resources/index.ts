import { customers } from './customers.ts';
import { fundDocuments } from './fund-documents.ts';
import { funds } from './funds.ts';
import { issued } from './issued.ts';
import { received } from './received.ts';
import type { Resource } from './resource.ts';

/** Everything that the service lists. */
export const resources: readonly Resource[] = [issued, received, customers, funds, fundDocuments];
