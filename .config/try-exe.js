/*
 * `node .config/try-exe.js <program>`: whether that is a 64-bit program for Windows as Windows loads it, never signed, with
 * folio in it. Reads the file by itself, apart from what made it. Says what is wrong, and fails.
 */
import { readFileSync } from 'node:fs';

const program = readFileSync(process.argv[2]);
const header = program.readUInt32LE(0x3c);
const optional = header + 24;
const table = (index) => program.readUInt32LE(optional + 112 + index * 8);
const sections = Array.from({ length: program.readUInt16LE(header + 6) }, (_, index) => {
  const at = optional + program.readUInt16LE(header + 20) + index * 40;
  const [memory, address, size, place] = [8, 12, 16, 20].map((more) => program.readUInt32LE(at + more));
  return { memory, address, size, place };
});
const last = sections.at(-1);
/** Of a program of the bundle: Node's fuse is set, and what it then looks for is there under its name. */
const fuse = /NODE_SEA_FUSE_[0-9a-f]{32}:(.)/s.exec(program.toString('latin1'));

const wrong = [
  [program.toString('latin1', header, header + 4) === 'PE\0\0', 'it is no program for Windows'],
  [program.readUInt16LE(header + 4) === 0x8664, 'it is not for x64'],
  [program.readUInt16LE(optional + 68) === 3, 'it is not one of the console'],
  [table(4) === 0 && program.readUInt32LE(optional + 148) === 0, 'it says that it is signed'],
  [last.place + last.size === program.length, 'its file does not end with its last section'],
  [
    sections.every(({ address, memory }, index) => {
      const end = Math.ceil((address + memory) / 0x1000) * 0x1000;
      return end === (sections[index + 1]?.address ?? program.readUInt32LE(optional + 56));
    }),
    'its sections are not one after the other in memory',
  ],
  [resourceNames().includes('NODE_SEA_BLOB'), 'Node finds no program in it'],
  [fuse?.[1] === '1', 'Node does not look for a program in it'],
].flatMap(([isSo, otherwise]) => (isSo ? [] : [otherwise]));

for (const what of wrong) process.stderr.write(`folio.exe: ${what}\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** The names of the resources of raw data. */
function resourceNames() {
  const { address, place } = sections.find((one) => one.address === table(2)) ?? {};
  if (address === undefined) return [];
  const entries = (at) =>
    Array.from({ length: program.readUInt16LE(at + 12) + program.readUInt16LE(at + 14) }, (_, index) => ({
      id: program.readUInt32LE(at + 16 + index * 8),
      to: place + (program.readUInt32LE(at + 20 + index * 8) & 0x7fffffff),
    }));
  const rawData = entries(place).find(({ id }) => id === 10);
  return entries(rawData?.to ?? place)
    .filter(({ id }) => id >= 0x80000000)
    .map(({ id }) => place + (id & 0x7fffffff))
    .map((at) => program.toString('utf16le', at + 2, at + 2 + 2 * program.readUInt16LE(at)));
}
