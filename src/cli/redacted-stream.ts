import type { OutputStream, Secrets } from '../context.ts';

/**
 * A stream for words, not for data: no text that is written to it, whoever writes it, leaves with a secret in it. A
 * secret that is split over two writes is not found; what folio says is written a line at a time.
 */
export function redactedStream(stream: OutputStream, secrets: Secrets): OutputStream {
  return {
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return stream.columns;
    },
    write: (bytes) => stream.write(secrets.redact(typeof bytes === 'string' ? bytes : textOf(bytes))),
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
