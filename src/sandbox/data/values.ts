/**
 * A well mixed 32-bit number for a place in the data: the same for the same three numbers, on every machine. Records
 * are made of such numbers when they are asked for, so that none has to be kept.
 */
export function hash32(seed: number, index: number, salt = 0): number {
  return mix(mix(mix(seed ^ 0x9e3779b9) ^ index) ^ Math.imul(salt + 1, 0x27d4eb2f)) >>> 0;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

/** A sequence of numbers that follows from its seed (mulberry32). */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number, 0 <= n < limit; the limit at most 2^32. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const MILLISECONDS_A_DAY = 86_400_000;
const dayTexts = new Map<number, string>();

/** A day as `2024-10-15`; `day` counts from 1970-01-01. */
export function dayText(day: number): string {
  let text = dayTexts.get(day);
  if (text === undefined) {
    text = new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10);
    dayTexts.set(day, text);
  }
  return text;
}

/** The first day of the data, the day that counts as today in it, and the days between. */
export const FIRST_DAY = Date.UTC(2024, 10, 1) / MILLISECONDS_A_DAY;
export const REFERENCE_DAY = Date.UTC(2026, 10, 1) / MILLISECONDS_A_DAY;
export const DAYS_OF_DATA = REFERENCE_DAY - FIRST_DAY;

/**
 * An ISO 8601 date, or date with time, as days since 1970-01-01 (with a fraction for the time); undefined when the
 * text is neither, or no such day exists.
 */
export function parseServiceDay(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  const [midnight, moment] = [Date.parse(`${form?.[1]}T00:00:00Z`), Date.parse(text)];
  if (form === null || Number.isNaN(midnight) || Number.isNaN(moment)) return undefined;
  // Date.parse makes 1 March of 30 February.
  if (new Date(midnight).toISOString().slice(0, 10) !== form[1]) return undefined;
  return moment / MILLISECONDS_A_DAY;
}

export type Currency = 'CLP' | 'USD' | 'EUR';

/** An amount in hundredths as a JSON number literal: whole in pesos, two decimals elsewhere (`1190.10`). */
export function moneyText(hundredths: number, currency: Currency): string {
  if (currency === 'CLP') return String(hundredths / 100);
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * The same amount spelled in a way that a reader of exact literals must keep: `7E5`, `7.0e+05`, `700000.00`.
 * For pesos that are one digit and zeros; others are left as they are.
 */
export function oddMoneyText(hundredths: number, style: number): string {
  const plain = String(hundredths / 100);
  const form = /^(-?\d)(0{3,})$/.exec(plain);
  if (form === null) return `${plain}.00`;
  const [, digit, zeros] = form;
  return style % 2 === 0 ? `${digit}E${zeros!.length}` : `${digit}.0e+0${zeros!.length}`;
}

/** Without value added tax of 19 %, rounded to what the currency has. Both in hundredths. */
export function netOf(hundredths: number, currency: Currency): number {
  const unit = currency === 'CLP' ? 100 : 1;
  return Math.round(hundredths / 1.19 / unit) * unit;
}

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

const TRADES = [
  'Comercial',
  'Constructora',
  'Panadería',
  'Librería',
  'Transportes',
  'Agrícola',
  'Ferretería',
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
];
const FORMS = ['SpA', 'Ltda.', 'S.A.', 'E.I.R.L.'];
const GIVEN_NAMES = ['Sofía', 'Martín', 'Inés', 'José', 'Ana', 'Begoña', 'Lucía', 'Tomás', 'Andrés', 'Zoë'];
const FAMILY_NAMES = ['Núñez', 'Pérez', "O'Higgins", 'Muñoz', 'González', 'Ibáñez', 'Saavedra', 'Güell'];

/** A company's name as a JSON string literal; every third is a difficult one. */
export function companyName(seed: number, index: number): string {
  if (index % 3 === 2) {
    const round = Math.floor(index / 3 / DIFFICULT_NAMES.length);
    const name = DIFFICULT_NAMES[Math.floor(index / 3) % DIFFICULT_NAMES.length]!;
    return `"${name}${round === 0 ? '' : ` ${round + 1}`}"`;
  }
  const random = hash32(seed, index, 20);
  const name = `${choose(TRADES, random)} ${choose(PLACES, random >>> 8)} ${choose(FORMS, random >>> 16)}`;
  return `"${name}"`;
}

/** A person's name as a JSON string literal. */
export function personName(random: number): string {
  return `"${choose(GIVEN_NAMES, random)} ${choose(FAMILY_NAMES, random >>> 8)}"`;
}

function choose(list: readonly string[], random: number): string {
  return list[random % list.length]!;
}
