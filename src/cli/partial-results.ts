import { readPartialErrors } from '../api/partial-errors.ts';
import type { Redact } from '../api/redact.ts';
import type { FiscalIdFilter } from '../resources/resource.ts';
import { normalizedFiscalId } from './fiscal-ids.ts';
import type { Notices } from './notices.ts';

/** Collects what the service says went wrong while it answered all the same (spec 2.4), each thing once. */
export class PartialResults {
  /** Fiscal IDs that matched nobody, as the user typed them. */
  readonly missingFiscalIds = new Set<string>();
  readonly warnings = new Set<string>();
  readonly #typed: ReadonlyMap<string, string>;
  readonly #redact: Redact;

  /** @param redact goes over what the service says: it is kept, in journals too */
  constructor(fiscalIds: readonly string[], redact: Redact) {
    this.#redact = redact;
    this.#typed = new Map(fiscalIds.map((id) => [normalizedFiscalId(id), id]));
  }

  /** The fiscal ID as the user typed it, of one as the service writes it. */
  typed(fiscalId: string): string {
    return this.#typed.get(normalizedFiscalId(fiscalId)) ?? fiscalId;
  }

  add(errors: Buffer | undefined): void {
    const { missingFiscalIds, warnings } = readPartialErrors(errors, this.#redact);
    for (const id of missingFiscalIds) this.missingFiscalIds.add(this.#redact(this.typed(id)));
    for (const warning of warnings) this.warnings.add(warning);
  }

  /** Names each on standard error, once. */
  announce(notices: Notices, filter: FiscalIdFilter | undefined): void {
    for (const id of this.missingFiscalIds)
      notices.warn(`no ${filter?.whose ?? 'party'} has the fiscal ID ${id}`);
    for (const warning of this.warnings) notices.warn(`the service says: ${warning}`);
  }
}
