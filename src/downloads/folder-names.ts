import { safeFileName } from '../output/files/file-name.ts';
import { fold, NameRegister } from '../output/files/name-register.ts';
import type { FileLedger } from './file-ledger.ts';
import type { InvoiceFile } from './invoice-files.ts';

/** The name of a file that is there, or a name, without its ending, that is free for it. */
export type Claim =
  | { readonly kind: 'there'; readonly name: string; readonly ending: string }
  | { readonly kind: 'free'; readonly base: string; readonly ending: string | undefined };

/** Stands in for an ending that is not known before the file is asked for; as long as the longest. */
const ANY_ENDING = '.xxxxxxxx';

/**
 * Gives each file of a folder its name, `<number>-<n>`, before its ending is known. A file is there when the folder holds
 * that name with any ending, unless the ledger says that it is another invoice's: then the name gets a `-2`.
 */
export class FolderNames {
  readonly #ledger: FileLedger;
  readonly #register = new NameRegister();
  /** The names in the folder, by what is before their endings. */
  readonly #present = new Map<string, string>();
  /** Whose a name is, by what is before its ending. */
  readonly #owners = new Map<string, string>();

  constructor(present: readonly string[], ledger: FileLedger) {
    this.#ledger = ledger;
    for (const name of present) {
      const dot = name.lastIndexOf('.');
      if (dot > 0 && /^[a-z0-9]{1,8}$/i.test(name.slice(dot + 1)))
        this.#present.set(fold(name.slice(0, dot)), name);
    }
    for (const entry of ledger.entries()) this.#owners.set(fold(entry.base), ownerOf(entry));
  }

  claim(file: InvoiceFile): Claim {
    const entry = file.invoice === '' ? undefined : this.#ledger.find(file);
    const base = this.#take(file, entry?.base ?? baseOf(file));
    const name = this.#present.get(fold(base));
    if (name === undefined) return { kind: 'free', base, ending: entry?.ending };
    return { kind: 'there', name, ending: name.slice(name.lastIndexOf('.') + 1).toLowerCase() };
  }

  /** The name that is wanted, or the next one that no other invoice has. */
  #take(file: InvoiceFile, wanted: string): string {
    for (;;) {
      const base = this.#register.take(wanted + ANY_ENDING).slice(0, -ANY_ENDING.length);
      const owner = this.#owners.get(fold(base));
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
