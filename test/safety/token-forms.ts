/** A token with what regular expressions, addresses and JSON read otherwise. No real service takes it. */
export const HOSTILE_TOKEN = 'Zq7$/wXk+93.pT_~=LmV(b|2c)8Rz*Yn5';

/** Characters of a piece of the token that would give it away: fewer are in other text by chance. */
const PIECE = 10;

/** What must be nowhere: every piece of the token, as it is, percent-encoded, in JSON, backwards and in base64. */
function piecesOf(token: string): string[] {
  const whole = [token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1)];
  const inBase64 = [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + token)
      .toString('base64')
      .slice(4, -4),
  );
  return [...new Set([...whole, ...inBase64].flatMap(windows).map((piece) => piece.toLowerCase()))];
}

function windows(text: string): string[] {
  return Array.from({ length: text.length - PIECE + 1 }, (_, at) => text.slice(at, at + PIECE));
}

const pieces = piecesOf(HOSTILE_TOKEN);

/** The first piece of the hostile token that a text holds, whatever its case; undefined where it holds none. */
export function leakIn(text: string): string | undefined {
  const lower = text.toLowerCase();
  return pieces.find((piece) => lower.includes(piece));
}
