const HIDDEN = '[hidden]';

/** Shorter ones are in every other word, and nothing issued as a secret is as short. */
const SHORTEST = 4;
/** Characters from which on a piece of base64 stands for the secret and is not in it by chance. */
const SHORTEST_BASE64 = 8;

/** A query that carries a signature is a key to the file behind the link (spec 2.5). */
const SIGNED_LINK =
  /(https?:\/\/[^\s"'<>?]+)\?(?:[^\s"'<>]*[&-])?(?:sig(?:nature)?|token|credential|expires|key-pair-id|policy)=[^\s"'<>]*/gi;

/** A JSON Web Token (RFC 7519), whose header and payload are objects: `{"` is `eyJ`. Unknown, but somebody's. */
const WEB_TOKEN = /\beyJ[\w-]{4,}\.eyJ[\w-]{2,}\.[\w-]*/gi;

/** Takes what must not be shown out of a text. */
export type Redact = (text: string) => string;

/**
 * Hides the secrets wherever they are in a text, by their exact values: as they are, percent-encoded wholly or in part,
 * in JSON and in base64 (also within a longer encoded text, as in Basic credentials). A pattern of what tokens look
 * like would miss one that comes without "Bearer"; only JSON Web Tokens are also hidden by their looks, since one may be
 * typed where no token is expected. Case does not count, for a host name is shown in lower case. Signed
 * links keep their address and lose their query.
 */
export function redactor(secrets: readonly string[]): Redact {
  const long = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST);
  // The longest first, so that no part of one is left over by another that it contains.
  const patterns = long.sort((a, b) => b.length - a.length).flatMap(patternsOf);
  const secret = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'gi');
  return (text) => {
    const shown = secret === undefined ? text : text.replace(secret, HIDDEN);
    return shown.replace(SIGNED_LINK, `$1?${HIDDEN}`).replace(WEB_TOKEN, HIDDEN);
  };
}

function patternsOf(secret: string): string[] {
  const characters = Array.from(secret, (character) => {
    const bytes = Buffer.from(character).toString('hex').replace(/../g, '%$&');
    const unit = `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return `(?:${escaped(character)}|${bytes}|${unit})`;
  });
  const literal = [JSON.stringify(secret).slice(1, -1), ...base64FormsOf(secret)];
  return [characters.join(''), ...literal.map(escaped)];
}

/**
 * What is the same in every base64 text that holds the secret: it may begin at any of three places within a group
 * of three bytes, and the characters that share bits with its neighbours differ.
 */
function base64FormsOf(secret: string): string[] {
  const forms = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet).slice(first, last));
  });
  return forms.filter((form) => form.length >= SHORTEST_BASE64);
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
