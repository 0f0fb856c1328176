/*
 * Puts a resource into a program for Windows, which is what Node looks for in its own file. The format is Microsoft's: "PE Format",
 * https://learn.microsoft.com/windows/win32/debug/pe-format. Nothing that is there is moved: the resource and a new tree of all
 * resources come into a section of their own at the end of the file.
 */

/** Where a program says where its header is, and where in that header stands what is read or changed here. */
const HEADER_AT = 0x3c;
const SECTION_COUNT = 6;
const OPTIONAL_SIZE = 20;
const OPTIONAL_HEADER = 24;
/** In the optional header. Of each table there is the place, then the size, in four bytes each. */
const SECTION_ALIGNMENT = 32;
const FILE_ALIGNMENT = 36;
const IMAGE_SIZE = 56;
const HEADERS_SIZE = 60;
const CHECKSUM = 64;
const RESOURCES = 112 + 2 * 8;
const CERTIFICATES = 112 + 4 * 8;

const SECTION_HEADER = 40;
/** Read-only, of initialized data. */
const SECTION_KIND = 0x40000040;
/** Resources of the program's own kind, and those that are for every language. */
const RAW_DATA = 10;
const NEUTRAL = 0;
/** In an entry of the tree: its name is a text, or what it leads to is a folder. */
const HIGH_BIT = 0x80000000;

/**
 * The program with the resource in it, and without its signature, which no longer holds: the entry and the checksum are zero, as in
 * a program that was never signed. Throws where it is no 64-bit program, or one that is made otherwise.
 *
 * @param name of capital letters, digits and `_`
 */
export function withResource(signed, name, content) {
  const program = withoutSignature(signed);
  const { header, optional } = headersOf(program);
  const sections = sectionsOf(program);
  const headerOfSection = sections.at(-1).at + SECTION_HEADER;
  if (headerOfSection + SECTION_HEADER > program.readUInt32LE(optional + HEADERS_SIZE))
    throw new Error('there is no room for a further section');
  const fileAlignment = program.readUInt32LE(optional + FILE_ALIGNMENT);
  const alignment = program.readUInt32LE(optional + SECTION_ALIGNMENT);
  const address = program.readUInt32LE(optional + IMAGE_SIZE);
  const place = roundUp(program.length, fileAlignment);

  const tree = treeOf(program, sections);
  add(tree, name, content);
  const section = bytesOfTree(tree, address);
  const result = Buffer.alloc(place + roundUp(section.length, fileAlignment));
  program.copy(result);
  section.copy(result, place);

  result.write('.folio', headerOfSection, 'latin1');
  result.writeUInt32LE(section.length, headerOfSection + 8);
  result.writeUInt32LE(address, headerOfSection + 12);
  result.writeUInt32LE(result.length - place, headerOfSection + 16);
  result.writeUInt32LE(place, headerOfSection + 20);
  result.writeUInt32LE(SECTION_KIND, headerOfSection + 36);
  result.writeUInt16LE(sections.length + 1, header + SECTION_COUNT);
  result.writeUInt32LE(address + roundUp(section.length, alignment), optional + IMAGE_SIZE);
  result.writeUInt32LE(address, optional + RESOURCES);
  result.writeUInt32LE(section.length, optional + RESOURCES + 4);
  return result;
}

/** The program without its signature, the last bytes of its file. */
function withoutSignature(signed) {
  const { optional } = headersOf(signed);
  const place = signed.readUInt32LE(optional + CERTIFICATES);
  const size = signed.readUInt32LE(optional + CERTIFICATES + 4);
  if (place === 0 || place + size !== signed.length) throw new Error('no signature is the end of the file');
  const program = Buffer.from(signed.subarray(0, place));
  program.writeUInt32LE(0, optional + CHECKSUM);
  program.writeBigUInt64LE(0n, optional + CERTIFICATES);
  return program;
}

function headersOf(program) {
  const header = program.readUInt32LE(HEADER_AT);
  const optional = header + OPTIONAL_HEADER;
  if (program.toString('latin1', header, header + 4) !== 'PE\0\0' || program.readUInt16LE(optional) !== 0x20b)
    throw new Error('this is no 64-bit program for Windows');
  return { header, optional };
}

