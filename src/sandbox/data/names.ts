import { hash32 } from './hash.ts';

/**
 * Names that break careless programs, as the inside of JSON strings: escapes for terminals, formulas for
 * spreadsheets, quotes, separators and line breaks for csv, characters of one to four bytes, composed and escaped.
 */
const difficultNames = [
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

const trades = [
  'Comercial',
  'Constructora',
  'Panadería',
  'Librería',
  'Transportes',
  'Agrícola',
  'Ferretería',
];
const places = [
  'Roble',
  'Los Álamos',
  'Ñuble',
  'Santa Inés',
  'Aconcagua',
  'Río Bueno',
  'Del Valle',
  'Tres Cruces',
];
const forms = ['SpA', 'Ltda.', 'S.A.', 'E.I.R.L.'];
const givenNames = ['Sofía', 'Martín', 'Inés', 'José', 'Ana', 'Begoña', 'Lucía', 'Tomás', 'Andrés', 'Zoë'];
const familyNames = ['Núñez', 'Pérez', "O'Higgins", 'Muñoz', 'González', 'Ibáñez', 'Saavedra', 'Güell'];

/** A company's name as a JSON string literal; every third is a difficult one. */
export function companyName(seed: number, index: number): string {
  if (index % 3 === 2) {
    const round = Math.floor(index / 3 / difficultNames.length);
    const name = difficultNames[Math.floor(index / 3) % difficultNames.length]!;
    return `"${name}${round === 0 ? '' : ` ${round + 1}`}"`;
  }
  const random = hash32(seed, index, 20);
  const name = `${choose(trades, random)} ${choose(places, random >>> 8)} ${choose(forms, random >>> 16)}`;
  return `"${name}"`;
}

/** A person's name as a JSON string literal. */
export function personName(random: number): string {
  return `"${choose(givenNames, random)} ${choose(familyNames, random >>> 8)}"`;
}

function choose(list: readonly string[], random: number): string {
  return list[random % list.length]!;
}
