import { dayText } from './calendar.ts';
import { Draw, hash32 } from './hash.ts';
import { renderAmounts } from './issued-record.ts';
import type { Ledger } from './ledger.ts';
import type { Book } from './organization.ts';

const accounts = [
  'Gastos generales',
  'Arriendos',
  'Honorarios',
  'Combustible',
  'Fletes y acarreos',
  'Publicidad',
];
const centers = ['Administración', 'Operaciones Norte', 'Operaciones Sur', 'Ventas', 'Ñuble'];

/** A received invoice as the JSON text that the service sends: about 12 KB, most of it accounting entries. */
export function renderReceived(book: Book, index: number): string {
  const { ledger, ids, parties } = book;
  const draw = new Draw(hash32(ledger.seed, index, 50));
  const party = ledger.partyOf(index);
  const [id, date] = [ids.of(index), dayText(ledger.dayOf(index))];
  const arrival = dayText(ledger.arrivalDayOf(index));
  return (
    `{"id":"${id}","number":${ledger.numberOf(index)},"documentType":"${ledger.typeOf(index)}"` +
    `,"status":"${ledger.statusOf(index)}","date":"${date}","dueBy":"${dayText(ledger.dueDayOf(index))}"` +
    `,"receivedDate":"${arrival}T09:${10 + draw.below(50)}:00Z"${renderAmounts(ledger, index)}` +
    `,"issuerFiscalId":"${parties.fiscalIds.of(party)}","receiverFiscalId":"${book.owner}"` +
    `,"issuer":${parties.summaryOf(party)},"approval":${renderApproval(draw)}` +
    `,"accountingEntries":[${renderEntries(ledger, index, draw)}]` +
    `,"referenceNumber":"rec_${id.slice(0, 14)}","folio":${draw.below(40) === 0 ? '9007199254740993' : 1e6 + draw.below(1e6)}` +
    `${lateFields(ledger, index)}}`
  );
}

function renderApproval(draw: Draw): string {
  if (draw.below(4) === 0) return 'null';
  return `{"state":"APPROVED","by":{"name":"Begoña Núñez","role":"Contador/a"},"steps":${1 + draw.below(3)}}`;
}

/** 33 to 40 entries of about 300 bytes, so that 500 records fit the 6 MB of a response and 1000 do not. */
function renderEntries(ledger: Ledger, index: number, draw: Draw): string {
  const count = 33 + draw.below(8);
  const number = ledger.numberOf(index);
  let text = '';
  for (let line = 1; line <= count; line++) {
    const [center, amount] = [draw.below(centers.length), draw.below(9_000_000)];
    text +=
      `${line === 1 ? '' : ','}{"line":${line},"account":{"code":"5-${100 + draw.below(900)}-${10 + draw.below(90)}"` +
      `,"name":"${draw.pick(accounts)}"},"debit":${amount}.${10 + draw.below(90)},"credit":0.00` +
      `,"costCenter":{"code":"CC-${center}${line}","name":"${centers[center]}"}` +
      `,"description":"Documento ${number}, línea ${line}: imputación automática según regla ${draw.below(500)}"` +
      `,"tax":{"code":"IVA","rate":0.190,"recoverable":${line % 9 !== 0}},"project":null}`;
  }
  return text;
}

/** A claim appears only in the last twentieth of the listing. */
function lateFields(ledger: Ledger, index: number): string {
  const late = index >= ledger.count * 0.95 && (index % 3 === 0 || index === ledger.count - 1);
  return late ? `,"claim":{"code":"RCD","date":"${dayText(ledger.dayOf(index))}","accepted":false}` : '';
}
