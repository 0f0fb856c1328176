import type { Context } from '../context.ts';
import type { Role } from '../invoices/fields.ts';
import type { FindingDetails, UnreadableCell } from '../findings.ts';
import { formatDay } from '../json/calendar-day.ts';
import { formatDecimal, negateDecimal, type Decimal } from '../json/decimal.ts';
import { digitGrouper, localeOf } from '../output/terminal/number-text.ts';
import type { Doubt } from './figures.ts';

/** The languages that a report is written in. */
export type ReportLanguage = 'en' | 'es';

/** The language of a locale such as `es-CL`; English where it is neither Spanish nor English. */
function languageOf(locale: string): ReportLanguage {
  return locale.toLowerCase().startsWith('es') ? 'es' : 'en';
}

/** The same reasons as those of folio's messages, in another language. */
export interface DoubtWords {
  readonly listings: Readonly<Record<Doubt['listing'], string>>;
  readonly missing: (count: number, text: string, reasons: readonly string[]) => string;
  readonly unserved: (places: string) => string;
  readonly reasons: Readonly<
    Record<NonNullable<Extract<FindingDetails, { code: 'records missing' }>['reason']>, string>
  >;
  readonly unreadable: (count: number, text: string, cells: readonly string[]) => string;
  readonly cell: (cell: UnreadableCell) => string;
  readonly token: string;
  readonly service: string;
  readonly roles: Readonly<Record<Role, string>>;
  readonly column: (role: string, columns: readonly string[], field: string) => string;
}

