import { describe, expect, it } from 'vitest';
import type { FaultScript } from '../support/faults.ts';
import { ModelService, modelRecord, modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const ARGS = ['received', '--page-size', '10', '--format', 'jsonl', '--concurrency', '1'];

/** Does something to the listing before the request with each of these numbers is answered. */
function between(changes: Readonly<Record<number, () => void>>): FaultScript {
  return ({ number }) => {
    changes[number]?.();
    return undefined;
  };
}

/** The listing's own page is made before the script runs: a change is seen from the next request on. */
describe.concurrent('a listing that moves while it is walked', () => {
  it('gives every record that was there throughout when one is deleted before the place', async () => {
    const received = modelRecords(45);
    const service = new ModelService({ received: [...received] });
    const script = between({ 1: () => service.records.received.splice(0, 1) });
    const { code, text } = await runAgainst({ records: service, script, args: ARGS });
    const throughout = received.slice(1);
    expect(code).toBe(0);
    // The one that slipped over the border between two pages comes last; the deleted one had been read.
    expect(sorted(text)).toEqual(sorted(lines([received[0]!, ...throughout])));
  });

  it('gives no record twice when one is inserted before the place', async () => {
    const received = modelRecords(45);
    const service = new ModelService({ received: [...received] });
    const script = between({ 1: () => service.records.received.splice(3, 0, modelRecord(900)) });
    const { code, text } = await runAgainst({ records: service, script, args: ARGS });
    expect(code).toBe(0);
    expect(sorted(text)).toEqual(sorted(lines([...received, modelRecord(900)])));
  });

  it('says so when it does not settle, with exit 6, and still gives no record twice', async () => {
    const service = new ModelService({ received: modelRecords(45) });
    const script: FaultScript = ({ number }) => {
      service.records.received.splice(number % 7, number % 2, modelRecord(900 + number));
      return undefined;
    };
    const { code, text, stderr } = await runAgainst({ records: service, script, args: ARGS });
    expect(code).toBe(6);
    expect(stderr).toMatch(/in doubt: the listing kept changing while it was read/);
    expect(new Set(sorted(text)).size).toBe(sorted(text).length);
  });
});

function sorted(text: string): string[] {
  return text.trimEnd().split('\n').sort();
}
