import type { Context } from '../context.ts';
import { formatDay } from '../json/calendar-day.ts';
import { formatDecimal, negateDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import { digitGrouper, localeOf } from '../output/terminal/number-text.ts';

export type ReportLanguage = 'en' | 'es';

/** The language of a locale such as `es-CL`; English for all other languages. */
function languageOf(locale: string): ReportLanguage {
  return locale.toLowerCase().startsWith('es') ? 'es' : 'en';
}

/** The names of the placeholders in a text: `day` in `As of {day}`. */
type Holes<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Holes<Rest>
  : never;

/** A text of pages in both languages, with the same holes. */
function both<const En extends string, const Es extends string>(
  en: En,
  es: Es & ([Holes<Es>, Holes<En>] extends [Holes<En>, Holes<Es>] ? unknown : never),
): { readonly en: En; readonly es: string } {
  return { en, es };
}

const TEXTS = {
  title: both('Invoices and funds', 'Facturas y fondos'),
  asOf: both('As of {day}', 'Al {day}'),
  made: both('Made by folio', 'Hecho con folio'),
  organization: both('Organization', 'Organización'),
  fiscalId: both('Fiscal ID', 'ID fiscal'),
  whole: both('Every listing was read whole.', 'Todos los listados se leyeron completos.'),
  givenWhole: both(
    'Every listing that was given was read whole.',
    'Todos los listados entregados se leyeron completos.',
  ),
  notWhole: both(
    'These figures are not whole. Do not rely on them.',
    'Estas cifras no están completas. No las use como base.',
  ),
  laterPayments: both(
    'The balances are those of {day}. What was paid after the day above is counted as paid already.',
    'Los saldos son los del {day}. Lo pagado después de la fecha indicada ya se cuenta como pagado.',
  ),
  earlierBalances: both(
    'The balances are those of {day}. What was issued or paid since is not in them.',
    'Los saldos son los del {day}. Lo emitido o pagado desde entonces no está en ellos.',
  ),
  undated: both(
    'It is unknown when these records were read: they may be older than the day above.',
    'No se sabe cuándo se leyeron estos registros: pueden ser anteriores a la fecha indicada.',
  ),
  newer: both(
    'Some of the records were read after the day above.',
    'Parte de los registros se leyó después de la fecha indicada.',
  ),
  withoutCredits: both(
    'Credits are not subtracted: only the documents to be paid are shown.',
    'No se descuentan los créditos: son solo los documentos por pagar.',
  ),
  onlyOverdue: both(
    'Only what was due before this day is shown, without credits and without what falls due later.',
    'Solo se informa lo vencido antes de este día, sin créditos y sin lo que vence después.',
  ),
  onlyPeriod: both(
    'Only documents issued in this period are shown: {period}.',
    'Solo se informan los documentos emitidos en este período: {period}.',
  ),
  part: both(
    'Only a part of the documents was there to read: what is shown here may not be all.',
    'Solo había una parte de los documentos: lo que se informa aquí puede no ser todo.',
  ),
  receivable: both('Receivable', 'Por cobrar'),
  payable: both('Payable', 'Por pagar'),
  net: both('Receivable less payable', 'Por cobrar menos por pagar'),
  billed: both('Billed', 'Facturado'),
  overdue: both('Overdue', 'Vencido'),
  overduePayable: both('Overdue payable', 'Vencido por pagar'),
  overdueOf: both('{amount} overdue', '{amount} vencido'),
  nothingOverdue: both('nothing overdue', 'nada vencido'),
  ageing: both('Open amounts by age', 'Saldos abiertos por antigüedad'),
  months: both('Issued and received by month', 'Emitido y recibido por mes'),
  monthsAbout: both(
    'Totals of the invoices of each month by their date of issue, less credit notes.',
    'Totales de las facturas de cada mes según su fecha de emisión, descontadas las notas de crédito.',
  ),
  month: both('Month', 'Mes'),
  issued: both('Issued', 'Emitido'),
  received: both('Received', 'Recibido'),
  documents: both('Documents', 'Documentos'),
  oneDocument: both('{count} document', '{count} documento'),
  someDocuments: both('{count} documents', '{count} documentos'),
  inPeriod: both('{documents} in the period', '{documents} en el período'),
  oneCancelled: both('of these {count} cancelled: {amount}', 'de ellos {count} anulado: {amount}'),
  someCancelled: both('of these {count} cancelled: {amount}', 'de ellos {count} anulados: {amount}'),
  issuedByType: both('Issued by type of document, {period}', 'Emitido por tipo de documento, {period}'),
  receivedByType: both('Received by type of document, {period}', 'Recibido por tipo de documento, {period}'),
  byDocumentDate: both(
    'By the date of the documents; credit notes are negative. A tax form goes by the period of the register, which may be another.',
    'Según la fecha de los documentos; las notas de crédito van en negativo. El formulario de impuestos va por el período del registro, que puede ser otro.',
  ),
  inNoSum: both(
    '{documents} of the period in no sum: delivery guides, quotes, orders or void.',
    '{documents} del período en ninguna suma: guías de despacho, cotizaciones, órdenes de compra o nulos.',
  ),
  type: both('Type', 'Tipo'),
  noType: both('No type', 'Sin tipo'),
  exempt: both('Exempt', 'Exento'),
  netAmount: both('Net amount', 'Neto'),
  tax: both('Tax', 'Impuesto'),
  taxReceived: both('{amount} in what was received', '{amount} en lo recibido'),
  inNoMonth: both(
    '{documents} without a date of issue or a total, in no month.',
    '{documents} sin fecha de emisión o sin total, en ningún mes.',
  ),
  without: both('Documents that do not say it: {roles}.', 'Documentos que no lo indican: {roles}.'),
  debtors: both('Who owes most', 'Quién debe más'),
  creditors: both('Whom you owe most', 'A quién se debe más'),
  counterparty: both('Counterparty', 'Contraparte'),
  total: both('Total', 'Total'),
  dueSoon: both('To be received in the next thirty days', 'Por cobrar en los próximos treinta días'),
  dueSoonPay: both('To be paid in the next thirty days', 'Por pagar en los próximos treinta días'),
  largest: both('Largest overdue invoices', 'Mayores facturas vencidas'),
  number: both('Number', 'Número'),
  due: both('Due', 'Vence'),
  days: both('Days overdue', 'Días de atraso'),
  amount: both('Open amount', 'Saldo'),
  funds: both('Funds with a balance', 'Fondos con saldo'),
  fund: both('Fund', 'Fondo'),
  status: both('Status', 'Estado'),
  balance: both('Balance', 'Saldo'),
  currency: both('Currency', 'Moneda'),
  noCurrency: both('No currency', 'Sin moneda'),
  noName: both('No name', 'Sin nombre'),
  noDueDate: both('No due date', 'Sin vencimiento'),
  credits: both('Credits', 'Créditos'),
  creditNotes: both('Credit notes in it', 'De ello, notas de crédito'),
  cancelled: both('Cancelled, not in it', 'Anulado, no incluido'),
  missing: both('Documents without amount', 'Documentos sin saldo'),
  noCurrencyRow: both('No currency named', 'Sin moneda indicada'),
  notDue: both('Not due', 'No vencido'),
  noBalances: both(
    'Open amounts, ageing and counterparties are not shown.',
    'No se muestran saldos abiertos, antigüedad ni contrapartes.',
  ),
  noMonths: both('The totals by month are not shown.', 'No se muestran los totales por mes.'),
  noFunds: both('The funds are not shown.', 'No se muestran los fondos.'),
  firstOf: both(
    'The first {shown} of {all}; all of them come to {sum}.',
    'Los primeros {shown} de {all}; todos suman {sum}.',
  ),
  firstParties: both('The first {shown} of {all}.', 'Los primeros {shown} de {all}.'),
  others: both('{count} more', '{count} más'),
  notGiven: both('There was no such listing among the files.', 'Ese listado no estaba entre los archivos.'),
  Q1: both('first quarter of {year}', 'primer trimestre de {year}'),
  Q2: both('second quarter of {year}', 'segundo trimestre de {year}'),
  Q3: both('third quarter of {year}', 'tercer trimestre de {year}'),
  Q4: both('fourth quarter of {year}', 'cuarto trimestre de {year}'),
  daysRange: both('{from}–{to} days', '{from}–{to} días'),
  over: both('Over {days} days', 'Más de {days} días'),
  sortBy: both('Sort by', 'Ordenar por'),

  statement: both('Statement of account', 'Estado de cuenta'),
  to: both('To', 'Para'),
  amountDue: both('Amount due', 'Monto adeudado'),
  /** To a supplier: what the sender owes. */
  amountPayable: both('Amount payable to you', 'Monto a pagarle'),
  inFavour: both('In your favour', 'Saldo a su favor'),
  /** To a supplier: what he owes the sender. */
  inOurFavour: both('In our favour', 'Saldo a nuestro favor'),
  overdueNow: both('Overdue: {amount}', 'Vencido: {amount}'),
  /** For overdue amounts beside credits, which are not subtracted. */
  overdueBeforeCredits: both('Overdue, before credits: {amount}', 'Vencido, antes de créditos: {amount}'),
  ages: both('By age', 'Por antigüedad'),
  openDocuments: both('Open documents', 'Documentos pendientes'),
  creditDocuments: both('Credits, which reduce the amount', 'Créditos, que reducen el monto'),
  cancelledDocuments: both('Cancelled documents, in no sum', 'Documentos anulados, en ninguna suma'),
  date: both('Date', 'Fecha'),
  dueDate: both('Due', 'Vencimiento'),
  daysLate: both('Days late', 'Días de atraso'),
  open: both('Open', 'Saldo'),
  payments: both('Payments', 'Pagos'),
  paid: both('{amount} on {day}', '{amount} el {day}'),
  sum: both('Sum', 'Suma'),
  settled: both('Nothing is open.', 'No hay nada pendiente.'),
  statementNotWhole: both(
    'This statement is not whole: not every document could be read. Do not rely on it.',
    'Este estado de cuenta no está completo: no se pudieron leer todos los documentos. No lo use como base.',
  ),
  unreadable: both(
    'Documents of this account that could not be read: {count}.',
    'Documentos de esta cuenta que no se pudieron leer: {count}.',
  ),
  cancelledOf: both(
    'Cancelled documents, which would add {amount}, are not open.',
    'Los documentos anulados, que sumarían {amount}, no están pendientes.',
  ),
  withoutAmount: both(
    'Documents without an open amount: {count}.',
    'Documentos que no indican saldo: {count}.',
  ),
  index: both('Statements of account', 'Estados de cuenta'),
  indexNote: both(
    'This list names everyone: keep it, and send each page only to its recipient.',
    'Esta lista nombra a todos: consérvela, y envíe cada página a quien corresponda.',
  ),
  indexNotWhole: both(
    'Not everything could be read. Some pages may be missing.',
    'No se pudo leer todo. Pueden faltar páginas.',
  ),
  customer: both('Customer', 'Cliente'),
  supplier: both('Supplier', 'Proveedor'),
  nobody: both('Nobody has anything open.', 'Nadie tiene saldo pendiente.'),
} as const;

/** A text as it is, or a function that fills its holes. */
type PageText<Text extends string> = [Holes<Text>] extends [never]
  ? string
  : (values: Readonly<Record<Holes<Text>, string | number>>) => string;

/** All texts of pages, in one language. */
export type Texts = { readonly [Name in keyof typeof TEXTS]: PageText<(typeof TEXTS)[Name]['en']> };

function textsIn(language: ReportLanguage): Texts {
  const texts = Object.entries(TEXTS).map(([name, inBoth]) => {
    const text = inBoth[language];
    const fill = (values: Readonly<Record<string, string | number>>): string =>
      text.replaceAll(/\{(\w+)\}/g, (_, hole: string) => String(values[hole]));
    return [name, text.includes('{') ? fill : text] as const;
  });
  return Object.fromEntries(texts) as Texts;
}

/** Uses this language, else the locale's, such as `es-CL`. Numbers and dates follow the locale if it has that language. */
export function writingFor({ env }: Pick<Context, 'env'>, wanted: ReportLanguage | undefined) {
  const locale = localeOf(env);
  const language = wanted ?? languageOf(locale);
  const tag = languageOf(locale) === language && /^(?:en|es)/i.test(locale) ? locale : language;
  const group = digitGrouper(tag);
  /** Writes a day such as `2026-11-21`. */
  const dates = (options: Intl.DateTimeFormatOptions): ((day: string) => string) => {
    const format = new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' });
    return (day) => format.format(new Date(`${day}T00:00:00Z`));
  };
  const day = dates({ day: 'numeric', month: 'short', year: 'numeric' });
  const longDay = dates({ dateStyle: 'long' });
  const month = dates({ month: 'short', year: '2-digit' });
  const longMonth = dates({ month: 'long', year: 'numeric' });
  const oneDecimal = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  const percent = new Intl.NumberFormat(tag, { style: 'percent', ...oneDecimal });
  const texts = textsIn(language);
  /** @param scale digits behind the point, at least */
  const amountsAt = (scale?: number) => {
    const amount = (value: Decimal): string => group(formatDecimal(value, scale));
    const money = (value: Decimal, currency: string | undefined): string => {
      if (currency === undefined) return amount(value);
      if (!/^[A-Z]{3}$/.test(currency)) return `${currency} ${amount(value)}`;
      const isNegative = value.coefficient < 0n;
      // The locale decides where the sign and the name of the currency stand; every digit is the amount's own.
      const digits = amount(isNegative ? negateDecimal(value) : value);
      return new Intl.NumberFormat(tag, { style: 'currency', currency, maximumFractionDigits: 0 })
        .formatToParts(isNegative ? -1 : 1)
        .map((part) => (part.type === 'integer' ? digits : part.value))
        .join('');
    };
    return { amount, money };
  };
  return {
    language,
    texts,
    /** `amount`: every digit, grouped as the locale does. `money`: the same with the currency, if any: `$5.872.443`. */
    ...amountsAt(),
    amountsAt,
    count: (value: number): string => value.toLocaleString(tag),
    /** A day, in days since 1970-01-01. */
    day: (days: number): string => day(formatDay(days)),
    /** `22 de noviembre de 2026`. */
    longDay: (days: number): string => longDay(formatDay(days)),
    /** `noviembre de 2026` for `2026-11`, and the like for a quarter and a year. */
    period: (name: string): string => {
      const [, year = name, quarter, ofYear] = /^(\d{4})(?:-(?:Q(\d)|(\d\d)))?$/.exec(name) ?? [];
      if (quarter !== undefined) return texts[`Q${quarter as '1' | '2' | '3' | '4'}`]({ year });
      return ofYear === undefined ? year : longMonth(`${name}-01`);
    },
    /** `nov 26` for `2026-11`. */
    month: (name: string): string => month(`${name}-01`),
    /** A share as a percentage with one decimal; undefined unless the whole is above zero and the part is not below. */
    share: (part: Decimal, whole: Decimal): string | undefined => {
      if (whole.coefficient <= 0n || part.coefficient < 0n) return undefined;
      const scale = Math.max(part.scale, whole.scale);
      const [a, b] = [part, whole].map((one) => one.coefficient * 10n ** BigInt(scale - one.scale));
      // In thousandths, rounded half up.
      return percent.format(Number((a! * 2000n + b!) / (2n * b!)) / 1000);
    },
  };
}

/** How a page writes its texts, numbers and dates. */
export type Writing = ReturnType<typeof writingFor>;

/** The same for amounts that have so many digits behind the point, at least. */
export function writingAt(writing: Writing, scale: number): Writing {
  return { ...writing, ...writing.amountsAt(scale) };
}

/** Digits behind the point of amounts of a currency: as many as it has, or more as the most exact of the amounts. */
export function scaleOf(currency: string | undefined, amounts: readonly Decimal[]): number {
  if (currency === undefined || !/^[a-z]{3}$/i.test(currency)) return widestScale(amounts);
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return Math.max(format.resolvedOptions().minimumFractionDigits ?? 0, widestScale(amounts));
}
