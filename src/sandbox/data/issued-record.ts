import { dayText } from './calendar.ts';
import { Draw, hash32 } from './hash.ts';
import type { Ledger } from './ledger.ts';
import { moneyText, netOf, oddMoneyText } from './money.ts';
import type { Book } from './organization.ts';

/** Makes the signed link to a file of the invoice. */
export type LinkTo = (invoice: string, file: number) => string;

const categories = ['Servicios', 'Productos', 'Mantención', 'Licencias', 'Exportación', 'Año anterior'];
const notes = [
  'null',
  '"Entregar en bodega 3, portón \\"B\\""',
  '"Línea 1\\nLínea 2"',
  '""',
  '"=HYPERLINK(\\"http://example.com\\")"',
];

const paymentInstructions =
  ',"paymentInstructions":{"bank":"Banco de la Cordillera","account":"00-417-22913-05"' +
  ',"note":"Indicar el número del documento en la glosa de la transferencia"}';

/**
 * An issued invoice as the JSON text that the service sends: number literals are written by hand, as no number type
 * would keep `1190.10` or 19 digits.
 */
export function renderIssued(book: Book, index: number, linkTo: LinkTo, withMovements = false): string {
  const { ledger, ids, parties } = book;
  const draw = new Draw(hash32(ledger.seed, index, 40));
  const party = ledger.partyOf(index);
  const [id, date] = [ids.of(index), dayText(ledger.dayOf(index))];
  const payments = renderPayments(ledger, index, draw);
  return (
    `{"id":"${id}","number":${ledger.numberOf(index)},"documentType":"${ledger.typeOf(index)}"` +
    `,"status":"${ledger.statusOf(index)}","date":"${date}T00:00:00Z"` +
    `,"dueBy":"${dayText(ledger.dueDayOf(index))}T00:00:00Z"${renderAmounts(ledger, index)}` +
    `,"exchangeRate":${exchangeRate(ledger, index, draw)}` +
    `,"issuerFiscalId":"${book.owner}","receiverFiscalId":"${parties.fiscalIds.of(party)}"` +
    `,"customer":${parties.summaryOf(party)},"categories":${renderCategories(draw)},"payments":[${payments}]` +
    (withMovements ? `,"movements":[${payments}]` : '') +
    `,"referenceNumber":"inv_${id.slice(0, 14)}","purchaseOrder":${draw.below(3) === 0 ? `"OC-${draw.below(99_999)}"` : 'null'}` +
    (draw.below(12) === 0
      ? `,"trackingId":81${String(1e8 + draw.below(1e8))}${String(1e7 + draw.below(9e7))}`
      : '') +
    `,"notes":${draw.pick(notes)}${paymentInstructions}` +
    `,"sentByEmail":${draw.below(2) === 0},"files":[${renderFiles(id, draw, linkTo)}]` +
    `,"createdAt":"${date}T13:${10 + draw.below(50)}:07.${100 + draw.below(900)}Z"${lateFields(ledger, index)}}`
  );
}

/** How many files the invoice of this index has, 0 to 2: the second is the XML. */
function renderFiles(id: string, draw: Draw, linkTo: LinkTo): string {
  const share = draw.below(10);
  if (share < 2) return '';
  const first = `{"fileUrl":"${linkTo(id, 0)}"}`;
  return share < 8 ? first : `${first},{"fileUrl":"${linkTo(id, 1)}"}`;
}

/** The amounts, in both kinds of invoices; what is paid follows from the status. */
export function renderAmounts(ledger: Ledger, index: number): string {
  const [total, currency] = [ledger.amountOf(index), ledger.currencyOf(index)];
  const [net, paid] = [netOf(total, currency), paidOf(ledger, index)];
  const open = ledger.statusOf(index) === 'NULLIFIED' ? 0 : total - paid;
  const text = (amount: number): string => moneyText(amount, currency);
  const totalText = ledger.isOddlySpelled(index) ? oddMoneyText(total, index) : text(total);
  return (
    `,"currency":"${currency}","totalAmount":${totalText},"netAmount":${text(net)},"taxAmount":${text(total - net)}` +
    `,"amountToBePaid":${text(open)},"conciliatedAmount":${text(paid)}`
  );
}

function paidOf(ledger: Ledger, index: number): number {
  const status = ledger.statusOf(index);
  if (status === 'PAID' || status === 'MANUALLY_MARKED_AS_PAID') return ledger.amountOf(index);
  return status === 'PARTIALLY_PAID' ? Math.round(ledger.amountOf(index) / 500) * 100 : 0;
}

function renderPayments(ledger: Ledger, index: number, draw: Draw): string {
  const paid = paidOf(ledger, index);
  if (paid === 0) return '';
  const date = dayText(ledger.dayOf(index) + draw.below(40));
  const amount = moneyText(paid, ledger.currencyOf(index));
  return `{"id":${7_000_000 + draw.below(1e6)},"date":"${date}","amount":${amount},"method":"TRANSFER"}`;
}

function exchangeRate(ledger: Ledger, index: number, draw: Draw): string {
  if (ledger.currencyOf(index) === 'CLP') return '1';
  return draw.below(4) === 0
    ? `9.${1000 + draw.below(9000)}E2`
    : `9${10 + draw.below(90)}.${10 + draw.below(90)}0`;
}

function renderCategories(draw: Draw): string {
  const names = Array.from(
    { length: draw.below(3) },
    () => `{"id":${draw.below(90)},"name":"${draw.pick(categories)}"}`,
  );
  return `[${names.join(',')}]`;
}

/** Fields that no record has before the last tenth of the listing, and one that only the last has. */
function lateFields(ledger: Ledger, index: number): string {
  if (index < ledger.count * 0.9) return '';
  const last = index === ledger.count - 1;
  const dispute = `,"dispute":{"openedAt":"${dayText(ledger.dayOf(index))}","reason":"Monto, según \\"OC\\""}`;
  return (last || index % 7 === 0 ? dispute : '') + (last ? ',"closing":{"year":2026,"ratio":1.50}' : '');
}
