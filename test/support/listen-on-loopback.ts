import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** `127.0.0.1:port`, as messages name it. */
  readonly host: string;
  /** Ends all connections; a second time, it does nothing. */
  close(): Promise<void>;
}

const all = new Set<Listening>();
afterAll(async () => {
  for (const listening of all) await listening.close();
});

/**
 * Has a server of any protocol listen on loopback, on a port that was free. It closes itself: with the test that started it,
 * or, where a hook did or one of several tests that run side by side, after the last test of the file.
 */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  // Of HTTP and TLS too, whose servers know nothing of the connections that became a tunnel or shook no hands.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const listening: Listening = {
    port,
    host: `127.0.0.1:${port}`,
    close: () => {
      all.delete(listening);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  all.add(listening);
  const test = TestRunner.getCurrentTest();
  if (test !== undefined && test.concurrent !== true) onTestFinished(() => listening.close());
  return listening;
}
