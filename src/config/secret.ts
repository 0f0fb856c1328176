/** A text that is not to be seen: however it is printed, logged or serialised, only `reveal` gives it away. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one header that needs it and for the store. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[hidden]';
  }

  toJSON(): string {
    return this.toString();
  }

  /** What `util.inspect` shows, also inside other objects. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}
