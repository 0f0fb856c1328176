import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

const hostileText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom(
    '',
    'l\nm',
    '\r',
    '\u2028',
    ...'id a.b a b __proto__ constructor toString =1+1 x,y " \\'.split(' '),
  ),
);

/** A JSON string literal: spelled as JSON.stringify would, or with any of its characters escaped. */
const stringText: fc.Arbitrary<string> = fc
  .tuple(hostileText, fc.constantFrom(0, 0, 0, 1, 2))
  .map(([text, style]) => {
    if (style === 0) return JSON.stringify(text);
    const escaped = Array.from({ length: text.length }, (_, index) => {
      const unit = `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`;
      return style === 2 ? unit.replace(/[a-f]/g, (digit) => digit.toUpperCase()) : unit;
    });
    return `"${escaped.join('')}"`;
  });

/** A number literal in any spelling that JSON has. */
const numberText: fc.Arbitrary<string> = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc
    .tuple(fc.integer({ min: -9999, max: 9999 }), fc.stringMatching(/^[0-9]{1,20}$/))
    .map(([whole, part]) => `${whole}.${part}`),
  fc.constantFrom('0', '-0', '0.00', '1190.10', '1E2', '1e+2', '-1.50e-07', '12345678901234567890', '1e400'),
);

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n  ');

interface JsonTextOptions {
  /** White space between tokens, or none at all. */
  readonly spaced?: boolean;
  readonly depth?: number;
}

/** The text of an object, with duplicate names now and then. */
export function objectText(options: JsonTextOptions = {}): fc.Arbitrary<string> {
  const gap = options.spaced === false ? fc.constant('') : space;
  const depth = options.depth ?? 4;
  const member = fc
    .tuple(gap, stringText, gap, gap, valueText({ ...options, depth: depth - 1 }), gap)
    .map(([before, name, mid, late, value, after]) => `${before}${name}${mid}:${late}${value}${after}`);
  return fc
    .tuple(gap, fc.array(member, { maxLength: 5 }))
    .map(([empty, members]) => (members.length === 0 ? `{${empty}}` : `{${members.join(',')}}`));
}

/** The text of any value. */
export function valueText(options: JsonTextOptions = {}): fc.Arbitrary<string> {
  const scalar = fc.oneof(stringText, numberText, fc.constantFrom('true', 'false', 'null'));
  if ((options.depth ?? 4) <= 0) return scalar;
  return fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: objectText(options) },
    { weight: 1, arbitrary: arrayText({ ...options, depth: (options.depth ?? 4) - 1 }) },
  );
}

function arrayText(options: JsonTextOptions): fc.Arbitrary<string> {
  const gap = options.spaced === false ? fc.constant('') : space;
  const element = fc.tuple(gap, valueText(options), gap).map((parts) => parts.join(''));
  return fc
    .tuple(gap, fc.array(element, { maxLength: 4 }))
    .map(([empty, elements]) => (elements.length === 0 ? `[${empty}]` : `[${elements.join(',')}]`));
}
