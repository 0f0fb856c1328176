import { describe, expect, it } from 'vitest';
import { knownSecrets } from '../../src/api/redact.ts';
import { redactedStream } from '../../src/cli/command-line.ts';
import { FakeOutput } from '../support/fake-streams.ts';

describe('redactedStream', () => {
  it('hides what the environment holds, and what becomes known later', async () => {
    const out = new FakeOutput();
    const secrets = knownSecrets({
      FOLIO_TOKEN: ' Bearer first-half second-half\n',
      HTTPS_PROXY: 'http://me:pass-word@proxy:1',
    });
    const stream = redactedStream(out, secrets);
    await stream.write('Bearer first-half, second-half, pass-word, stored-token\n');
    secrets.hide(['stored-token']);
    await stream.write(Buffer.from('first-half, ÿ, stored-token\n'));
    expect(out.text).toBe('Bearer [hidden], [hidden], [hidden], stored-token\n[hidden], ÿ, [hidden]\n');
  });

  it('is otherwise the stream that it guards', async () => {
    const screen = redactedStream(new FakeOutput({ terminal: true, columns: 99 }), knownSecrets({}));
    expect([screen.isTerminal, screen.columns]).toEqual([true, 99]);
    const full = new FakeOutput();
    full.failWith('ENOSPC');
    await expect(redactedStream(full, knownSecrets({})).write('x')).rejects.toThrow('ENOSPC');
  });
});
