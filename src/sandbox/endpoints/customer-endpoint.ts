import { renderCustomer } from '../data/customer-record.ts';
import type { Endpoint } from './endpoint.ts';
import { errorReply, jsonReply } from './reply.ts';

/** GET /customers/{id} (spec 4.4). */
export const customerEndpoint: Endpoint = {
  form: 'message',
  answer({ world, place, query, id }) {
    query.allowOnly([]);
    const customers = world.organizations[place].issued.parties;
    const index = customers.ids.indexOf(id, customers.count);
    if (index >= 0) return jsonReply(200, renderCustomer(customers, index));
    // 404 is intended; at present the service answers 500, and as for any other fault of its own.
    return world.missingCustomer === 404
      ? errorReply('message', 404, `Customer ${id} not found`)
      : errorReply('message', 500, 'Unexpected error');
  },
};
