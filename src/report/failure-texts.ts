import { fieldOf, type Role } from '../invoices/fields.ts';
import type { Finding, FindingDetails } from '../findings.ts';
import type { ListingFinding, ListingName, MissingFigure } from './figures.ts';
import { el, type Content } from './html.ts';
import type { ReportLanguage, Writing } from './texts.ts';

/*
 * Why figures are not whole. A page in English has folio's own messages; a page in Spanish has translations of some of them.
 */

const LISTINGS: Readonly<Record<ListingName, string>> = {
  issued: 'Facturas emitidas',
  received: 'Facturas recibidas',
  funds: 'Fondos',
};

const REASONS: Readonly<
  Record<NonNullable<Extract<FindingDetails, { code: 'records missing' }>['reason']>, string>
> = {
  changing: 'el listado siguió cambiando mientras se leía',
  order: 'el orden del servicio cambia de una solicitud a otra',
  unsteady: 'sus páginas no coinciden entre sí: cambian su orden o sus registros',
  adjoining: 'sus páginas no se superponen, y no llegaron iguales dos veces',
  total: 'el servicio indica un total mayor que el que entrega',
  repeating: 'el servicio envía, página tras página, registros que ya había enviado',
  more: 'llegaron más registros que los indicados: algunos cambiaron mientras se leían y están en dos versiones',
  ids: 'de varios ID fiscales en una solicitud, el servicio puede haber leído uno solo',
};

const ROLES: Readonly<Record<Role, string>> = {
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
};

/** Why a listing is not whole. */
export function failureText(failure: ListingFinding, { language, count }: Writing): Content {
  const { part, text } = failure;
  if (language === 'en') return `${part}: ${text}`;
  const spanish = inSpanish(failure, count);
  return spanish === undefined
    ? messageOfFolio(`${part}: ${text}`, language)
    : `${LISTINGS[part]}: ${spanish}`;
}

/** Why a figure is not on the page. */
export function missingText(
  { text, hint = '', details }: MissingFigure,
  { language, texts }: Writing,
): Content {
  if (details?.code === 'no source') return texts.notGiven;
  if (details?.code !== 'column missing' || language === 'en')
    return messageOfFolio(`${text}. ${hint}`, language);
  const role = details.role as Role;
  const columns = details.columns.length === 0 ? '' : ` en ${details.columns.join(' o ')}`;
  return `Ningún registro tiene ${ROLES[role]}${columns}: indique la columna con --field ${fieldOf(role)}=<columna>.`;
}

/** A message of folio's, which is in English whatever the language of the page. */
function messageOfFolio(text: string, language: ReportLanguage): Content {
  const says = language === 'es' ? 'folio dice, en inglés: ' : undefined;
  return [says, el('code', { lang: 'en' }, text.trim())];
}

function inSpanish({ details, kind }: Finding, count: Writing['count']): string | undefined {
  if (details?.code === 'records missing') {
    const { delivered, unserved, reason } = details;
    const read = delivered === 1 ? 'se leyó 1 registro' : `se leyeron ${count(delivered)} registros`;
    const numbers = positionsText(unserved, count);
    const reasons = [
      ...(unserved.length === 0
        ? []
        : [`el servicio no entrega los números ${numbers} del listado, ni siquiera solos`]),
      ...(reason === undefined ? [] : [REASONS[reason]]),
    ];
    return `${read}, pero no todos: ${reasons.join('; ')}.`;
  }
  if (details?.code === 'unreadable') {
    const cells = details.cells.map(
      ({ column, place, number }) =>
        `${column} del registro ${place}${number === undefined ? '' : ` (número ${number})`}`,
    );
    const left =
      details.count === 1
        ? 'queda fuera 1 registro que no se puede'
        : `quedan fuera ${count(details.count)} registros que no se pueden`;
    return `${left} leer: ${cells.join('; ')}${details.count > cells.length ? '; y otros' : ''}.`;
  }
  if (kind === 'auth') return 'el servicio no acepta el token, o no hay ninguno.';
  return kind === 'service' ? 'el servicio no respondió, o respondió con una falla.' : undefined;
}

const MAX_POSITIONS = 20;

function positionsText(positions: readonly number[], count: Writing['count']): string {
  const more = positions.length > MAX_POSITIONS ? ', …' : '';
  return `${positions.slice(0, MAX_POSITIONS).map(count).join(', ')}${more}`;
}
