import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectRecords, wholeRecords } from '../../src/json/records.ts';
import { scanArray, withOwnColumn } from '../../src/json/scan-records.ts';
import { withoutLinks, withoutSignedLinks } from '../../src/json/signed-links.ts';
import { batchOf, idsOf, textsOf } from '../support/records.ts';

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
        const ids = idsOf(batch).map((id) => id && (JSON.parse(id) as unknown));
        // An empty text is not an id.
        expect(ids).toEqual(records.map(({ id }) => (id === '' ? undefined : id)));
      }),
    );
  });
});

describe('a signed link', () => {
  it('is looked for in as many levels as a scan takes, also where it was not noted by one', () => {
    const whole = batchOf(`{"a":${'['.repeat(1000)}${']'.repeat(1000)},"fileUrl":"https://f.example/1"}`);
    const records = withoutLinks({ ...whole, bytes: whole.bytes, links: undefined });
    expect(textsOf(records)[0]).toContain('"fileUrl":null');
  });

  it.each([
    ['{"fileUrl":"https://a.example/f/1?sig=x"}', '{"fileUrl":null}'],
    [
      '{"a":[{"fileUrl":"https://b.example:8080/f/1?sig=\\"y"},{"fileUrl" :\n"/f/2"},{"fileUrl":""}]}',
      '{"a":[{"fileUrl":null},{"fileUrl" :\nnull},{"fileUrl":""}]}',
    ],
    ['{"fileUrl":"https:\\/\\/a.example\\/f\\/1?sig=x"}', '{"fileUrl":null}'],
    ['{"pdf":"https://a.example/f/1?X-Amz-Expires=60&X-Amz-Signature=00ff"}', '{"pdf":null}'],
    ['{"pdf":"https://a.example/f/1?a=b\\u0026X-Amz-Signature=00ff"}', '{"pdf":null}'],
    ['{"xml":["https:\\/\\/a.example/f?q=1795440105"]}', '{"xml":[null]}'],
    ['{"pdf":"https://a.example/f?x=0123456789abcdefghij"}', '{"pdf":null}'],
    ['{"pdf":"HTTPS://a.example/f?sig=x","xml":"Http://a.example/f?sig=x"}', '{"pdf":null,"xml":null}'],
    ['{"pdf":"\\u0068ttps://a.example/f?sig=x"}', '{"pdf":null}'],
    ['{"pdf":"htt\\u0070s:\\/\\/a.example\\u002ff\\u003fsig=x"}', '{"pdf":null}'],
    [
      '{"note":"\\"htt\\"?sig=x","n":"\\nhttps://a.example/?sig=x"}',
      '{"note":"\\"htt\\"?sig=x","n":"\\nhttps://a.example/?sig=x"}',
    ],
    ...[
      '{"note":"https://a.example/?page=2"}',
      '{"site":"https://a.example/contact"}',
      '{"note":",\\"https://a.example/?sig=x\\""}',
      '{"https://a.example/?sig=x":1}',
      '{"a":["fileUrl","https:"],"fileUrl":null}',
      '{"fileUrl":["/f/1","/f/2"],"aFileUrl":"/f/3","fileUr1":"/f/4","f\\"fileUrl":"/f/5","Url":"/f/6"}',
      '{"Url":"/f/7","profileUrl":"/f/8"}',
    ].map((json): [string, string] => [json, json]),
  ])('%s', (json, cut) => {
    expect(withoutSignedLinks(json)).toBe(cut);
    const scanned = batchOf(json);
    expect(textsOf(withoutLinks(scanned))).toEqual([cut]);
    // Where nobody noted what may be a link while scanning, the records are scanned again.
    expect(textsOf(withoutLinks({ ...scanned, links: undefined }))).toEqual([cut]);
  });

  it('is left out of records that have a column of folio before it, and of some of them', () => {
    const link = '"https://a.example/1?sig=x"';
    const batch = batchOf(`{"pdf":${link}}`, `{"a":1}`, `{"a":2,"fileUrl":${link}}`);
    const whole = wholeRecords(withOwnColumn(selectRecords(batch, [1, 2]), { name: 'from', value: '"b"' }));
    const expected = ['{"from":"b","a":1}', '{"from":"b","a":2,"fileUrl":null}'];
    expect(textsOf(withoutLinks(whole))).toEqual(expected);
    expect(textsOf(withoutLinks({ ...whole, links: undefined }))).toEqual(expected);
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
