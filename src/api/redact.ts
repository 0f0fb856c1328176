import { proxySecrets } from './transport.ts';

const HIDDEN = '[hidden]';

/** A text that is not to be seen: however it is printed, logged or serialised, only `reveal` gives it away. */
export class Secret {
  readonly #text: string;

  /** Whether the scheme `Bearer` was taken off the text. */
  readonly hadScheme: boolean;

  constructor(text: string, hadScheme = false) {
    this.#text = text;
    this.hadScheme = hadScheme;
  }

  /** For the one header that needs it and for the store. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** A shorter text occurs in many words, and no real secret is that short. */
const MIN_SECRET_LENGTH = 4;
/** A part of a secret of at least so many characters is hidden, too: a text may have been cut within the secret. */
const PART = 10;
/** The same for a secret in hexadecimal, where a short part may be any number. */
const HEX_PART = 20;
/** A shorter part in base64 may occur by chance. */
const MIN_BASE64_LENGTH = 8;

/** Replaces what must not be shown in a text. */
export type Redact = (text: string) => string;

/**
 * Makes a function that hides the secrets in a text by their exact values, and all longer parts of them: as they are,
 * percent-encoded (wholly, in part, twice), with the escapes of JSON, in hexadecimal, and in base64 (also within a longer
 * encoded text, as in Basic credentials). A pattern of what tokens look like would miss a token without "Bearer". Only
 * JSON Web Tokens are also hidden by their look, because a user may type one where no token is expected. Upper and lower
 * case are the same, because host names are shown in lower case. A signed link keeps its address and loses its query.
 * The time is linear in the length of the text, whatever is in it. Redact first, then cut.
 */
export function redactor(secrets: readonly string[]): Redact {
  const long = [...new Set(secrets)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  const parts = partsOf(long.flatMap(needlesOf));
  return (text) => {
    const hidden = new Uint8Array(text.length);
    for (const view of viewsOf(text)) {
      for (const [length, known] of parts) {
        for (let at = 0; at + length <= view.text.length; at++) {
          if (!known.has(view.text.slice(at, at + length))) continue;
          hidden.fill(1, view.offsetOf(at), view.offsetOf(at + length));
        }
      }
    }
    const shown = hidden.includes(1) ? withoutHidden(text, hidden) : text;
    return hideWebTokens(hideSignatures(shown));
  };
}

function withoutHidden(text: string, hidden: Uint8Array): string {
  let shown = '';
  for (let from = 0, end = 0; from < text.length; from = end) {
    const isHidden = hidden[from];
    const next = hidden.indexOf(isHidden === 1 ? 0 : 1, from);
    end = next < 0 ? text.length : next;
    shown += isHidden === 1 ? HIDDEN : text.slice(from, end);
  }
  return shown;
}

/** The parts of the needles that are hidden, by their lengths. */
function partsOf(needles: readonly Needle[]): Map<number, Set<string>> {
  const parts = new Map<number, Set<string>>();
  for (const { text, part } of needles) {
    const known = parts.get(part) ?? new Set();
    parts.set(part, known);
    for (let at = 0; at + part <= text.length; at++) known.add(text.slice(at, at + part));
  }
  return parts;
}

/** One of the forms in which a secret may stand in a text, without escapes or as it is written. */
interface Needle {
  readonly text: string;
  /** Parts of so many characters are hidden. */
  readonly part: number;
}

function needlesOf(secret: string): Needle[] {
  const bytes = Buffer.from(secret);
  const texts = [secret, bytes.toString('latin1'), ...base64FormsOf(secret)];
  const plain = texts.map((form) => plainText(form).text);
  const written = [secret, encodeURIComponent(bytes.toString())].map(lowerCase);
  const needles = [...new Set([...plain, ...written])]
    // A secret that is all escapes has a plain form that occurs in many words, or none.
    .filter((text) => text.length >= MIN_SECRET_LENGTH)
    .map((text) => ({ text, part: Math.min(PART, text.length) }));
  const hex = bytes.toString('hex');
  return [...needles, { text: hex, part: Math.min(HEX_PART, hex.length) }];
}

/**
 * The part that is the same in every base64 text with the secret. The secret may begin at any of three places within a
 * group of three bytes, and the characters that share bits with its neighbours differ.
 */
function base64FormsOf(secret: string): string[] {
  const forms = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet).slice(first, last));
  });
  return forms.filter((form) => form.length >= MIN_BASE64_LENGTH);
}

/** A text in lower case, as a rule without escapes and backslashes, and where each of its characters stood in the original. */
interface PlainText {
  readonly text: string;
  offsetOf(index: number): number;
}

