/** A token with what regular expressions, addresses and JSON read otherwise. No real service takes it. */
export const HOSTILE_TOKEN = 'Zq7$/wXk+93.pT_~=LmV(b|2c)8Rz*Yn5';

/** Characters of a piece of the token that would give it away: fewer are in other text by chance. */
const PIECE = 10;

/** What must be nowhere: every piece of the token, as it is, percent-encoded, in JSON, in base64 and in hexadecimal. */
function piecesOf(token: string): string[] {
  const whole = [token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1)];
  const inBase64 = [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + token)
      .toString('base64')
      .slice(4, -4),
  );
  const inHexadecimal = windows(Buffer.from(token).toString('hex'), 2 * PIECE);
  const all = [...whole, ...inBase64].flatMap((text) => windows(text, PIECE));
  return [...new Set([...all, ...inHexadecimal].map((piece) => piece.toLowerCase()))];
}

function windows(text: string, length: number): string[] {
  return Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length));
}

const pieces = piecesOf(HOSTILE_TOKEN);

/** The first piece of the hostile token that a text holds, whatever its case, also in what is percent-encoded; undefined where it holds none. */
export function leakIn(text: string): string | undefined {
  const once = decoded(text);
  const lower = [text, once, decoded(once)].join('\n').toLowerCase();
  return pieces.find((piece) => lower.includes(piece));
}

function decoded(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
