import { ServiceError } from '../../errors.ts';
import { ColumnFacts } from '../../json/column-facts.ts';

/** The most levels of objects and arrays, and the most different members of one object. */
const MAX_LEVELS = 64;
const MAX_MEMBERS = 10_000;

/** A JSON schema as Singer's targets read it. */
export interface SingerSchema {
  readonly type: readonly string[];
  readonly properties?: Readonly<Record<string, SingerSchema>>;
  readonly items?: SingerSchema;
  readonly format?: string;
  readonly 'x-singer.decimal'?: true;
}

/**
 * What all records of a stream look like, member by member, gathered from their text. Numbers that are not whole or exceed 64
 * bits are decimals; where a member has one, all its numbers are written as strings, so that no target makes floats of them.
 */
export class RecordShape {
  /** Of its numbers, texts and booleans. */
  readonly #facts = new ColumnFacts();
  #hasObjects = false;
  readonly #members = new Map<string, RecordShape>();
  #items: RecordShape | undefined;
  /** Whether it is left out of what is written. */
  #isLeftOut = false;

  /** Takes in one record, which must be well-formed JSON. Throws ServiceError for too many levels or members. */
  add(text: string): void {
    new ShapeReader(text).read(this, 0);
  }

  /** The record on one line, its decimals as strings, without what is left out. */
  write(text: string): string {
    return new ShapeReader(text).write(this);
  }

  /** Has the members at these paths left out, as a catalog deselects them. */
  leaveOut(paths: readonly (readonly string[])[]): void {
    for (const path of paths) {
      const member = this.#memberAt(path);
      if (member !== undefined) member.#isLeftOut = true;
    }
  }

