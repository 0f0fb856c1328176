import { createHash } from 'node:crypto';

/** One thing that a journal holds: what is said of it, as JSON, and bytes. */
export interface JournalEntry {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** The first line of an entry, as read back. */
export interface EntryLine {
  /** SHA-256 of the rest of the line and the body, in hex. */
  readonly seal: string;
  /** Bytes of the body. */
  readonly length: number;
  /** The line behind the seal. */
  readonly text: string;
}

const LINE = /^([0-9a-f]{64}) ((\d{1,15}) \{.*\})$/s;

/** The bytes of an entry: a line with seal, length and head, then the body, each ended by a line feed. */
export function sealEntry({ head, body }: JournalEntry): Buffer {
  const text = `${body.length} ${JSON.stringify(head)}`;
  return Buffer.concat([Buffer.from(`${sealOf(text, body)} ${text}\n`), body, Buffer.from('\n')]);
}

/** Reads the first line of an entry, without its line feed; undefined when it is none. */
export function parseEntryLine(line: string): EntryLine | undefined {
  const [, seal, text, length] = LINE.exec(line) ?? [];
  return seal === undefined || text === undefined ? undefined : { seal, text, length: Number(length) };
}

/** The entry, or undefined when line and body are not what was sealed together. */
export function openEntry({ seal, text }: EntryLine, body: Buffer): JournalEntry | undefined {
  if (sealOf(text, body) !== seal) return undefined;
  return { head: JSON.parse(text.slice(text.indexOf(' ') + 1)) as JournalEntry['head'], body };
}

function sealOf(text: string, body: Buffer): string {
  return createHash('sha256').update(text).update('\n').update(body).digest('hex');
}
