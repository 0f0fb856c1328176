import type { Style } from '../colors.ts';

/** The states that invoices are seen to have; a state that is not here is shown without colour. */
const STYLES = new Map<string, Style>(
  Object.entries({
    PAID: 'green',
    MANUALLY_MARKED_AS_PAID: 'green',
    PENDING: 'yellow',
    PARTIALLY_PAID: 'yellow',
    OVERDUE: 'alarm',
    NULLIFIED: 'dim',
  } as const),
);

/** The style of a status, in any case; undefined for an unknown one. */
export function statusStyle(status: string): Style | undefined {
  return STYLES.get(status.toUpperCase());
}
