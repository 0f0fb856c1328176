import type { Context } from '../../context.ts';
import type { Standing } from './standing.ts';

/** Where progress is shown. */
export interface Display {
  stop(): void;
}

/** What a display shows. */
export interface View {
  readonly context: Context;
  /** What is asked for: `issued invoices`. */
  readonly what: string;
  readonly standings: readonly Standing[];
  /** False with --no-color. */
  readonly color: boolean;
}
