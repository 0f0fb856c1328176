import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpGet } from '../support/http-get.ts';
import { startFolio, type RunningFolio } from '../support/run-folio.ts';

interface Started {
  readonly folio: RunningFolio;
  readonly baseUrl: string;
  readonly token: string;
}

/** The embedded service, started by the program, and what it prints. */
async function sandbox(...args: string[]): Promise<Started> {
  const folio = startFolio(['sandbox', '--issued', '3', '--quiet', ...args]);
  const printed = await new Promise<string>((resolve) => {
    let text = '';
    folio.process.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (/^FOLIO_TOKEN_2=.*\n/m.test(text)) resolve(text);
    });
    void folio.exit.then(() => resolve(text));
  });
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(printed)?.[1] ?? '';
  return { folio, baseUrl: value('FOLIO_BASE_URL'), token: value('FOLIO_TOKEN') };
}

async function stop({ folio }: Started): Promise<void> {
  folio.process.kill('SIGINT');
  await folio.exit;
}

/** The queries of the links to files, which hold their signatures. */
async function signatures({ baseUrl, token }: Started): Promise<string[]> {
  const { json } = await httpGet(`${baseUrl}/invoices/issued`, { headers: { authorization: token } });
  const { pageResults } = json as { pageResults: { files?: { fileUrl: string }[] }[] };
  return pageResults.flatMap(({ files = [] }) => files.map(({ fileUrl }) => new URL(fileUrl).search));
}

describe('the embedded service', () => {
  let started: Started;
  beforeAll(async () => void (started = await sandbox()));
  afterAll(() => stop(started));

  it.each([
    ['127.0.0.1', 200],
    ['localhost:80', 200],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
  ])(
    'serves only who names this machine, not a page that had its own name lead here: Host %s',
    async (host, status) => {
      const headers = { authorization: started.token, host };
      expect((await httpGet(`${started.baseUrl}/customers`, { headers })).status).toBe(status);
    },
  );

  it('signs links with a key of its own at each start', async () => {
    const other = await sandbox();
    const [ours, theirs] = [await signatures(started), await signatures(other)];
    await stop(other);
    expect(ours.length).toBeGreaterThan(0);
    expect(theirs).toHaveLength(ours.length);
    expect(theirs.filter((signature) => ours.includes(signature))).toEqual([]);
  });
});
