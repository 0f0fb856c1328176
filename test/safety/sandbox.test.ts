import { describe, expect, it } from 'vitest';
import { httpGet } from '../support/http-get.ts';
import { withSandbox, type SandboxEnvironment } from '../support/run-here.ts';

const serving = <T>(work: (sandbox: SandboxEnvironment) => Promise<T>): Promise<T> =>
  withSandbox(['--issued', '3'], work);

describe('the embedded service, started by the program', () => {
  it('serves only who names this machine, not a page that had its own name lead here', () =>
    serving(async ({ FOLIO_BASE_URL, FOLIO_TOKEN }) => {
      const statuses = [];
      for (const host of ['127.0.0.1', 'localhost:80', 'evil.example', '127.0.0.1.evil.example']) {
        const headers = { authorization: FOLIO_TOKEN, host };
        statuses.push((await httpGet(`${FOLIO_BASE_URL}/customers`, { headers })).status);
      }
      expect(statuses).toEqual([200, 200, 421, 421]);
    }));

  it('signs links with a key of its own at each start', async () => {
    const signatures = () =>
      serving(async ({ FOLIO_BASE_URL, FOLIO_TOKEN }) => {
        const headers = { authorization: FOLIO_TOKEN };
        const { json } = await httpGet(`${FOLIO_BASE_URL}/invoices/issued`, { headers });
        return [...JSON.stringify(json).matchAll(/signature=([\w-]+)/g)].map(([, signature]) => signature);
      });
    const [ours, theirs] = [await signatures(), await signatures()];
    expect(ours.length).toBeGreaterThan(0);
    expect(theirs).toHaveLength(ours.length);
    expect(theirs.filter((signature) => ours.includes(signature))).toEqual([]);
  });
});
