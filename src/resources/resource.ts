import type { DeclaredColumn, Role } from '../invoices/fields.ts';

/**
 * A resource is the declaration of a listing: its address and the service's spelling. Commands, flags, help,
 * validation and requests follow from it. The service's own spelling is only in the files of this folder.
 */
export interface Resource {
  /** As in messages and receipts: `issued`, `fund documents`. */
  readonly name: string;
  /** What its records are, in the plural: `issued invoices`. */
  readonly records: string;
  /** The column that identifies a record for people. */
  readonly label: string;
  /** The columns that identify a record without an `id` (the specification does not promise one). */
  readonly naturalKey?: readonly string[];
  /** Below the base address; `{id}` stands for the positional argument. */
  readonly path: string;
  readonly paging: NumberedPaging | CursorPaging;
  /**
   * The columns that its records may have: those that the embedded service shows, in its order, and all in which a role is known
   * to be. Flags, types of files and databases, and the questions come from this.
   */
  readonly columns: readonly DeclaredColumn[];
  /** The columns that people look for, in the order in which a table shows them. */
  readonly shown: readonly ShownField[];
  /** The order of the service, for the help. */
  readonly defaultOrder: string;
  /** The field with the date by which the service can sort, and its direction where the flags name no order. */
  readonly byDate?: { readonly field: string; readonly usual: 'asc' | 'desc' | undefined };
  readonly sortBy?: SortKeys;
  /** The order that brings the newest records first, where the service's own order begins with the oldest. */
  readonly newestFirst?: { readonly sortBy: string; readonly sortOrder: 'asc' | 'desc' };
  readonly sortDirections?: readonly [ascending: string, descending: string];
  readonly fiscalIds?: FiscalIdFilter;
  /** Parameters that the service is known to refuse, each with the reason that the error gives. */
  readonly refusedParameters: Readonly<Record<string, string>>;
  /** Command lines for the help, each with what it answers. */
  readonly examples: readonly (readonly [commandLine: string, answer: string])[];
}

/** Something that people look for in a record. */
export interface ShownField {
  /** A role, or possible columns, the likeliest first. */
  readonly in: Role | readonly string[];
  /** How a table shows it. An amount that is `open` is overdue after the day of `due`. */
  readonly look: ShownLook;
  /** The heading of a column that is too narrow for the field's own name. Flags take it for the field, too. */
  readonly word: string;
  /**
   * A narrow terminal leaves out the fields of the highest numbers first; the currency stays as long as the amounts. A
   * field without a number is shown only where all of it has room beside the others.
   */
  readonly rank?: number;
}

type ShownAmount = 'amount' | 'open' | 'currency';
type ShownParty = 'party' | 'fiscalId';
type ShownLook = 'number' | 'status' | 'date' | 'due' | ShownParty | ShownAmount | 'document' | 'other';

/** How a listing of numbered pages is paged. */
export interface NumberedPaging {
  readonly kind: 'numbered';
  /** The number of the first page: 0 or 1. */
  readonly firstPage: 0 | 1;
  /** Records a page when the request names no size. */
  readonly serviceSize: number;
  /** Records a page that a whole export requests. */
  readonly walkSize: number;
  /** The most that the service accepts; undefined where there is no practical cap. */
  readonly maxSize?: number;
  /** Pages of more records than this are compressed, so that one of them is cheaper than two smaller ones. */
  readonly compressedOver?: number;
  /** The member with the records. `assignedDocuments` is a member of one fund, and is an array or an envelope. */
  readonly recordsIn: 'pageResults' | 'assignedDocuments';
}

/** How a listing of cursor pages is paged. */
export interface CursorPaging {
  readonly kind: 'cursor';
  /** Records a page that a whole export requests. */
  readonly walkSize: number;
  readonly recordsIn: 'data';
}

interface SortKeys {
  /** In the service's spelling. */
  readonly known: readonly string[];
  /** The keys whose values never change, so that a record keeps its place. */
  readonly lasting: readonly string[];
  /** The key with the fewest equal values: its order depends least on how the service sorts equal ones. */
  readonly mostDistinct: string;
}

/** The filter of a listing by fiscal IDs. */
interface FiscalIdFilter {
  /** The flag's name, without the two dashes before it: `customer-fiscal-id`. */
  readonly flag: string;
  readonly parameter: string;
  /** The party of the IDs: `customer`. */
  readonly whose: string;
  /** Whether the listing reports the IDs that match nobody if others match. */
  readonly namesUnknown: boolean;
}

/** The name in one word: `fund-documents` on the command line, `fund_documents` as a table. */
export function oneWordName({ name }: Pick<Resource, 'name'>, joint: '-' | '_'): string {
  return name.replaceAll(' ', joint);
}
