import { hash32 } from './values.ts';

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

const CUSTOMERS = [
  'Comercial',
  'Constructora',
  'Panadería',
  'Librería',
  'Clínica',
  'Agrícola',
  'Ferretería',
  'Hotel',
  'Colegio',
  'Viña',
  'Farmacia',
  'Inmobiliaria',
];
const SUPPLIERS = [
  'Distribuidora',
  'Imprenta',
  'Transportes',
  'Energía',
  'Telecomunicaciones',
  'Seguros',
  'Papelera',
  'Arriendos',
  'Combustibles',
  'Publicidad',
  'Aseo Industrial',
  'Maestranza',
];
const PLACES = [
  'Roble',
  'Los Álamos',
  'Ñuble',
  'Santa Inés',
  'Aconcagua',
  'Río Bueno',
  'Del Valle',
  'Tres Cruces',
  'Maipo',
  'La Serena',
  'Andes',
  'El Peñón',
  'Llanquihue',
  'San Martín',
  'Pacífico',
  'Copihue',
];
const FORMS = ['SpA', 'Ltda.', 'S.A.', 'E.I.R.L.'];
const GIVEN_NAMES = ['Sofía', 'Martín', 'Inés', 'José', 'Ana', 'Begoña', 'Lucía', 'Tomás', 'Andrés', 'Zoë'];
const FAMILY_NAMES = ['Núñez', 'Pérez', "O'Higgins", 'Muñoz', 'González', 'Ibáñez', 'Saavedra', 'Güell'];

/** Which companies are named, and how. */
export interface Naming {
  readonly seed: number;
  readonly kind: 'customer' | 'supplier';
  /** Whether every third name is a difficult one. */
  readonly awkward: boolean;
}

/** A company's name as a JSON string literal. The first 192 of a kind differ; a number tells later ones apart. */
export function companyName({ seed, kind, awkward }: Naming, index: number): string {
  const numbered = (round: number): string => (round === 0 ? '' : ` ${round + 1}`);
  if (awkward && index % 3 === 2) {
    const place = Math.floor(index / 3);
    const round = Math.floor(place / DIFFICULT_NAMES.length);
    return `"${DIFFICULT_NAMES[place % DIFFICULT_NAMES.length]!}${numbered(round)}"`;
  }
  const trades = kind === 'customer' ? CUSTOMERS : SUPPLIERS;
  const count = trades.length * PLACES.length;
  // 71 and 192 have no divisor in common, so that each pair of trade and place comes once in a round.
  const pair = ((hash32(seed, 0, 20) % count) + index * 71) % count;
  const name = `${trades[pair % trades.length]} ${PLACES[Math.floor(pair / trades.length)]}`;
  return `"${name}${numbered(Math.floor(index / count))} ${choose(FORMS, hash32(seed, index, 20))}"`;
}

/** A person's name as a JSON string literal. */
export function personName(random: number): string {
  return `"${choose(GIVEN_NAMES, random)} ${choose(FAMILY_NAMES, random >>> 8)}"`;
}

function choose(list: readonly string[], random: number): string {
  return list[random % list.length]!;
}
