const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `{` and `}` differ from `[` and `]` in this bit only. */
const BRACE_BIT = 0x20;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** Finds where a JSON array that arrives in pieces can be cut: between records. Whether it is JSON is for others to say. */
export class ArrayCutter {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Reads on from `from` and returns the position behind the last comma between records; 0 when there is none yet. */
  cut(bytes: Buffer, from: number): number {
    let cut = 0;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === COMMA) {
        if (this.#depth === 1) cut = at + 1;
      } else if ((byte & ~BRACE_BIT) === OPEN) this.#depth++;
      else if ((byte & ~BRACE_BIT) === CLOSE) this.#depth--;
    }
    return cut;
  }
}
