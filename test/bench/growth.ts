import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HEAVY_BODIES, type HeavyBody } from '../safety/heavy-bodies.ts';
import { figureOf, folio, measureInTurn, printTable, ratio, type Candidate } from './measure.ts';

const ROUNDS = 3;

/** Bodies that are made to take time: each at a size, at twice that size and at four times, and how much longer that takes. */
export async function measureGrowth(): Promise<void> {
  const rows: string[][] = [];
  for (const heavy of HEAVY_BODIES) {
    const servers = await Promise.all([1, 2, 4].map((factor) => serve(heavy, heavy.size * factor)));
    try {
      const results = await measureInTurn(servers.map(candidateOf(heavy)), ROUNDS);
      const [once, twice, four] = [...results.values()];
      const [time, ofTwice, ofFour] = [once!, twice!, four!].map((runs) => figureOf(runs, 'seconds'));
      const ratios = [ratio(twice!, once!), ratio(four!, twice!)];
      rows.push([heavy.name, time!, ofTwice!, ratios[0]!, ofFour!, ratios[1]!, figureOf(four!, 'peak')]);
    } finally {
      for (const server of servers) server.close();
    }
  }
  printTable(
    `Hostile bodies as they double (medians of ${ROUNDS}, start-up included; each ratio is to be at most 2.6)`,
    ['body', 'time', 'of twice', 'ratio', 'of four times', 'ratio', 'peak'],
    rows,
  );
}

function candidateOf(heavy: HeavyBody): (server: Server, index: number) => Candidate {
  return (server, index) => ({
    name: `${heavy.name} ${index}`,
    command: folio(...heavy.args, '--retries', '0'),
    mayFail: true,
    env: {
      FOLIO_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      FOLIO_TOKEN: 'token-of-nobody',
      FOLIO_CONFIG_DIR: '/proc/nonexistent',
    },
  });
}

async function serve({ body, status = 200 }: HeavyBody, size: number): Promise<Server> {
  const bytes = Buffer.from(body(size));
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
