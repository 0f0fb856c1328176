import type { AddressInfo, Server, Socket } from 'node:net';
import { whenTestEnds } from './when-test-ends.ts';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** `127.0.0.1:port`, as messages name it. */
  readonly host: string;
  /** Ends all connections; a second time, it does nothing. */
  close(): Promise<void>;
}

/** Has a server of any protocol listen on loopback, on a port that was free. It closes itself as `whenTestEnds` says. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  // Of HTTP and TLS too, whose servers know nothing of the connections that became a tunnel or shook no hands.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  whenTestEnds(close);
  return { port, host: `127.0.0.1:${port}`, close };
}