/** Where the header of each section is, its address in memory, and its place in the file. */
function sectionsOf(program) {
  const { header, optional } = headersOf(program);
  const first = optional + program.readUInt16LE(header + OPTIONAL_SIZE);
  return Array.from({ length: program.readUInt16LE(header + SECTION_COUNT) }, (_, index) => {
    const at = first + index * SECTION_HEADER;
    return { at, address: program.readUInt32LE(at + 12), place: program.readUInt32LE(at + 20) };
  });
}

/** All resources: a folder has entries, each with a name or a number; a leaf has its 16 bytes, or what is new. */
function treeOf(program, sections) {
  const address = program.readUInt32LE(headersOf(program).optional + RESOURCES);
  const section = sections.find((one) => one.address === address);
  if (section === undefined) throw new Error('the resources have no section of their own');
  const from = section.place;
  return folderAt(from);

  function folderAt(at) {
    const count = program.readUInt16LE(at + 12) + program.readUInt16LE(at + 14);
    const head = program.subarray(at, at + 12);
    return { head, entries: Array.from({ length: count }, (_, index) => entryAt(at + 16 + index * 8)) };
  }

  function entryAt(at) {
    const [id, target] = [program.readUInt32LE(at), program.readUInt32LE(at + 4)];
    const text = from + (id % HIGH_BIT);
    const name =
      id < HIGH_BIT ? id : program.toString('utf16le', text + 2, text + 2 + 2 * program.readUInt16LE(text));
    const to = from + (target % HIGH_BIT);
    return { name, node: target < HIGH_BIT ? { data: program.subarray(to, to + 16) } : folderAt(to) };
  }
}

/** Adds the resource as one of raw data, in all languages. */
function add(tree, name, content) {
  const kind = tree.entries.find((entry) => entry.name === RAW_DATA)?.node ?? folder();
  if (kind.entries.length === 0) tree.entries.push({ name: RAW_DATA, node: kind });
  kind.entries.push({ name, node: folder({ name: NEUTRAL, node: { content } }) });

  function folder(...entries) {
    return { head: Buffer.alloc(12), entries };
  }
}

/** The tree as the bytes of a section at that address: the folders, the names, the leaves, then what is new. */
function bytesOfTree(tree, address) {
  const nodes = [tree];
  for (const node of nodes) {
    node.entries?.sort(byName);
    nodes.push(...(node.entries ?? []).map((entry) => entry.node));
  }
  let size = 0;
  const reserve = (bytes) => (size += roundUp(bytes, 4)) - roundUp(bytes, 4);
  const folders = nodes.filter(({ entries }) => entries !== undefined);
  const leaves = nodes.filter(({ entries }) => entries === undefined);
  for (const node of folders) node.at = reserve(16 + node.entries.length * 8);
  const named = folders.flatMap(({ entries }) => entries).filter(({ name }) => typeof name === 'string');
  for (const entry of named) entry.nameAt = reserve(2 + 2 * entry.name.length);
  for (const leaf of leaves) leaf.at = reserve(16);
  for (const leaf of leaves) if (leaf.content !== undefined) leaf.contentAt = reserve(leaf.content.length);

  const bytes = Buffer.alloc(size);
  for (const { at, head, entries } of folders) {
    const names = entries.filter(({ name }) => typeof name === 'string').length;
    head.copy(bytes, at);
    bytes.writeUInt16LE(names, at + 12);
    bytes.writeUInt16LE(entries.length - names, at + 14);
    for (const [index, { name, nameAt, node }] of entries.entries()) {
      bytes.writeUInt32LE(nameAt === undefined ? name : HIGH_BIT + nameAt, at + 16 + index * 8);
      bytes.writeUInt32LE((node.entries === undefined ? 0 : HIGH_BIT) + node.at, at + 20 + index * 8);
    }
  }
  for (const { name, nameAt } of named) {
    bytes.writeUInt16LE(name.length, nameAt);
    bytes.write(name, nameAt + 2, 'utf16le');
  }
  for (const { at, data, content, contentAt } of leaves) {
    if (content === undefined) {
      data.copy(bytes, at);
      continue;
    }
    bytes.writeUInt32LE(address + contentAt, at);
    bytes.writeUInt32LE(content.length, at + 4);
    content.copy(bytes, contentAt);
  }
  return bytes;
}

/** Windows looks entries up by halves: those with names first, then numbers, each in order. */
function byName({ name: a }, { name: b }) {
  if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

function roundUp(bytes, to) {
  return Math.ceil(bytes / to) * to;
}
