import type { RequestEvent } from '../api/request-event.ts';
import type { Context } from '../context.ts';
import type { WalkEvent } from '../paging/page.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Follows a run for somebody who waits. */
export interface Progress {
  walked(event: WalkEvent): void;
  asked(event: RequestEvent): void;
  stop(): void;
}

/** Progress on standard error: a log of requests under --debug. */
export function openProgress(context: Context, flags: GlobalFlags, _records: string): Progress {
  const write = (text: string): void => void context.stderr.write(`${text}\n`).catch(() => {});
  return {
    walked: () => {},
    asked: (event) => {
      if (!flags.debug) return;
      if (event.kind === 'response') {
        write(`GET ${event.target} → ${event.status}, ${event.bytes} bytes, ${event.milliseconds} ms`);
      }
    },
    stop: () => {},
  };
}