const MAY_HAVE_ESCAPES = /[%\\]|&#/;
/** A character that is written otherwise: `%2F`, `%252F`, `\u002f`, `\x2f`, `&#x2f;`, `&#47;`, `\/`. */
const ESCAPED =
  /%(?:25)*([\da-f]{2})|\\+u([\da-f]{4})|\\+x([\da-f]{2})|&#x0*([\da-f]{1,4});|&#0*(\d{1,5});|\\+([^])/gi;

/**
 * A text without its escapes and, where it has any, as it is written: what stands before a secret may seem to begin an escape,
 * such as a percent sign, and takes the first characters of the secret for its digits.
 */
function viewsOf(text: string): PlainText[] {
  const written = { text: lowerCase(text), offsetOf: (index: number) => index };
  return MAY_HAVE_ESCAPES.test(text) ? [plainText(text), written] : [written];
}

function plainText(escaped: string): PlainText {
  const offsets = new Int32Array(escaped.length + 1);
  let text = '';
  let from = 0;
  const copy = (until: number): void => {
    for (let at = from; at < until; at++) offsets[text.length + at - from] = at;
    text += escaped.slice(from, until);
  };
  for (const match of escaped.matchAll(ESCAPED)) {
    const [whole, percent, unicode, byte, hex, decimal, other = ''] = match;
    copy(match.index);
    offsets[text.length] = match.index;
    const digits = percent ?? unicode ?? byte ?? hex;
    const code = digits === undefined ? decimal && Number(decimal) : Number.parseInt(digits, 16);
    const character = code === undefined ? other : String.fromCharCode(Number(code));
    // The number of backslashes before a character differs from form to form, so none of them counts.
    if (character !== '\\') text += character;
    from = match.index + whole.length;
  }
  copy(escaped.length);
  offsets[text.length] = escaped.length;
  return { text: lowerCase(text), offsetOf: (index) => offsets[index]! };
}

/** The text in lower case, at the same length: the runtime turns some letters of other languages into two characters. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Removes the query from links with a signature in it: such a link opens the file to everybody (spec 2.5). */
function hideSignatures(text: string): string {
  return text.replace(/https?:\\*\/\\*\/[^\s"'<>]+/gi, (link) => {
    const mark = link.indexOf('?');
    return mark > 0 && SIGNATURE.test(link.slice(mark)) ? `${link.slice(0, mark)}?${HIDDEN}` : link;
  });
}

const SIGNATURE = /[?&-](?:sig(?:nature)?|token|credential|expires|key-pair-id|policy)=/i;

/** Hides JSON Web Tokens (RFC 7519). Their header and payload are objects, and `{"` is `eyJ` in base64. */
function hideWebTokens(text: string): string {
  return text.replace(/[\w.-]+/g, (dotted) => {
    if (!/eyJ/i.test(dotted)) return dotted;
    const parts = dotted.split('.');
    const shown: string[] = [];
    for (let at = 0; at < parts.length; at++) {
      const header = /\beyJ[\w-]{4,}$/i.exec(parts[at]!);
      const isToken = header !== null && at + 2 < parts.length && /^eyJ[\w-]{2,}$/i.test(parts[at + 1]!);
      shown.push(isToken ? parts[at]!.slice(0, header.index) + HIDDEN : parts[at]!);
      if (isToken) at += 2;
    }
    return shown.join('.');
  });
}

export interface Secrets {
  /** Hides these texts too, from now on. */
  hide(texts: readonly string[]): void;
  /** The text without any of them. */
  readonly redact: Redact;
}

/** The secrets in the environment: the token, also a malformed one, and the passwords of proxies. */
export function knownSecrets(env: Readonly<Record<string, string | undefined>>): Secrets {
  const hidden = new Set<string>();
  // Made when there is text to print: most runs print none.
  let redact: Redact | undefined;
  const known = (): string[] => {
    const words = (env['FOLIO_TOKEN'] ?? '').split(/\s+/).filter((word) => !/^bearer$/i.test(word));
    return [...words, ...proxySecrets(env), ...hidden];
  };
  return {
    hide(texts) {
      for (const text of texts) hidden.add(text);
      redact = undefined;
    },
    redact: (text) => (redact ??= redactor(known()))(text),
  };
}

/**
 * Removes secrets from the message, the stack and the causes of an error, where the service's words may have brought them.
 * The stack begins with the message as it was at first. Changes the error itself, so that it stays of its kind.
 */
export function withoutSecrets(error: unknown, redact: Redact): unknown {
  for (let at = error; at instanceof Error; at = at.cause) {
    const [message, stack] = [redact(at.message), redact(at.stack ?? '')];
    if (message !== at.message) at.message = message;
    if (stack !== at.stack) at.stack = stack;
  }
  return error;
}
