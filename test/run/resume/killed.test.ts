import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer } from '../../support/fault-server.ts';
import type { HttpService } from '../../support/http-service.ts';
import type { FaultScript } from '../../support/fault-script.ts';
import { modelRecord, ModelService } from '../../support/model-service.ts';
import { randomFrom } from '../../support/random.ts';
import { startFolio } from '../../support/run-folio.ts';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const COUNT = 400;
const PAGE = 10;

/** Columns that come one by one, the last with the last record. */
function records(): string[] {
  return Array.from({ length: COUNT }, (_, id) =>
    id % 9 === 8 || id === COUNT - 1 ? `{"id":${id},"late${id}":${id}.50}` : modelRecord(id),
  );
}

function serve(script: FaultScript): Promise<HttpService> {
  return startFaultServer(new ModelService({ issued: records() }), script);
}

describe('the real program, killed at random moments and gone on with', () => {
  it.each(['csv', 'json'])('%s: writes byte for byte what an unbroken run writes', async (format) => {
    const folder = temporaryFolder();
    const random = randomFrom(format.length);
    let killAt = Infinity;
    let kill = (): void => {};
    let asked = 0;
    const server = await serve(() => {
      if (++asked === killAt) kill();
      return undefined;
    });
    const line = ['issued', '--base-url', server.baseUrl, '--page-size', `${PAGE}`, '--format', format];
    const whole = await runHere([...line, '-o', join(folder, 'whole')]);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    const command = [...line, '-o', join(folder, 'out'), '--resume', '--receipt', join(folder, 'receipt')];
    for (let kills = 0; kills < 4; kills++) {
      asked = 0;
      // Four times less than there are pages: none of them comes to the end.
      killAt = 6 + random(5);
      const { process, exit } = startFolio(command);
      kill = () => process.kill('SIGKILL');
      expect(await exit).toMatchObject({ signal: 'SIGKILL', stderr: '' });
      expect(readdirSync(folder)).not.toContain('out');
    }
    killAt = Infinity;
    expect(await runHere(command)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, 'out'))).toEqual(readFileSync(join(folder, 'whole')));
    const receipt = JSON.parse(readFileSync(join(folder, 'receipt'), 'utf8')) as Record<string, unknown>;
    expect(receipt).toMatchObject({ records: COUNT, complete: true });
    expect(receipt['recordsTakenOver']).toBeGreaterThan(0);
    expect(readdirSync(folder).sort()).toEqual(['out', 'receipt', 'whole']);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s leaves the journal alone and says how to go on', async (signal, code) => {
    const folder = temporaryFolder();
    let stop = (): void => {};
    const server = await serve(({ number }) => {
      if (number === 20) stop();
      return undefined;
    });
    const line = ['issued', '--base-url', server.baseUrl, '--page-size', `${PAGE}`];
    const { process, exit } = startFolio([...line, '-o', join(folder, 'out.csv'), '--resume']);
    stop = () => process.kill(signal);
    const stopped = await exit;
    expect(stopped).toMatchObject({ code, stdout: Buffer.alloc(0) });
    expect(stopped.stderr).toContain('warning: kept ');
    expect(readdirSync(folder)).toEqual(['.out.csv.folio-resume']);
  });
});
