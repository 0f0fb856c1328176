/** The fiscal ID without punctuation, and with a capital K: equal for `60.155.445-k` and `60155445-K`. */
export function foldFiscalId(text: string): string {
  return text.replaceAll(/[.\s-]/g, '').toUpperCase();
}

/** The same without leading zeros, by which files are told that write `05.123.456-7`. */
export function bareFiscalId(text: string): string {
  return foldFiscalId(text).replace(/^0+(?=.)/, '');
}

/** Whether the text is a fiscal ID at all. Punctuation alone is none. */
export function isFiscalId(text: string | undefined): text is string {
  return text !== undefined && /[\p{L}\p{N}]/u.test(text);
}

/** A counterparty as a record names it. */
export interface Counterparty {
  /** Undefined where the record says none. */
  readonly name: string | undefined;
  /** Undefined where it is none, or punctuation alone. */
  readonly fiscalId: string | undefined;
}

/**
 * A text that is equal for two records of one counterparty, and for no others. Fiscal IDs, in any punctuation, tell
 * counterparties apart, else names do. An ID that many share is no counterparty: there ID and name together are.
 */
export function counterpartyKey({ name, fiscalId }: Counterparty, sharedIds: readonly string[]): string {
  if (fiscalId === undefined) return JSON.stringify(['name', name]);
  const id = foldFiscalId(fiscalId);
  const isShared = sharedIds.some((shared) => foldFiscalId(shared) === id);
  return JSON.stringify(isShared ? ['shared', id, name] : ['id', id]);
}

/** Whether a text is a Chilean fiscal ID, written with its dash, and with the right check digit: no other number is. */
export function isChileanFiscalId(text: string): boolean {
  const [, written = '', check = ''] = /^(\d{1,3}(?:\.\d{3}){1,2}|\d{6,9})-([\dk])$/i.exec(text) ?? [];
  const digits = [...written.replaceAll('.', '')].toReversed().map(Number);
  const sum = digits.reduce((total, digit, at) => total + digit * (2 + (at % 6)), 0);
  return digits.length > 0 && '0K987654321'[sum % 11] === check.toUpperCase();
}
