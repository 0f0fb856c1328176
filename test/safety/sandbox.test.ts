import { expect, it } from 'vitest';
import { httpGet } from '../support/http-get.ts';
import { withSandbox } from '../support/run-here.ts';

it('the embedded service, started by the program, signs links with a key of its own at each start', async () => {
  const signatures = () =>
    withSandbox(['--issued', '3'], async ({ FOLIO_BASE_URL, FOLIO_TOKEN }) => {
      const headers = { authorization: FOLIO_TOKEN };
      const { json } = await httpGet(`${FOLIO_BASE_URL}/invoices/issued`, { headers });
      return [...JSON.stringify(json).matchAll(/signature=([\w-]+)/g)].map(([, signature]) => signature);
    });
  const [ours, theirs] = [await signatures(), await signatures()];
  expect(ours.length).toBeGreaterThan(0);
  expect(theirs).toHaveLength(ours.length);
  expect(theirs.filter((signature) => ours.includes(signature))).toEqual([]);
});