/** Everything that a page says, in English. */
const en = {
  title: 'Invoices and funds',
  asOf: 'As of',
  period: 'Period',
  made: 'Made by folio',
  organization: 'Organization',
  fiscalId: 'Fiscal ID',
  whole: 'Every listing was read whole.',
  notWhole: 'These figures are not whole. Do not rely on them.',
  laterPayments:
    'The service tells balances as they are today. What was paid after the day above is counted as paid already.',
  receivable: 'Receivable',
  payable: 'Payable',
  net: 'Net',
  overdue: 'Overdue',
  overdueOf: (amount: string, share: string | undefined) =>
    share === undefined ? `${amount} overdue` : `${amount} overdue, ${share}`,
  nothingOverdue: 'nothing overdue',
  open: 'Open',
  ageing: 'Open amounts by age',
  ageingAbout: 'How long the open amounts are overdue, in days.',
  months: 'Issued and received by month',
  monthsAbout: 'Totals of the invoices of each month by their date of issue; credit notes are taken away.',
  month: 'Month',
  issued: 'Issued',
  received: 'Received',
  documents: 'Documents',
  countDocuments: (count: number, text: string) => `${text} ${count === 1 ? 'document' : 'documents'}`,
  inPeriod: (documents: string) => `${documents} in the period`,
  cancelledIn: (_: number, text: string, amount: string) => `of these ${text} cancelled: ${amount}`,
  issuedByType: (period: string) => `Issued by type of document, ${period}`,
  receivedByType: (period: string) => `Received by type of document, ${period}`,
  byDocumentDate:
    'By the date of the documents; credit notes are negative. A tax form goes by the period of the register, which may be another.',
  inNoSum: (count: number, text: string) =>
    `${text} ${count === 1 ? 'document' : 'documents'} of the period in no sum: delivery guides, quotes, orders or void.`,
  type: 'Type',
  noType: 'No type',
  otherTypes: 'Other types',
  exempt: 'Exempt',
  netAmount: 'Net amount',
  tax: 'Tax',
  without: (roles: string) => `Documents that do not say it: ${roles}.`,
  debtors: 'Who owes most',
  creditors: 'Whom you owe most',
  counterparty: 'Counterparty',
  total: 'Total',
  dueSoon: 'To be received in the next thirty days',
  dueSoonPay: 'To be paid in the next thirty days',
  largest: 'Largest overdue invoices',
  number: 'Number',
  due: 'Due',
  days: 'Days overdue',
  amount: 'Open amount',
  funds: 'Funds with a balance',
  fund: 'Fund',
  status: 'Status',
  balance: 'Balance',
  currency: 'Currency',
  noCurrency: 'No currency',
  noName: 'No name',
  noDueDate: 'No due date',
  credits: 'Credits',
  cancelledOf: (amount: string) => `cancelled documents that would add ${amount} are not open.`,
  withoutAmount: (count: string) => `documents that say no open amount: ${count}.`,
  noCurrencyRow: 'No currency named',
  notDue: 'Not due',
  figures: 'The figures as a table',
  nothingOpen: 'Nothing is open.',
  missing: {
    balances: 'Open amounts, ageing and counterparties are not shown.',
    months: 'The totals by month are not shown.',
    dueSoon: 'What falls due is not shown.',
    funds: 'The funds are not shown.',
  },
  firstOf: (shown: string, all: string, sum: string) =>
    `The first ${shown} of ${all}; all of them come to ${sum}.`,
  firstParties: (shown: string, all: string) => `The first ${shown} of ${all}.`,
  others: (count: string) => `${count} more`,
  notGiven: 'There was no such listing among the files.',
  quarter: (quarter: number, year: string) =>
    `${['first', 'second', 'third', 'fourth'][quarter - 1]} quarter of ${year}`,
  daysRange: (from: number, to: number) => `${from}–${to} days`,
  over: (days: number) => `Over ${days} days`,
  sortBy: 'Sort by',
  /** Stands before words of folio's in English; undefined where the page is in English. */
  folioSays: undefined as string | undefined,
  /** Why figures are not whole; undefined where folio's own words say it. */
  doubts: undefined as DoubtWords | undefined,
  /** What only statements say. */
  statement: {
    title: 'Statement of account',
    to: 'To',
    asOf: (day: string) => `As of ${day}`,
    amountDue: 'Amount due',
    /** To a supplier: what the sender owes. */
    amountPayable: 'Amount payable to you',
    inFavour: 'In your favour',
    overdueNow: (amount: string) => `Overdue: ${amount}`,
    /** Where there are credits, which are not taken away from it. */
    overdueBeforeCredits: (amount: string) => `Overdue, before credits: ${amount}`,
    ages: 'By age',
    documents: 'Open documents',
    credits: 'Credits, which reduce the amount',
    cancelledDocuments: 'Cancelled documents, in no sum',
    number: 'Number',
    type: 'Type',
    date: 'Date',
    due: 'Due',
    daysLate: 'Days late',
    total: 'Total',
    open: 'Open',
    payments: 'Payments',
    paid: (amount: string, day: string) => `${amount} on ${day}`,
    sum: 'Sum',
    settled: 'Nothing is open.',
    notWhole: 'This statement is not whole: not every document could be read. Do not rely on it.',
    unreadable: (count: string) => `Documents of this account that could not be read: ${count}.`,
    cancelled: (amount: string) => `Cancelled documents, which would add ${amount}, are not open.`,
    withoutAmount: (count: string) => `Documents that say no open amount: ${count}.`,
    index: 'Statements of account',
    indexNote: 'This list names everyone: keep it, and send each page to whom it is for.',
    indexNotWhole: 'Not everything could be read. Some pages may be missing.',
    amount: 'Amount due',
    customer: 'Customer',
    supplier: 'Supplier',
    overdue: 'Overdue',
    openDocuments: 'Documents',
    nobody: 'Nobody has anything open.',
  },
};

/** Everything that a page says, in one language. */
export type Words = typeof en;

