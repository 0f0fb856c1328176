/**
 * The fiscal ID in the one form by which IDs are compared: without dots, dashes and blanks, with a capital K, and without leading
 * zeros where the rest is a Chilean one with the right check digit. So `060.155.445-k` is `60155445K`; the zeros of any other ID
 * are a part of it.
 */
export function foldFiscalId(text: string): string {
  const folded = text.replaceAll(/[.\s\p{Pd}]/gu, '').toUpperCase();
  const [, bare, digits, check] = /^0+(([1-9]\d{0,8})([\dK]))$/.exec(folded) ?? [];
  return bare !== undefined && checkDigitOf(digits!) === check ? bare : folded;
}

/** The check digit, or K, after the digits of a Chilean fiscal ID. */
function checkDigitOf(digits: string): string {
  const sum = [...digits]
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (2 + (at % 6)), 0);
  return '0K987654321'[sum % 11]!;
}

/** Whether the text is a fiscal ID: punctuation alone is not. */
export function isFiscalId(text: string | undefined): text is string {
  return text !== undefined && /[\p{L}\p{N}]/u.test(text);
}

export interface Counterparty {
  readonly name: string | undefined;
  /** Undefined if it is missing, or only punctuation. */
  readonly fiscalId: string | undefined;
}

/**
 * A key that is equal for two records if they have the same counterparty. Fiscal IDs, in any punctuation, identify
 * counterparties, else names do. An ID that many parties share identifies one only together with the name.
 */
export function counterpartyKey({ name, fiscalId }: Counterparty, sharedIds: readonly string[]): string {
  if (fiscalId === undefined) return JSON.stringify(['name', name]);
  const id = foldFiscalId(fiscalId);
  return JSON.stringify(isSharedId(id, sharedIds) ? ['shared', id, name] : ['id', id]);
}

export function isSharedId(fiscalId: string, sharedIds: readonly string[]): boolean {
  const id = foldFiscalId(fiscalId);
  return sharedIds.some((shared) => foldFiscalId(shared) === id);
}

/** Whether a text is a Chilean fiscal ID, written with its dash and the right check digit. */
export function isChileanFiscalId(text: string): boolean {
  const [, written = '', check = ''] = /^(\d{1,3}(?:\.\d{3}){1,2}|\d{6,9})-([\dk])$/i.exec(text) ?? [];
  return written !== '' && checkDigitOf(written.replaceAll('.', '')) === check.toUpperCase();
}
