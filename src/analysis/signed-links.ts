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

/** The same for a record's bytes, which are mostly left as they are. */
export function bytesWithoutSignatures(record: Buffer): Buffer | string {
  return record.includes(MEMBER) ? withoutSignatures(record.toString('utf8')) : record;
}
