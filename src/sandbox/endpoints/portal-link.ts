import { errorReply, jsonReply } from '../reply.ts';
import { BadQuery, type Endpoint } from './endpoint.ts';

/**
 * GET /customers/portal-link (spec 4.5). Its parameter and body are not in the specification (4.9): here `customerId`
 * and an object with `link`, which like the link to a file ends after 24 hours.
 */
export const portalLinkEndpoint: Endpoint = {
  form: 'array',
  signs: true,
  answer({ world, place, query }) {
    query.allowOnly(['customerId']);
    const id = query.text('customerId') ?? '';
    if (id === '') throw new BadQuery('Parameter customerId is required');
    const customers = world.organizations[place].issued.parties;
    if (customers.ids.indexOf(id, customers.count) < 0) {
      return errorReply('message', 404, `Customer ${id} not found`);
    }
    const link = world.origin + world.links.sign(`/portal/${place + 1}/${id}`, world.links.expiry());
    return jsonReply(200, JSON.stringify({ link }));
  },
};
