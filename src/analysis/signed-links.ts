/** A link to a file in a record, as JSON: its origin, its path, and what signs it. */
const LINK = /("fileUrl":")https?:\/\/[^"\\/?#]*([^"\\?#]*)(?:[^"\\]|\\.)*"/g;
const MEMBER = Buffer.from('"fileUrl"');

/**
 * The JSON text with links to files cut down to their paths: they are signed anew with each answer (spec 2.5), so that
 * a record would never be what it was.
 */
export function withoutSignatures(json: string): string {
  return json.replace(LINK, '$1$2"');
}

/**
 * What a record is hashed by: its bytes, or where it has links these without signatures, a character for each byte, which
 * is made in half the time and memory of the text.
 */
export function contentToHash(record: Buffer): Buffer | string {
  return record.includes(MEMBER) ? withoutSignatures(record.toString('latin1')) : record;
}
