import type { Environment, Secrets } from '../context.ts';
import { proxySecrets } from './proxy.ts';

const HIDDEN = '[hidden]';

/** A shorter text occurs in many words, and no real secret is that short. */
const MIN_SECRET_LENGTH = 4;
/** A shorter piece of base64 may occur by chance. */
const MIN_BASE64_LENGTH = 8;

/** A link whose query carries a signature opens the file to everybody (spec 2.5). */
const SIGNED_LINK =
  /(https?:\/\/[^\s"'<>?]+)\?(?:[^\s"'<>]*[&-])?(?:sig(?:nature)?|token|credential|expires|key-pair-id|policy)=[^\s"'<>]*/gi;

/** A JSON Web Token (RFC 7519). Its header and payload are objects, and `{"` is `eyJ` in base64. */
const WEB_TOKEN = /\beyJ[\w-]{4,}\.eyJ[\w-]{2,}\.[\w-]*/gi;

/** Replaces what must not be shown in a text. */
export type Redact = (text: string) => string;

/**
 * Makes a function that hides the secrets in a text by their exact values: as they are, percent-encoded wholly or in part,
 * in JSON, and in base64 (also within a longer encoded text, as in Basic credentials). A pattern of what tokens look like
 * would miss a token without "Bearer". Only JSON Web Tokens are also hidden by their look, because a user may type one
 * where no token is expected. Upper and lower case are the same, because host names are shown in lower case. A signed
 * link keeps its address and loses its query.
 */
export function redactor(secrets: readonly string[]): Redact {
  const long = [...new Set(secrets)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  // The longest comes first: a shorter secret within it would otherwise leave parts of it in the text.
  long.sort((a, b) => b.length - a.length);
  let forms: string[] | undefined;
  let pattern: RegExp | undefined;
  return (text) => {
    let shown = text;
    forms ??= long.flatMap(literalForms).map((form) => form.toUpperCase());
    if (mayHold(text, forms)) {
      // Made when it is needed: it takes 4 ms, and most texts can be seen to hold no secret.
      pattern ??= new RegExp(long.flatMap(patternsOf).join('|'), 'gi');
      shown = text.replace(pattern, HIDDEN);
    }
    return shown.replace(SIGNED_LINK, `$1?${HIDDEN}`).replace(WEB_TOKEN, HIDDEN);
  };
}

/** Whether a text may hold one of the forms, in upper case, or one that is percent-encoded or escaped in part. */
function mayHold(text: string, forms: readonly string[]): boolean {
  if (forms.length === 0) return false;
  if (/[%\\]/.test(text)) return true;
  const upper = text.toUpperCase();
  return forms.some((form) => upper.includes(form));
}

function patternsOf(secret: string): string[] {
  const characters = Array.from(secret, (character) => {
    const bytes = Buffer.from(character).toString('hex').replace(/../g, '%$&');
    const unit = `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return `(?:${escapeRegExp(character)}|${bytes}|${unit})`;
  });
  return [characters.join(''), ...literalForms(secret).slice(1).map(escapeRegExp)];
}

/** The secret as it is, in JSON, and in base64. */
function literalForms(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), ...base64FormsOf(secret)];
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

function escapeRegExp(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

/** The secrets in the environment: the token, also a malformed one, and the passwords of proxies. */
export function knownSecrets(env: Environment): Secrets {
  const words = (env['FOLIO_TOKEN'] ?? '').split(/\s+/).filter((word) => !/^bearer$/i.test(word));
  const known = new Set([...words, ...proxySecrets(env)]);
  let redact = redactor([...known]);
  return {
    hide(texts) {
      for (const text of texts) known.add(text);
      redact = redactor([...known]);
    },
    redact: (text) => redact(text),
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
