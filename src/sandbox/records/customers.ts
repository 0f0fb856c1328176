import type { Ledger } from '../data/ledger.ts';
import { personName } from '../data/parties.ts';
import { DAYS_OF_DATA, dayText, Draw, hash32, moneyText } from '../data/values.ts';

/** Days within which all customers were won, before the data begins. */
const DAYS_OF_GROWTH = 1500;

/** A customer as the JSON text that the service sends. */
export function renderCustomer(ledger: Ledger, index: number): string {
  const { parties } = ledger;
  const draw = new Draw(hash32(parties.seed, index, 60));
  const firstDay = ledger.today - DAYS_OF_DATA - DAYS_OF_GROWTH;
  const created = dayText(firstDay + Math.floor((index * DAYS_OF_GROWTH) / parties.count));
  const currency = parties.currencyOf(index);
  const { open, overdue } = ledger.balanceOf(index);
  const limit = 100 * draw.below(40) * (currency === 'CLP' ? 500_000 : 1000);
  return (
    `{"id":"${parties.ids.of(index)}","fiscalId":"${parties.fiscalIds.of(index)}"` +
    `,"name":${parties.nameOf(index)},"email":"${parties.emailOf(index)}"` +
    `,"phone":${draw.below(4) === 0 ? 'null' : `"+56 9 ${1000 + draw.below(9000)} ${1000 + draw.below(9000)}"`}` +
    `,"address":${parties.addressOf(index)},"contacts":[${renderContacts(draw)}]` +
    `,"paymentTermDays":${parties.termOf(index)},"currency":"${currency}"` +
    `,"balance":{"total":${moneyText(open, currency)},"overdue":${moneyText(overdue, currency)}}` +
    `,"creditLimit":${ledger.awkward && draw.below(6) === 0 ? '2.5E6' : moneyText(limit, currency)}` +
    `,"createdAt":"${created}T08:30:00Z"${lateFields(ledger, index)}}`
  );
}

function renderContacts(draw: Draw): string {
  const contacts = Array.from(
    { length: draw.below(3) },
    () => `{"name":${personName(draw.below(2 ** 31))},"email":"contacto${draw.below(900)}@example.com"}`,
  );
  return contacts.join(',');
}

/** Only the customers of the last tenth have somebody who looks after them. */
function lateFields({ parties }: Ledger, index: number): string {
  return index >= parties.count * 0.9 ? `,"assignedTo":{"name":${personName(index)},"team":"Cobranza"}` : '';
}
