import { dayText, daysOfData, firstDay } from './calendar.ts';
import { Draw, hash32 } from './hash.ts';
import { moneyText } from './money.ts';
import { companyName, personName } from './names.ts';
import type { Funds } from './organization.ts';

const purposes = [
  'Viaje a terreno, Ñuble',
  'Caja chica',
  'Feria "Expo Norte"',
  'Capacitación',
  'Materiales\\nObra 7',
];
const states = ['OPEN', 'ACCOUNTED', 'CLOSED'];

/** A fund to be accounted for, as JSON text without the closing brace: its documents may follow. Index 0 is the oldest. */
export function openFund(funds: Funds, index: number): string {
  const draw = new Draw(hash32(funds.seed, index, 70));
  const created = dayText(firstDay + Math.floor((index * daysOfData) / funds.count));
  const [amount, spent] = [100 * (50_000 + draw.below(900_000)), 100 * draw.below(50_000)];
  const purpose = draw.pick(purposes).replaceAll('"', '\\"');
  return (
    `{"id":"${funds.ids.of(index)}","number":${index + 1},"name":"${purpose}","status":"${draw.pick(states)}"` +
    `,"owner":{"name":${personName(draw.below(2 ** 31))},"fiscalId":${draw.below(5) === 0 ? 'null' : '"12345678-5"'}}` +
    `,"currency":"CLP","amount":${moneyText(amount, 'CLP')},"accountedAmount":${moneyText(spent, 'CLP')}` +
    `,"balance":${moneyText(amount - spent, 'CLP')},"transferId":70${1e8 + draw.below(1e8)}${1e7 + draw.below(9e7)}` +
    `,"createdAt":"${created}T10:00:00Z"${draw.below(3) === 0 ? `,"closedAt":"${created}T18:00:00Z"` : ''}`
  );
}

/** A document assigned to a fund, as JSON text. */
export function renderDocument(funds: Funds, fund: number, index: number): string {
  const draw = new Draw(hash32(funds.seed + fund, index, 80));
  const date = dayText(firstDay + draw.below(daysOfData));
  const issuer = draw.below(Math.max(1, funds.issuers.count));
  const late = index === funds.documents - 1 && index > 0 ? ',"rejection":{"reason":"Sin timbre"}' : '';
  return (
    `{"id":"${funds.ids.of(fund).slice(0, 12)}-${index + 1}","type":"${draw.pick(['RECEIPT', 'INVOICE', 'TICKET'])}"` +
    `,"number":${1000 + draw.below(90_000)},"date":"${date}"` +
    `,"issuer":{"fiscalId":"${funds.issuers.fiscalIds.of(issuer)}","name":${companyName(funds.issuers.seed, issuer)}}` +
    `,"currency":"CLP","totalAmount":${100 + draw.below(90_000)},"taxAmount":${draw.below(900)}.${10 + draw.below(90)}` +
    `,"category":${draw.below(6) === 0 ? 'null' : '"Colación, peajes"'}${late}}`
  );
}
