import { describe, expect, it } from 'vitest';
import { openService, type Item } from './service.ts';

const service = await openService();
const invalid = {
  '/invoices/issued?colour=red': 'array',
  '/invoices/received?totalAmount=1': 'string',
  '/customers?fiscalId=1': 'message',
  '/accounts-payable/prepaid-expenses?colour=red': 'string',
} as const;

describe('7 Errors', () => {
  it.each(Object.entries(invalid))(
    '7 the body of 400 for %s has one of the three forms',
    async (path, form) => {
      const answer = await service.get(path);
      expect(answer.status).toBe(400);
      const found = formOf(answer.json as Item);
      expect(['array', 'string', 'message']).toContain(found);
      // Which endpoint has which form is open; the embedded service shows all three.
      if (service.isOwn) expect(found).toBe(form);
    },
  );

  it('7 an empty search is 200, never 204', async () => {
    for (const path of ['/invoices/issued', '/invoices/received', '/accounts-payable/prepaid-expenses']) {
      const answer = await service.get(`${path}?options_page=100000`);
      expect(answer.status).toBe(200);
      expect((answer.json as Item).pageResults).toEqual([]);
    }
  });
});

function formOf(body: Record<string, unknown>): string {
  if (Array.isArray(body.errors)) return 'array';
  if (typeof body.errors === 'string') return 'string';
  return typeof body.error === 'string' && typeof body.message === 'string' ? 'message' : 'none of them';
}
