import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutLinks } from '../../src/database/stored-links.ts';
import { scanArray } from '../../src/json/scan-records.ts';
import { textsOf } from '../support/records.ts';

const link = fc.oneof(fc.string({ minLength: 5 }), fc.constant('https://f.example/"\\'), fc.constant(null));
const record = fc.record(
  {
    a: fc.string(),
    fileUrl: link,
    files: fc.array(fc.record({ fileUrl: link, name: fc.string() })),
    id: fc.oneof(fc.integer(), fc.string()),
    note: fc.constantFrom('fileUrl', '"fileUrl":"not a member"', ''),
  },
  { requiredKeys: [] },
);

describe('records without links', () => {
  it('have null instead of each, and their ids where these are', () => {
    fc.assert(
      fc.property(fc.array(record), fc.constantFrom(undefined, 1), (records, indent) => {
        const page = JSON.stringify(records, undefined, indent);
        const batch = withoutLinks(scanArray(Buffer.from(page)));
        const emptied = (key: string, value: unknown): unknown => (key === 'fileUrl' ? null : value);
        expect(textsOf(batch).map((text) => JSON.parse(text))).toEqual(
          JSON.parse(JSON.stringify(records, emptied)),
        );
        const ids = Array.from({ length: batch.count }, (_, at) => {
          const [start, end] = [batch.ids[2 * at]!, batch.ids[2 * at + 1]!];
          return start < 0 ? undefined : JSON.parse(batch.bytes.toString('utf8', start, end));
        });
        // An empty text is no id.
        expect(ids).toEqual(records.map(({ id }) => (id === '' ? undefined : id)));
      }),
    );
  });
});
