/** The whole of a request took longer than its limit. */
export class TransportTimeout extends Error {
  readonly code = 'FOLIO_TIMEOUT';
  /** Whether the response had begun, so that it is its body that was slow. */
  readonly begun: boolean;

  constructor(milliseconds: number, begun: boolean) {
    super(`${begun ? 'the response was not complete' : 'no response'} within ${milliseconds} ms`);
    this.name = 'TransportTimeout';
    this.begun = begun;
  }
}
