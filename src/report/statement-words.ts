import type { ReportLanguage } from './words.ts';

/** What only statements say, in one language. */
export interface StatementWords {
  readonly title: string;
  readonly to: string;
  readonly asOf: (day: string) => string;
  readonly amountDue: string;
  /** To a supplier: what the sender owes. */
  readonly amountPayable: string;
  readonly inFavour: string;
  readonly overdueNow: (amount: string) => string;
  /** Where there are credits, which are not taken away from it. */
  readonly overdueBeforeCredits: (amount: string) => string;
  readonly ages: string;
  readonly documents: string;
  readonly credits: string;
  readonly cancelledDocuments: string;
  readonly number: string;
  readonly type: string;
  readonly date: string;
  readonly due: string;
  readonly daysLate: string;
  readonly total: string;
  readonly open: string;
  readonly payments: string;
  readonly paid: (amount: string, day: string) => string;
  readonly sum: string;
  readonly settled: string;
  readonly notWhole: string;
  readonly unreadable: (count: string) => string;
  readonly cancelled: (amount: string) => string;
  readonly withoutAmount: (count: string) => string;
  readonly index: string;
  readonly indexNote: string;
  readonly indexNotWhole: string;
  readonly amount: string;
  readonly customer: string;
  readonly supplier: string;
  readonly overdue: string;
  readonly openDocuments: string;
  readonly nobody: string;
}

const en: StatementWords = {
  title: 'Statement of account',
  to: 'To',
  asOf: (day) => `As of ${day}`,
  amountDue: 'Amount due',
  amountPayable: 'Amount payable to you',
  inFavour: 'In your favour',
  overdueNow: (amount) => `Overdue: ${amount}`,
  overdueBeforeCredits: (amount) => `Overdue, before credits: ${amount}`,
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
  paid: (amount, day) => `${amount} on ${day}`,
  sum: 'Sum',
  settled: 'Nothing is open.',
  notWhole: 'This statement is not whole: not every document could be read. Do not rely on it.',
  unreadable: (count) => `Documents of this account that could not be read: ${count}.`,
  cancelled: (amount) => `Cancelled documents, which would add ${amount}, are not open.`,
  withoutAmount: (count) => `Documents that say no open amount: ${count}.`,
  index: 'Statements of account',
  indexNote: 'This list names everyone: keep it, and send each page to whom it is for.',
  indexNotWhole:
    'Not everything could be read. Some pages may be missing, and some may be of an earlier day.',
  amount: 'Amount due',
  customer: 'Customer',
  supplier: 'Supplier',
  overdue: 'Overdue',
  openDocuments: 'Documents',
  nobody: 'Nobody has anything open.',
};

const es: StatementWords = {
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
  indexNotWhole: 'No se pudo leer todo. Pueden faltar páginas, y algunas pueden ser de un día anterior.',
  amount: 'Monto adeudado',
  customer: 'Cliente',
  supplier: 'Proveedor',
  overdue: 'Vencido',
  openDocuments: 'Documentos',
  nobody: 'Nadie tiene saldo pendiente.',
};

/** What statements say, in the language. */
export function statementWords(language: ReportLanguage): StatementWords {
  return language === 'es' ? es : en;
}