const es: Words = {
  title: 'Facturas y fondos',
  asOf: 'Al',
  period: 'Período',
  made: 'Hecho con folio',
  organization: 'Organización',
  fiscalId: 'ID fiscal',
  whole: 'Todos los listados se leyeron completos.',
  notWhole: 'Estas cifras no están completas. No las use como base.',
  laterPayments:
    'El servicio informa los saldos de hoy. Lo pagado después de la fecha indicada ya se cuenta como pagado.',
  receivable: 'Por cobrar',
  payable: 'Por pagar',
  net: 'Neto',
  overdue: 'Vencido',
  overdueOf: (amount, share) => (share === undefined ? `${amount} vencido` : `${amount} vencido, ${share}`),
  nothingOverdue: 'nada vencido',
  open: 'Abierto',
  ageing: 'Saldos abiertos por antigüedad',
  ageingAbout: 'Cuántos días llevan vencidos los saldos abiertos.',
  months: 'Emitido y recibido por mes',
  monthsAbout:
    'Totales de las facturas de cada mes según su fecha de emisión, descontadas las notas de crédito.',
  month: 'Mes',
  issued: 'Emitido',
  received: 'Recibido',
  documents: 'Documentos',
  countDocuments: (count, text) => `${text} ${count === 1 ? 'documento' : 'documentos'}`,
  inPeriod: (documents) => `${documents} en el período`,
  cancelledIn: (count, text, amount) => `de ellos ${text} ${count === 1 ? 'anulado' : 'anulados'}: ${amount}`,
  issuedByType: (period) => `Emitido por tipo de documento, ${period}`,
  receivedByType: (period) => `Recibido por tipo de documento, ${period}`,
  byDocumentDate:
    'Según la fecha de los documentos; las notas de crédito van en negativo. El formulario de impuestos va por el período del registro, que puede ser otro.',
  inNoSum: (count, text) =>
    `${text} ${count === 1 ? 'documento' : 'documentos'} del período en ninguna suma: guías de despacho, cotizaciones, órdenes de compra o nulos.`,
  type: 'Tipo',
  noType: 'Sin tipo',
  otherTypes: 'Otros tipos',
  exempt: 'Exento',
  netAmount: 'Neto',
  tax: 'Impuesto',
  without: (roles) => `Documentos que no lo indican: ${roles}.`,
  debtors: 'Quién debe más',
  creditors: 'A quién se debe más',
  counterparty: 'Contraparte',
  total: 'Total',
  dueSoon: 'Por cobrar en los próximos treinta días',
  dueSoonPay: 'Por pagar en los próximos treinta días',
  largest: 'Mayores facturas vencidas',
  number: 'Número',
  due: 'Vence',
  days: 'Días de atraso',
  amount: 'Saldo',
  funds: 'Fondos con saldo',
  fund: 'Fondo',
  status: 'Estado',
  balance: 'Saldo',
  currency: 'Moneda',
  noCurrency: 'Sin moneda',
  noName: 'Sin nombre',
  noDueDate: 'Sin vencimiento',
  credits: 'Créditos',
  cancelledOf: (amount) => `los documentos anulados, que sumarían ${amount}, no están abiertos.`,
  withoutAmount: (count) => `documentos que no indican saldo: ${count}.`,
  noCurrencyRow: 'Sin moneda indicada',
  notDue: 'No vencido',
  figures: 'Las cifras en una tabla',
  nothingOpen: 'No hay nada abierto.',
  missing: {
    balances: 'No se muestran saldos abiertos, antigüedad ni contrapartes.',
    months: 'No se muestran los totales por mes.',
    dueSoon: 'No se muestra lo que vence.',
    funds: 'No se muestran los fondos.',
  },
  firstOf: (shown, all, sum) => `Los primeros ${shown} de ${all}; todos suman ${sum}.`,
  firstParties: (shown, all) => `Los primeros ${shown} de ${all}.`,
  others: (count) => `${count} más`,
  notGiven: 'Ese listado no estaba entre los archivos.',
  quarter: (quarter, year) =>
    `${['primer', 'segundo', 'tercer', 'cuarto'][quarter - 1]} trimestre de ${year}`,
  daysRange: (from, to) => `${from}–${to} días`,
  over: (days) => `Más de ${days} días`,
  sortBy: 'Ordenar por',
  folioSays: 'folio dice, en inglés:',
  doubts: {
    listings: { issued: 'Facturas emitidas', received: 'Facturas recibidas', funds: 'Fondos' },
    missing: (count, text, reasons) =>
      `${count === 1 ? 'se leyó 1 registro' : `se leyeron ${text} registros`}, pero no todos: ${reasons.join('; ')}.`,
    unserved: (places) => `el servicio no entrega los números ${places} del listado, ni siquiera solos`,
    reasons: {
      changing: 'el listado siguió cambiando mientras se leía',
      order: 'el orden del servicio cambia de una solicitud a otra',
      unsteady: 'leído de nuevo, el listado llegó distinto: cambian su orden o sus registros',
      total: 'el servicio indica un total mayor que el que entrega',
      repeating: 'el servicio envía, página tras página, registros que ya había enviado',
      more: 'llegaron más registros que los indicados: algunos cambiaron mientras se leían y están en dos versiones',
      ids: 'de varios ID fiscales en una solicitud, el servicio puede haber leído uno solo',
    },
    unreadable: (count, text, cells) =>
      `${count === 1 ? 'queda fuera 1 registro que no se puede' : `quedan fuera ${text} registros que no se pueden`} leer: ` +
      `${cells.join('; ')}${count > cells.length ? '; y otros' : ''}.`,
    cell: ({ column, place, number }) =>
      `${column} del registro ${place}${number === undefined ? '' : ` (número ${number})`}`,
    token: 'el servicio no acepta el token, o no hay ninguno.',
    service: 'el servicio no respondió, o respondió con una falla.',
    roles: {
      open: 'saldo',
      paid: 'monto pagado',
      total: 'total',
      net: 'monto neto',
      exempt: 'monto exento',
      tax: 'impuesto',
      due: 'fecha de vencimiento',
      date: 'fecha de emisión',
      number: 'número',
      documentType: 'tipo de documento',
      status: 'estado',
      cancelled: 'marca de documentos anulados',
      currency: 'moneda',
      counterpartyName: 'nombre de la contraparte',
      counterpartyFiscalId: 'ID fiscal de la contraparte',
      balance: 'saldo',
    },
    column: (role, columns, field) =>
      `Ningún registro tiene ${role}${columns.length === 0 ? '' : ` en ${columns.join(' o ')}`}: indique la columna con --field ${field}=<columna>.`,
  },
  statement: {
    title: 'Estado de cuenta',
    to: 'Para',
    asOf: (day) => `Al ${day}`,
    amountDue: 'Monto adeudado',
    amountPayable: 'Monto a pagarle',
    inFavour: 'Saldo a su favor',
    overdueNow: (amount) => `Vencido: ${amount}`,
    overdueBeforeCredits: (amount) => `Vencido, antes de créditos: ${amount}`,
    ages: 'Por antigüedad',
    documents: 'Documentos pendientes',
    credits: 'Créditos, que reducen el monto',
    cancelledDocuments: 'Documentos anulados, en ninguna suma',
    number: 'Número',
    type: 'Tipo',
    date: 'Fecha',
    due: 'Vencimiento',
    daysLate: 'Días de atraso',
    total: 'Total',
    open: 'Saldo',
    payments: 'Pagos',
    paid: (amount, day) => `${amount} el ${day}`,
    sum: 'Suma',
    settled: 'No hay nada pendiente.',
    notWhole:
      'Este estado de cuenta no está completo: no se pudieron leer todos los documentos. No lo use como base.',
    unreadable: (count) => `Documentos de esta cuenta que no se pudieron leer: ${count}.`,
    cancelled: (amount) => `Los documentos anulados, que sumarían ${amount}, no están pendientes.`,
    withoutAmount: (count) => `Documentos que no indican saldo: ${count}.`,
    index: 'Estados de cuenta',
    indexNote: 'Esta lista nombra a todos: consérvela, y envíe cada página a quien corresponda.',
    indexNotWhole: 'No se pudo leer todo. Pueden faltar páginas.',
    amount: 'Monto adeudado',
    customer: 'Cliente',
    supplier: 'Proveedor',
    overdue: 'Vencido',
    openDocuments: 'Documentos',
    nobody: 'Nadie tiene saldo pendiente.',
  },
};

