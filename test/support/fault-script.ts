import type { Fault } from './faults.ts';
import type { ModelPage } from './model-service.ts';

/** A request as the server saw it. */
export interface SeenRequest {
  /** From 0, in the order of arrival. */
  readonly number: number;
  readonly url: URL;
  /** Other requests that had no answer yet when it came. */
  readonly beside: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What happens to a request; undefined lets the good answer through. `page` is what would be sent. */
export type FaultScript = (request: SeenRequest, page: ModelPage) => Fault | undefined;

export const faultless: FaultScript = () => undefined;

/** One fault after the other, then none. */
export function inTurn(...faults: readonly (Fault | undefined)[]): FaultScript {
  return ({ number }) => faults[number];
}

export function always(fault: Fault): FaultScript {
  return () => fault;
}

/** The fault from the request with this number on. */
export function from(number: number, fault: Fault): FaultScript {
  return (request) => (request.number >= number ? fault : undefined);
}

/** The fault where the page would hold what it is not to hold. */
export function where(refused: (page: ModelPage) => boolean, fault: Fault): FaultScript {
  return (_, page) => (refused(page) ? fault : undefined);
}
