import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultScript } from '../support/faults.ts';
import { ModelService, modelRecords, type ModelRecords } from '../support/model-service.ts';
import { randomFrom } from '../support/random-runs.ts';
import { runModel } from '../support/run-model.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { lastingFaults, randomFaults } from './random-faults.ts';

export type ChaosRun = Awaited<ReturnType<typeof chaosRun>>;

const COMMANDS: Readonly<Record<keyof ModelRecords, string>> = {
  ...{ issued: 'issued', received: 'received', customers: 'customers list' },
  ...{ funds: 'funds', documents: 'funds documents 1' },
};
const LISTINGS = Object.keys(COMMANDS) as (keyof ModelRecords)[];
const OLD = 'the old file\n';

/** One run of a random export against a service with random faults; the same for the same seed. */
export async function chaosRun(seed: number) {
  const random = randomFrom(seed);
  const listing = LISTINGS[random(LISTINGS.length)]!;
  const records = modelRecords(random(120));
  const format = random(2) === 0 ? 'jsonl' : 'csv';
  const folder = random(2) === 0 ? temporaryFolder() : undefined;
  const line = `${COMMANDS[listing]} --format ${format} --page-size ${1 + random(30)} --concurrency ${1 + random(4)}`;
  const argv = [...line.split(' '), ...(folder === undefined ? [] : ['-o', join(folder, 'out')])];
  if (folder !== undefined) writeFileSync(join(folder, 'out'), OLD);
  const passing = randomFaults(random);
  const lasting = lastingFaults(random, listing);
  const script: FaultScript = (request, page) => passing(request, page) ?? lasting(request, page);
  const { code, stdout, stderr } = await runModel(argv, {
    service: new ModelService({ [listing]: records }),
    script,
    turns: () => random(4),
    clock: { random: Array.from({ length: 50 }, () => random(1000) / 1000) },
  });
  const file = folder === undefined ? undefined : readFileSync(join(folder, 'out'), 'utf8');
  const leftBehind = folder === undefined ? [] : readdirSync(folder).filter((name) => name !== 'out');
  if (folder !== undefined) rmSync(folder, { recursive: true });
  // Undefined where the old file still stands.
  const delivered = file === undefined ? stdout : file === OLD ? undefined : file;
  return { argv, code, stderr, delivered, expected: exported(records, format), leftBehind };
}

/** The records in a format, written without any code of the program. */
function exported(records: readonly string[], format: 'jsonl' | 'csv'): string {
  if (format === 'jsonl') return records.map((record) => `${record}\n`).join('');
  if (records.length === 0) return '';
  const rows = records.map((record) => {
    const [, id, number, net, name] =
      /^\{"id":(\d+),"number":"(.+)","net":(.+),"party":\{"name":"(.+)"\}\}$/.exec(record)!;
    return `${id},${number},${net},${name}\n`;
  });
  return ['id,number,net,party.name\n', ...rows].join('');
}