/** How a page writes words, numbers and dates. */
export interface Writing {
  readonly language: ReportLanguage;
  readonly words: Words;
  /** Every digit, grouped as the locale does. */
  readonly amount: (value: Decimal) => string;
  readonly count: (value: number) => string;
  /** The same with the currency, as the locale has it: `$5.872.443`. Without a currency, the amount alone. */
  readonly money: (value: Decimal, currency: string | undefined) => string;
  /** A day, in days since 1970-01-01. */
  readonly day: (day: number) => string;
  /** `22 de noviembre de 2026`. */
  readonly longDay: (day: number) => string;
  /** `noviembre de 2026` for `2026-11`, and the like for a quarter and a year. */
  readonly period: (name: string) => string;
  /** `nov 26` for `2026-11`. */
  readonly month: (name: string) => string;
  /** A rough number for the axis of a chart: `1.2M`. */
  readonly rough: (value: number) => string;
  /** A share of 1, with one decimal. */
  readonly share: (part: Decimal, whole: Decimal) => string | undefined;
}

/**
 * How pages are written for a user: in the language that is asked for, else in that of the locale, such as `es-CL`. Where the
 * locale is of another language, numbers and dates are written as the language does.
 */
export function writingFor({ env }: Pick<Context, 'env'>, asked: ReportLanguage | undefined): Writing {
  const locale = localeOf(env);
  const language = asked ?? languageOf(locale);
  const tag = languageOf(locale) === language && /^(?:en|es)/i.test(locale) ? locale : language;
  const group = digitGrouper(tag);
  const dayFormat = dateFormat(tag, { day: 'numeric', month: 'short', year: 'numeric' });
  const longDayFormat = dateFormat(tag, { dateStyle: 'long' });
  const longMonthFormat = dateFormat(tag, { month: 'long', year: 'numeric' });
  const monthFormat = dateFormat(tag, { month: 'short', year: '2-digit' });
  const rough = new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(tag, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const words = language === 'es' ? es : en;
  const amount = (value: Decimal): string => group(formatDecimal(value));
  return {
    language,
    words,
    amount,
    money: (value, currency) => {
      if (currency === undefined) return amount(value);
      if (!/^[A-Z]{3}$/.test(currency)) return `${currency} ${amount(value)}`;
      const { coefficient } = value;
      // The locale says where the sign and the name of the currency stand; every digit is the amount's own.
      const digits = amount(coefficient < 0n ? negateDecimal(value) : value);
      return new Intl.NumberFormat(tag, { style: 'currency', currency, maximumFractionDigits: 0 })
        .formatToParts(coefficient < 0n ? -1 : 1)
        .map((part) => (part.type === 'integer' ? digits : part.value))
        .join('');
    },
    count: (value) => value.toLocaleString(tag),
    day: (day) => dayFormat.format(new Date(`${formatDay(day)}T00:00:00Z`)),
    longDay: (day) => longDayFormat.format(new Date(`${formatDay(day)}T00:00:00Z`)),
    period: (name) => {
      const [, year = name, quarter, month] = /^(\d{4})(?:-(?:Q(\d)|(\d\d)))?$/.exec(name) ?? [];
      if (quarter !== undefined) return words.quarter(Number(quarter), year);
      return month === undefined ? year : longMonthFormat.format(new Date(`${name}-01T00:00:00Z`));
    },
    month: (name) => monthFormat.format(new Date(`${name}-01T00:00:00Z`)),
    rough: (value) => rough.format(value),
    share: (part, whole) => {
      const thousandths = perMille(part, whole);
      return thousandths === undefined ? undefined : percent.format(thousandths / 1000);
    },
  };
}

function dateFormat(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC' });
}

/** A share in thousandths, rounded half up; undefined where there is nothing to have a share of. */
function perMille(part: Decimal, whole: Decimal): number | undefined {
  if (whole.coefficient <= 0n || part.coefficient < 0n) return undefined;
  const scale = Math.max(part.scale, whole.scale);
  const [a, b] = [part, whole].map((one) => one.coefficient * 10n ** BigInt(scale - one.scale));
  return Number((a! * 2000n + b!) / (2n * b!));
}