  /** Open to null everywhere, and to members that no record had yet. */
  schema(): SingerSchema {
    const { texts, numbers, booleans } = this.#facts;
    const types = [
      ...(this.#hasObjects ? ['object'] : []),
      ...(this.#items === undefined ? [] : ['array']),
      ...(booleans > 0 ? ['boolean'] : []),
      ...(numbers > 0 && !this.writesStrings ? ['integer'] : []),
    ];
    // Nothing but null was seen: any text fits in a column made for text.
    const isText = texts > 0 || this.writesStrings || types.length === 0;
    const shown = [...this.#members].filter(([, member]) => !member.#isLeftOut);
    return {
      type: ['null', ...types, ...(isText ? ['string'] : [])],
      ...(this.#hasObjects && { properties: schemasOf(shown) }),
      ...(this.#items !== undefined && { items: this.#items.schema() }),
      ...(texts === 0 ? this.writesStrings && DECIMAL : this.#areInstants && INSTANT),
    };
  }

  /** Whether no record has any member so far. */
  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Whether all columns of a key are members of the records. */
  hasMembers(names: readonly string[]): boolean {
    return names.every((name) => this.#members.has(name));
  }

  /** The paths of all members that are not in arrays, outer ones first. */
  *paths(before: readonly string[] = []): Generator<readonly string[]> {
    for (const [name, member] of this.#members) {
      yield [...before, name];
      yield* member.paths([...before, name]);
    }
  }

  #memberAt([name, ...rest]: readonly string[]): RecordShape | undefined {
    const member = name === undefined ? undefined : this.#members.get(name);
    return member === undefined || rest.length === 0 ? member : member.#memberAt(rest);
  }

  noteObject(): void {
    this.#hasObjects = true;
  }

  noteText(literal: string): void {
    this.#facts.addText(nameOf(literal));
  }

  noteNumber(literal: string): void {
    this.#facts.addNumber(literal);
  }

  noteBoolean(): void {
    this.#facts.booleans++;
  }

  member(name: string): RecordShape {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    if (this.#members.size === MAX_MEMBERS) {
      throw new ServiceError(`the records have more than ${MAX_MEMBERS} different members in one object`, {
        hint: 'Leave the stream out of the catalog, or use `folio get` to look at the records.',
      });
    }
    const member = new RecordShape();
    this.#members.set(name, member);
    return member;
  }

  items(): RecordShape {
    return (this.#items ??= new RecordShape());
  }

  get isLeftOut(): boolean {
    return this.#isLeftOut;
  }

  /** Whether its numbers are written as strings. */
  get writesStrings(): boolean {
    return this.#facts.numbers > 0 && !this.#facts.areWhole;
  }

  /** Whether all texts are points in time as RFC 3339 has them, and nothing else is written as a string. */
  get #areInstants(): boolean {
    const { texts, times, blanks, zones } = this.#facts;
    return (
      times === texts &&
      blanks === 0 &&
      !this.writesStrings &&
      [...zones].every((zone) => /^(?:Z|.*:.*)$/.test(zone))
    );
  }
}

const DECIMAL = { format: 'singer.decimal', 'x-singer.decimal': true } as const;
const INSTANT = { format: 'date-time' } as const;

function schemasOf(members: readonly (readonly [string, RecordShape])[]): Record<string, SingerSchema> {
  // Without a prototype a member called __proto__ is one like any other.
  const properties = Object.create(null) as Record<string, SingerSchema>;
  for (const [name, member] of members) properties[name] = member.schema();
  return properties;
}

const TEXT = /"(?:[^"\\]|\\.)*"/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Goes through the text of one record, along its shape. */
class ShapeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(shape: RecordShape, level: number): void {
    if (level > MAX_LEVELS) {
      throw new ServiceError(`a record has more than ${MAX_LEVELS} levels of objects and arrays`, {
        hint: 'Use --format jsonl, which hands records over as they were sent.',
      });
    }
    switch (this.#next()) {
      case '{':
        shape.noteObject();
        for (const name of this.#memberNames()) this.read(shape.member(nameOf(name)), level + 1);
        return;
      case '[':
        shape.items();
        for (const _ of this.#elements()) this.read(shape.items(), level + 1);
        return;
      case '"':
        shape.noteText(this.#take(TEXT));
        return;
      case 't':
      case 'f':
        shape.noteBoolean();
        this.#takeWord();
        return;
      case 'n':
        this.#takeWord();
        return;
      default:
        shape.noteNumber(this.#take(NUMBER));
    }
  }

  write(shape: RecordShape): string {
    switch (this.#next()) {
      case '{': {
        const members: string[] = [];
        for (const name of this.#memberNames()) {
          const member = shape.member(nameOf(name));
          const value = this.write(member);
          if (!member.isLeftOut) members.push(`${name}:${value}`);
        }
        return `{${members.join(',')}}`;
      }
      case '[': {
        const elements: string[] = [];
        for (const _ of this.#elements()) elements.push(this.write(shape.items()));
        return `[${elements.join(',')}]`;
      }
      case '"':
        return this.#take(TEXT);
      case 't':
      case 'f':
      case 'n':
        return this.#takeWord();
      default: {
        const literal = this.#take(NUMBER);
        return shape.writesStrings ? `"${literal}"` : literal;
      }
    }
  }

  /** Yields the literal of each name, with the value next to be taken. */
  *#memberNames(): Generator<string> {
    this.#at++;
    while (this.#next() !== '}') {
      const name = this.#take(TEXT);
      this.#next();
      this.#at++;
      yield name;
      if (this.#next() === ',') this.#at++;
    }
    this.#at++;
  }

  *#elements(): Generator<void> {
    this.#at++;
    while (this.#next() !== ']') {
      yield;
      if (this.#next() === ',') this.#at++;
    }
    this.#at++;
  }

  /** The first character behind white space, which is not taken. */
  #next(): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text[this.#at];
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += taken.length;
    return taken;
  }

  #takeWord(): string {
    const word = this.#text[this.#at] === 'f' ? 'false' : this.#text[this.#at] === 't' ? 'true' : 'null';
    this.#at += word.length;
    return word;
  }
}

function nameOf(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}
