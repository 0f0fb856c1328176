/*
 * Made-up records for measuring, as the service would write them: the same in every run, each different. Numbers are
 * written as literals, so that trailing zeros are among them.
 */

const CITIES = ['Santiago', 'Ñuñoa', 'Viña del Mar', 'Concepción', 'Temuco', 'Puerto Varas'];
const NAMES = [
  'Comercial Río Blanco SpA',
  'Agrícola "Los Robles" Ltda.',
  'Muñoz, Pérez y Cía.',
  'Transportes del Sur',
];

/** An issued invoice of about 1.2 KB: 25 columns, objects within, arrays, escapes, commas, accents. */
export function issuedInvoice(number: number): string {
  const id = hash(number);
  const cents = (id % 90_000_000) + 1_000;
  const party = id % 30_000_000;
  const name = JSON.stringify(`${NAMES[party % NAMES.length]} ${party % 977}`);
  const city = CITIES[id % CITIES.length];
  const fiscalId = `${60_000_000 + party}-${party % 10}`;
  return (
    `{"id":"${hex(number)}","number":${number},"documentType":"INVOICE","status":"${id % 3 ? 'PAID' : 'OVERDUE'}",` +
    `"date":"${date(number)}","dueBy":"${date(number + 30)}","currency":"CLP","totalAmount":${money(cents)},` +
    `"netAmount":${money(cents * 0.81)},"taxAmount":${money(cents * 0.19)},"amountToBePaid":${id % 3 ? '0.00' : money(cents)},` +
    `"conciliatedAmount":${id % 3 ? money(cents) : '0.00'},"exchangeRate":930.440,"issuerFiscalId":"96486919-7",` +
    `"receiverFiscalId":"${fiscalId}","customer":{"id":"${hex(id)}","fiscalId":"${fiscalId}","name":${name},` +
    `"email":"cobranza${id % 977}@example.com","address":{"street":"Av. República ${id % 3000}","city":"${city}","country":"CL"}},` +
    `"categories":[{"id":${id % 90},"name":"Productos"},{"id":${id % 70},"name":"Servicios"}],` +
    `"payments":[{"id":${id},"date":"${date(number + 20)}","amount":${money(cents)},"method":"TRANSFER"}],` +
    `"referenceNumber":"inv_${hex(id)}","purchaseOrder":${id % 5 ? 'null' : `"OC-${id % 10_000}"`},` +
    `"notes":"Entregar en bodega ${id % 9}, portón \\"B\\"\\nHorario: 9 a 18 h, sin excepción","sentByEmail":${id % 2 === 0},` +
    `"paymentInstructions":{"bank":"Banco de la Cordillera","account":"00-417-${id % 100_000}-05",` +
    `"note":"Indicar el número del documento en la glosa de la transferencia"},` +
    `"files":[{"fileUrl":"https://files.example.com/1/${hex(number)}/0?expires=1795316400&signature=${hex(id)}${hex(cents)}"}],` +
    `"createdAt":"${date(number).slice(0, 10)}T13:30:07.939Z"}`
  );
}

function hash(number: number): number {
  return Math.imul(number ^ (number >>> 15), 0x2c1b3c6d) >>> 1;
}

function hex(number: number): string {
  return hash(number).toString(16).padStart(8, '0') + number.toString(16).padStart(16, '0');
}

function date(days: number): string {
  return `${2020 + (days % 6)}-${two((days % 12) + 1)}-${two((days % 28) + 1)}T00:00:00Z`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function money(cents: number): string {
  return `${Math.floor(cents / 100)}.${two(Math.floor(cents) % 100)}`;
}
