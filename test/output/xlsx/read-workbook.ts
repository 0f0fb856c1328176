import { crc32, inflateRawSync } from 'node:zlib';

/** A workbook as a reader that shares no code with the writer sees it: by the specifications of zip and SpreadsheetML. */
interface ReadSheet {
  readonly name: string;
  readonly xml: string;
  /** Rows of cells by column letter. */
  readonly rows: ReadonlyMap<string, ReadCell>[];
}

export interface ReadCell {
  readonly type: 'n' | 'b' | 'inlineStr';
  readonly style: number;
  readonly value: string;
}

/** The files of an archive by its directory; throws where a header, a size or a CRC is not right. */
export function readZip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf('PK\u0005\u0006');
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  expectEqual(at + archive.readUInt32LE(end + 12), end, 'the directory ends where its own end begins');
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    const [crc, packed, size] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset));
    const nameLength = archive.readUInt16LE(at + 28);
    const local = archive.readUInt32LE(at + 42);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    // From the version needed to the length of the name, both headers say the same.
    expectEqual(
      archive.toString('hex', local + 4, local + 28),
      archive.toString('hex', at + 6, at + 30),
      `the two headers of ${name}`,
    );
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = inflateRawSync(archive.subarray(start, start + packed!));
    expectEqual(content.length, size, `the size of ${name}`);
    expectEqual(crc32(content), crc, `the CRC of ${name}`);
    files.set(name, content.toString('utf8'));
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  expectEqual(at, end, 'the end of the directory');
  return files;
}

/** The sheets in their order, found as a reader finds them: by the workbook's relations. */
export function readWorkbook(archive: Buffer): ReadSheet[] {
  const files = readZip(archive);
  const relations = new Map(
    elements(files.get('xl/_rels/workbook.xml.rels')!, 'Relationship').map(({ attributes }) => [
      attributes['Id']!,
      attributes['Target']!,
    ]),
  );
  return elements(files.get('xl/workbook.xml')!, 'sheet').map(({ attributes }) => {
    const xml = files.get(`xl/${relations.get(attributes['r:id']!)}`)!;
    return { name: unescapeXml(attributes['name']!), xml, rows: elements(xml, 'row').map(readRow) };
  });
}

function readRow({ attributes, content }: Element): Map<string, ReadCell> {
  return new Map(
    elements(content, 'c').map((cell): [string, ReadCell] => {
      const [, letters, row] = /^([A-Z]+)(\d+)$/.exec(cell.attributes['r']!)!;
      expectEqual(row, attributes['r'], 'the row in the name of a cell');
      const type = (cell.attributes['t'] ?? 'n') as ReadCell['type'];
      const [text] = elements(cell.content, type === 'inlineStr' ? 't' : 'v');
      const value = text!.attributes['xml:space'] === 'preserve' ? text!.content : text!.content.trim();
      return [
        letters!,
        { type, style: Number(cell.attributes['s'] ?? 0), value: unescapeCell(unescapeXml(value)) },
      ];
    }),
  );
}

interface Element {
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string;
}

/** The elements of a name, none within another of the same. */
function elements(xml: string, name: string): Element[] {
  const pattern = new RegExp(`<${name}((?: [\\w:]+="[^"]*")*)(?:/>|>([^]*?)</${name}>)`, 'g');
  return [...xml.matchAll(pattern)].map(([, attributes = '', content = '']) => ({
    attributes: Object.fromEntries(
      [...attributes.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]),
    ),
    content,
  }));
}

function unescapeXml(text: string): string {
  // What XML has no place for must not be there; a bare carriage return would come out as a line feed.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/.test(text))
    throw new Error(`not XML: ${JSON.stringify(text)}`);
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replace(/&(\w+);/g, (_, name: string) => named[name]!);
}

function unescapeCell(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} and ${String(expected)}`);
}
