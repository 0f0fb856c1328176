import { describe, expect, it } from 'vitest';
import { always, status, where } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const received = modelRecords(120);
const args = ['received', '--format', 'jsonl', '--page-size', '100', '--retries', '1'];

describe.concurrent('pages that the service does not serve', () => {
  it('have a record that cannot be read even alone: it is named by its place, the others are delivered', async () => {
    const script = where(({ records }) => records.includes(received[37]!), status(502));
    const exit = await runAgainst({ records: { received }, script, args });
    expect(exit).toMatchObject({ code: 6, text: lines(received.toSpliced(37, 1)) });
    expect(exit.stderr).toContain('the service does not serve number 38 of the listing, even alone');
  });

  it('are no reason for ever smaller pages where the service is down', async () => {
    const exit = await runAgainst({ records: { received }, script: always(status(502)), args });
    expect(exit).toMatchObject({ code: 5, text: '' });
    expect(exit.requests.length).toBeLessThan(40);
  });
});
