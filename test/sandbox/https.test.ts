import { readFile, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { httpGet } from '../support/http-get.ts';

describe('HTTPS', () => {
  it('is served with a certificate that lies in a file of its own until the end', async () => {
    const sandbox = await startSandbox({ tls: true });
    const file = sandbox.certificateFile!;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const ca = await readFile(file, 'utf8');
    const headers = { authorization: sandbox.tokens[0] };
    expect(sandbox.baseUrl).toMatch(/^https:/);
    expect((await httpGet(`${sandbox.baseUrl}/customers`, { ca, headers })).status).toBe(200);
    expect(
      (await httpGet(`${sandbox.baseUrl.replace('127.0.0.1', 'localhost')}/customers`, { ca, headers }))
        .status,
    ).toBe(200);
    await expect(httpGet(`${sandbox.baseUrl}/customers`, { headers })).rejects.toThrow(/self-signed/);
    // Plain HTTP calls fail (spec 5 item 3).
    await expect(httpGet(sandbox.baseUrl.replace('https', 'http'), { headers })).rejects.toThrow();
    await sandbox.close();
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('breaks connections there too', async () => {
    const sandbox = await startSandbox({ tls: true, failRate: 1 });
    const ca = await readFile(sandbox.certificateFile!, 'utf8');
    const outcomes = new Set<unknown>();
    for (let call = 0; call < 20; call++) {
      const answer = httpGet(`${sandbox.baseUrl}/customers`, {
        ca,
        headers: { authorization: sandbox.tokens[0] },
      });
      outcomes.add(
        await answer.then(({ status }) => status).catch((error: NodeJS.ErrnoException) => error.code),
      );
    }
    await sandbox.close();
    expect(outcomes).toContain('ECONNRESET');
    expect(outcomes).not.toContain(200);
  });
});
