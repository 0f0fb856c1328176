import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startFaultServer, lines, quickly, withServer } from '../support/run-against.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';

const issued = modelRecords(20_000);
const ARGS = ['issued', '--page-size', '500', '--format', 'jsonl'];

describe.concurrent('a reader of standard output', () => {
  it('that leaves early ends the run quietly, and no more is asked for', async () => {
    const server = await startFaultServer(new ModelService({ issued }));
    await withServer(server, async () => {
      const { process, exit } = startFolio(quickly(ARGS, server));
      process.stdout!.once('data', () => process.stdout!.destroy());
      const { code, stderr } = await exit;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    });
    expect(server.requests.length).toBeLessThan(30);
  });

  it('that is `head` gets its lines', async () => {
    const server = await startFaultServer(new ModelService({ issued }));
    await withServer(server, async () => {
      const shell = '{ "$@"; echo "code $?" >&2; } | head -n 3';
      const { stdout, stderr } = await runFolio(quickly(ARGS, server), { shell });
      expect({ text: stdout.toString(), stderr }).toEqual({
        text: lines(issued.slice(0, 3)),
        stderr: 'code 0\n',
      });
    });
  });

  it('that is slow gets every byte', async () => {
    const server = await startFaultServer(new ModelService({ issued }));
    await withServer(server, async () => {
      const { process, exit } = startFolio(quickly(ARGS, server));
      const stdout = process.stdout!.removeAllListeners('data');
      const hash = createHash('sha256');
      const code = exit.then((ended) => ended.code);
      for await (const chunk of stdout as AsyncIterable<Buffer>) {
        hash.update(chunk);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(await code).toBe(0);
      expect(hash.digest('hex')).toBe(createHash('sha256').update(lines(issued)).digest('hex'));
    });
  });

  it('that reads nothing keeps no run from being stopped', async () => {
    const server = await startFaultServer(new ModelService({ issued }));
    await withServer(server, async () => {
      const { process, exit } = startFolio(
        quickly(['issued', '--page-size', '20', '--format', 'jsonl'], server),
      );
      try {
        process.stdout!.removeAllListeners('data').pause();
        for (let seen = -1; seen !== server.requests.length || seen === 0;) {
          seen = server.requests.length;
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        process.kill('SIGTERM');
        // Behind what is left in the pipe, which would hide that it has ended.
        await once(process, 'exit');
        process.stdout!.resume();
        const { code, signal } = await exit;
        expect(code === 143 || signal === 'SIGTERM').toBe(true);
      } finally {
        process.kill('SIGKILL');
      }
    });
  });
});
