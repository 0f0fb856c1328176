import { dayText, daysOfData, firstDay } from './calendar.ts';
import { Draw, hash32 } from './hash.ts';
import { moneyText } from './money.ts';
import { companyName, personName } from './names.ts';
import type { Parties } from './parties.ts';

/** A customer as the JSON text that the service sends. */
export function renderCustomer(customers: Parties, index: number): string {
  const draw = new Draw(hash32(customers.seed, index, 60));
  const created = dayText(firstDay + Math.floor((index * daysOfData) / customers.count));
  const overdue = draw.below(3) === 0 ? draw.below(5_000_000) : 0;
  const balance = overdue + draw.below(90_000_000);
  return (
    `{"id":"${customers.ids.of(index)}","fiscalId":"${customers.fiscalIds.of(index)}"` +
    `,"name":${companyName(customers.seed, index)},"email":"${customers.emailOf(index)}"` +
    `,"phone":${draw.below(4) === 0 ? 'null' : `"+56 9 ${1000 + draw.below(9000)} ${1000 + draw.below(9000)}"`}` +
    `,"address":${customers.addressOf(index)},"contacts":[${renderContacts(draw)}]` +
    `,"paymentTermDays":${15 * draw.below(5)},"currency":"USD"` +
    `,"balance":{"total":${moneyText(balance, 'USD')},"overdue":${moneyText(overdue, 'USD')}}` +
    `,"creditLimit":${draw.below(6) === 0 ? '2.5E6' : `${draw.below(9000)}000.00`}` +
    `,"createdAt":"${created}T08:30:00Z"${lateFields(customers, index)}}`
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
function lateFields(customers: Parties, index: number): string {
  return index >= customers.count * 0.9
    ? `,"assignedTo":{"name":${personName(index)},"team":"Cobranza"}`
    : '';
}
