import type { Endpoint } from './endpoint.ts';
import { readFundWindow, slicePage } from './fund-window.ts';
import { openFund } from '../data/fund-record.ts';
import { pageHead, pageTail, renderPage } from './record-page.ts';
import { jsonReply } from './reply.ts';

const largestSize = 1000;

/** GET /accounts-payable/prepaid-expenses (spec 4.6): by creation date, the newest first unless asked otherwise. */
export const fundsEndpoint: Endpoint = {
  form: 'string',
  answer(call) {
    call.query.allowOnly(['options_page', 'options_pageSize', 'options_sortOrder']);
    const { page, pageSize } = readFundWindow(call.query, largestSize);
    const ascending = call.query.oneOf('options_sortOrder', ['asc', 'desc']) === 'asc';
    const { funds } = call.world.organizations[call.place];
    const total = funds.count;
    const body = renderPage({
      view: { total, at: (position) => (ascending ? position : total - 1 - position) },
      ...slicePage(total, page, pageSize),
      head: pageHead(total, page, pageSize),
      tail: pageTail(),
      render: (index) => `${openFund(funds, index)}}`,
    });
    return jsonReply(200, body!);
  },
};
