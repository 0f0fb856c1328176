import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanArray } from '../../src/json/scan-records.ts';
import { withoutLinks, withoutSignedLinks } from '../../src/json/signed-links.ts';
import { batchOf, textsOf } from '../support/records.ts';

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

describe('a signed link', () => {
  it.each([
    ['[{"fileUrl":"https://a.example/f/1?sig=x"}]', '[{"fileUrl":null}]'],
    [
      '[{"fileUrl":"https://b.example:8080/f/1?sig=\\"y"},{"fileUrl" : "/f/2"},{"fileUrl":""}]',
      '[{"fileUrl":null},{"fileUrl" : null},{"fileUrl":""}]',
    ],
    ['{"fileUrl":"https:\\/\\/a.example\\/f\\/1?sig=x"}', '{"fileUrl":null}'],
    ['{"pdf":"https://a.example/f/1?X-Amz-Expires=60&X-Amz-Signature=00ff"}', '{"pdf":null}'],
    ['{"pdf":"https://a.example/f/1?a=b\\u0026X-Amz-Signature=00ff"}', '{"pdf":null}'],
    ['{"xml":["https:\\/\\/a.example/f?q=1795440105"]}', '{"xml":[null]}'],
    ['{"pdf":"https://a.example/f?x=0123456789abcdefghij"}', '{"pdf":null}'],
    ['{"note":"https://a.example/?page=2"}', '{"note":"https://a.example/?page=2"}'],
    ['{"site":"https://a.example/contact"}', '{"site":"https://a.example/contact"}'],
    ['{"note":",\\"https://a.example/?sig=x\\""}', '{"note":",\\"https://a.example/?sig=x\\""}'],
    ['{"https://a.example/?sig=x":1}', '{"https://a.example/?sig=x":1}'],
    ['{"a":["fileUrl","https:"],"fileUrl":null}', '{"a":["fileUrl","https:"],"fileUrl":null}'],
  ])('%s', (json, cut) => {
    expect(withoutSignedLinks(json)).toBe(cut);
    const [record, left] = json.startsWith('[') ? [`{"a":${json}}`, `{"a":${cut}}`] : [json, cut];
    const scanned = batchOf(record);
    expect(textsOf(withoutLinks(scanned))).toEqual([left]);
    // Where nobody noted the addresses while scanning, they are searched for.
    const { bytes } = batchOf(record);
    expect(textsOf(withoutLinks({ ...scanned, bytes, links: undefined }))).toEqual([left]);
  });

  it('is left out with the id that it is, and another id is known where it is then', () => {
    const records = [
      '{"pdf":"https:\\/\\/a.example/f?sig=x","id":"é7","site":"https://a.example/"}',
      '{"id":"https://a.example/1?sig=x"}',
    ];
    const kept = withoutLinks(batchOf(...records));
    expect(textsOf(kept)).toEqual(['{"pdf":null,"id":"é7","site":"https://a.example/"}', '{"id":null}']);
    expect(kept.bytes.toString('utf8', kept.ids[0], kept.ids[1])).toBe('"é7"');
    expect([kept.ids[2], kept.ids[3]]).toEqual([-1, -1]);
  });
});
