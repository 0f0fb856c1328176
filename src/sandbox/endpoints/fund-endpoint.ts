import type { Endpoint } from './endpoint.ts';
import { openFund, renderDocument } from '../data/fund-record.ts';
import { readFundWindow, slicePage } from './fund-window.ts';
import type { View } from '../data/ordering.ts';
import { pageHead, pageTail, renderPage } from './record-page.ts';
import { errorReply, jsonReply } from './reply.ts';

const largestSize = 100;

/** GET /accounts-payable/prepaid-expenses/{id} (spec 4.7). */
export const fundEndpoint: Endpoint = {
  form: 'array',
  answer(call) {
    call.query.allowOnly(['options_page', 'options_pageSize']);
    const { page, pageSize } = readFundWindow(call.query, largestSize);
    const { funds } = call.world.organizations[call.place];
    const fund = funds.ids.indexOf(call.id, funds.count);
    if (fund < 0) return errorReply('message', 404, `Prepaid expense ${call.id} not found`);
    const asArray = call.world.documentsAs === 'array';
    const view: View = { total: funds.documents, at: (position) => position };
    const body = renderPage({
      view,
      ...slicePage(view.total, page, pageSize),
      head: `${openFund(funds, fund)},"assignedDocuments":${asArray ? '[' : pageHead(view.total, page, pageSize)}`,
      tail: `${asArray ? ']' : pageTail()}}`,
      render: (index) => renderDocument(funds, fund, index),
    });
    return jsonReply(200, body!);
  },
};
