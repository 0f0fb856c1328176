import type { Dirent } from 'node:fs';
import type { FileLedger } from './file-ledger.ts';
import { foldName, NameRegister, safeFileName } from './file-names.ts';
import type { InvoiceFile } from './invoice-files.ts';

/** The name of a file that is there, or a free name for it, without ending. */
export type NameClaim =
  | { readonly kind: 'there'; readonly name: string; readonly ending: string }
  | { readonly kind: 'free'; readonly base: string; readonly ending: string | undefined };

/** Takes the place of the ending, which is not known before the download. As long as the longest. */
const ANY_ENDING = '.xxxxxxxx';

/**
 * Gives each file of a folder its name, `<number>-<n>`, before its ending is known. A file is there if the folder has that
 * name with any ending. If the ledger says that the name is another invoice's, the new name gets a `-2`.
 */
export class FolderNames {
  readonly #ledger: FileLedger;
  readonly #register = new NameRegister();
  /** The names in the folder, by the name without its ending. */
  readonly #present = new Map<string, string>();
  /** Names, without ending, of what is in the folder and is no file: a folder, a link. */
  readonly #blocked = new Set<string>();
  /** The owner of each name, by the name without its ending. */
  readonly #owners = new Map<string, string>();

  constructor(present: readonly Pick<Dirent, 'name' | 'isFile'>[], ledger: FileLedger) {
    this.#ledger = ledger;
    for (const entry of present) {
      const { name } = entry;
      const dot = name.lastIndexOf('.');
      if (dot <= 0 || !/^[a-z0-9]{1,8}$/i.test(name.slice(dot + 1))) continue;
      const base = foldName(name.slice(0, dot));
      if (entry.isFile()) this.#present.set(base, name);
      else this.#blocked.add(base);
    }
    for (const entry of ledger.entries()) this.#owners.set(foldName(entry.base), ownerOf(entry));
  }

  claim(file: InvoiceFile): NameClaim {
    const entry = file.invoice === '' ? undefined : this.#ledger.find(file);
    const base = this.#take(file, entry?.base ?? baseOf(file));
    const name = this.#present.get(foldName(base));
    if (name === undefined) return { kind: 'free', base, ending: entry?.ending };
    return { kind: 'there', name, ending: name.slice(name.lastIndexOf('.') + 1).toLowerCase() };
  }

  /** The wanted name, or the next one that no other invoice has. */
  #take(file: InvoiceFile, wanted: string): string {
    for (;;) {
      const base = this.#register.take(wanted + ANY_ENDING).slice(0, -ANY_ENDING.length);
      if (this.#blocked.has(foldName(base))) continue;
      const owner = this.#owners.get(foldName(base));
      if (owner === undefined || owner === ownerOf(file)) return base;
    }
  }
}

function baseOf({ stem, index }: InvoiceFile): string {
  return safeFileName({ stem, index, extension: ANY_ENDING.slice(1) }).slice(0, -ANY_ENDING.length);
}

function ownerOf({ invoice, index }: { readonly invoice: string; readonly index: number }): string {
  return `${index} ${invoice}`;
}
