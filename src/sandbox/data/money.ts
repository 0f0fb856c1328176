export type Currency = 'CLP' | 'USD' | 'EUR';

/** An amount in hundredths as a JSON number literal: whole in pesos, two decimals elsewhere (`1190.10`). */
export function moneyText(hundredths: number, currency: Currency): string {
  if (currency === 'CLP') return String(hundredths / 100);
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * The same amount spelled in a way that a reader of exact literals must keep: `7E5`, `7.0e+05`, `700000.00`.
 * For pesos that are one digit and zeros; others are left as they are.
 */
export function oddMoneyText(hundredths: number, style: number): string {
  const plain = String(hundredths / 100);
  const form = /^(-?\d)(0{3,})$/.exec(plain);
  if (form === null) return `${plain}.00`;
  const [, digit, zeros] = form;
  return style % 2 === 0 ? `${digit}E${zeros!.length}` : `${digit}.0e+0${zeros!.length}`;
}

/** Without value added tax of 19 %, rounded to what the currency has. Both in hundredths. */
export function netOf(hundredths: number, currency: Currency): number {
  const unit = currency === 'CLP' ? 100 : 1;
  return Math.round(hundredths / 1.19 / unit) * unit;
}
