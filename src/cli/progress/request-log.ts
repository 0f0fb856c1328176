import type { RequestEvent } from '../../api/request-event.ts';
import type { Notices } from '../notices.ts';
import { duration } from './standing-line.ts';

/** Waits of more milliseconds than this are announced. */
const LONG = 5_000;

/** One line for each request under --verbose and --debug, and a word before a long wait. */
export function logRequest(notices: Notices, event: RequestEvent): void {
  if (event.kind === 'response') {
    const { target, status, milliseconds, bytes } = event;
    notices.detail(`GET ${target} → ${status}, ${bytes} bytes, ${milliseconds} ms${ordinal(event.attempt)}`);
  } else if (event.kind === 'retry') {
    const { target, reason, wait } = event;
    notices.detail(`GET ${target} again in ${wait} ms${ordinal(event.attempt + 1)}: ${reason}`);
    if (wait > LONG) notices.remark(`waits ${duration(wait)} before it asks again: ${reason}`);
  }
}

function ordinal(attempt: number): string {
  return attempt === 0 ? '' : `, attempt ${attempt + 1}`;
}
