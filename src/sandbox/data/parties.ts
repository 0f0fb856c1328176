import { FiscalIds, type RecordIds } from './ids.ts';
import { hash32, list, type Currency } from './values.ts';

/**
 * Names that break careless programs, as the inside of JSON strings: escapes for terminals, formulas for
 * spreadsheets, quotes, separators and line breaks for csv, characters of one to four bytes, composed and escaped.
 */
const DIFFICULT_NAMES = [
  '\\u001b[31mImprenta Roja\\u001b[0m',
  '=SUM(A1:A9) Consultores',
  'Comercial \\"La Única\\", Hijos y Cía. Ltda.',
  'Transportes del Sur\\nSucursal Ñuñoa',
  '+56 Telefonía SpA',
  'Fiestas 🎈 y Globos',
  '-Descuentos Ñandú',
  '株式会社 山田商店',
  '@rroba Medios',
  'Repuestos; Fletes; Grúas',
  'Müller, Schäfer & Söhne GmbH',
  'Tabla\\tRasa\\r\\nEditores',
  'Sociedad C:\\\\Datos S.A.',
  'Cohetes \\ud83d\\ude80 Andinos',
  'Pen\\u0303a y Pe\u0301rez Asociados',
  'Iz\\u202eadreiuq\\u202c \\u200bInvisible',
  'A\\/B \\u00c1gil',
  'Łódź Żegluga Sp. z o.o.',
];

const TRADES = {
  customer:
    list(`Comercial, Constructora, Panadería, Librería, Clínica, Agrícola, Ferretería, Hotel, Colegio, Viña,
  Farmacia, Inmobiliaria`),
  supplier:
    list(`Distribuidora, Imprenta, Transportes, Energía, Telecomunicaciones, Seguros, Papelera, Arriendos,
  Combustibles, Publicidad, Aseo Industrial, Maestranza`),
};
const PLACES =
  list(`Roble, Los Álamos, Ñuble, Santa Inés, Aconcagua, Río Bueno, Del Valle, Tres Cruces, Maipo,
  La Serena, Andes, El Peñón, Llanquihue, San Martín, Pacífico, Copihue`);
const FORMS = list(`SpA, Ltda., S.A., E.I.R.L.`);
const GIVEN_NAMES = list(`Sofía, Martín, Inés, José, Ana, Begoña, Lucía, Tomás, Andrés, Zoë`);
const FAMILY_NAMES = list(`Núñez, Pérez, O'Higgins, Muñoz, González, Ibáñez, Saavedra, Güell`);

const STREETS = list(`Av. Libertador, Calle Ñuñoa, O'Higgins, Camino a Melipilla, Pasaje 3, Av. República`);
const CITIES = list(`Santiago, Viña del Mar, Concepción, Valparaíso, Temuco, Chillán`);
const TERMS = [30, 30, 30, 30, 15, 45, 60, 0];

/** A person's name as a JSON string literal. */
export function personName(random: number): string {
  return `"${choose(GIVEN_NAMES, random)} ${choose(FAMILY_NAMES, random >>> 8)}"`;
}

function choose<T>(all: readonly T[], random: number): T {
  return all[random % all.length]!;
}

interface PartyOptions {
  /** How many there are; records refer to one even where there are none. */
  readonly count: number;
  readonly firstFiscalId: number;
  readonly kind: keyof typeof TRADES;
  readonly awkward: boolean;
}

export type Parties = ReturnType<typeof openParties>;

/** The customers of an organization, or the issuers of the invoices that it receives. Texts are JSON. */
export function openParties(ids: RecordIds, { count, firstFiscalId, kind, awkward }: PartyOptions) {
  const { seed } = ids;
  const fiscalIds = new FiscalIds(firstFiscalId, count);
  const trades = TRADES[kind];
  const numbered = (round: number): string => (round === 0 ? '' : ` ${round + 1}`);

  /** The first 192 of a kind differ; a number tells later ones apart. Every third awkward one is a difficult one. */
  const nameOf = (index: number): string => {
    if (awkward && index % 3 === 2) {
      const position = Math.floor(index / 3);
      const round = Math.floor(position / DIFFICULT_NAMES.length);
      return `"${choose(DIFFICULT_NAMES, position)}${numbered(round)}"`;
    }
    const pairs = trades.length * PLACES.length;
    // 71 and 192 have no divisor in common, so that each pair of trade and place comes once in a round.
    const pair = ((hash32(seed, 0, 20) % pairs) + index * 71) % pairs;
    const name = `${choose(trades, pair)} ${PLACES[Math.floor(pair / trades.length)]}`;
    return `"${name}${numbered(Math.floor(index / pairs))} ${choose(FORMS, hash32(seed, index, 20))}"`;
  };
  const emailOf = (index: number): string => `"cobranza${index + 1}@example.com"`;
  const addressOf = (index: number): string => {
    const random = hash32(seed, index, 30);
    const street = `${choose(STREETS, random)} ${1 + ((random >>> 8) % 4000)}`;
    return `{"street":"${street}","city":"${choose(CITIES, random >>> 4)}","country":"CL"}`;
  };

  return {
    ids,
    seed,
    count,
    fiscalIds,
    nameOf,
    emailOf,
    addressOf,
    /** In which invoices are written. One in four is abroad. */
    currencyOf(index: number): Currency {
      const share = (index + seed) % 12;
      return share < 9 ? 'CLP' : share < 11 ? 'USD' : 'EUR';
    },
    /** Days between an invoice and the day on which it is due. */
    termOf: (index: number): number => choose(TERMS, hash32(seed, index, 12)),
    /** Whether no value added tax is due on what is bought or sold, as for schooling. */
    isExempt: (index: number): boolean => hash32(seed, index, 23) % 9 === 0,
    /** The object that stands for the party within an invoice. */
    summaryOf: (index: number): string =>
      `{"id":"${ids.of(index)}","fiscalId":"${fiscalIds.of(index)}"` +
      `,"name":${nameOf(index)},"email":${emailOf(index)},"address":${addressOf(index)}}`,
  };
}
