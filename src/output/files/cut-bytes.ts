/** The longest beginning of the text, in whole characters, whose UTF-8 is at most `limit` bytes. */
export function cutBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  let [bytes, end] = [0, 0];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}
