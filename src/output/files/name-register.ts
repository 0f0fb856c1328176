import { cutBytes } from './cut-bytes.ts';
import { NAME_LIMIT } from './file-name.ts';

/** Gives each file of a folder a name of its own, also on systems that do not tell capitals from small letters. */
export class NameRegister {
  readonly #taken = new Set<string>();
  /** Where to go on counting for a name that came before. */
  readonly #next = new Map<string, number>();

  /** The name itself the first time, then with `-2`, `-3` before its ending; of at most 150 bytes, as the name is. */
  take(name: string): string {
    const key = fold(name);
    for (let number = this.#next.get(key) ?? 1; ; number++) {
      const candidate = number === 1 ? name : numbered(name, number);
      if (this.#taken.has(fold(candidate))) continue;
      this.#taken.add(fold(candidate));
      this.#next.set(key, number + 1);
      return candidate;
    }
  }
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const ending = `-${number}${dot > 0 ? name.slice(dot) : ''}`;
  const stem = dot > 0 ? name.slice(0, dot) : name;
  return cutBytes(stem, NAME_LIMIT - Buffer.byteLength(ending)) + ending;
}

/** What names have in common that some file system takes for one. Compatibility forms go too: better a `-2` too many. */
export function fold(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase();
}
