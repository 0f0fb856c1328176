import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer, lines, runAgainst, withServer } from '../support/run-against.ts';
import { always, silence } from '../support/faults.ts';
import { ModelService } from '../support/model-service.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { withProfile } from '../support/settings-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

const ARGS = ['issued', '--format', 'jsonl'];

describe.concurrent('a malformed token', () => {
  const half = HOSTILE_TOKEN.slice(0, 20);
  it.each([
    ['a line break within', `${half}\n${half}`],
    ['a header after it', `${half}\r\nX-Other: ${half}`],
    ['a space within', `${half} ${half}`],
    ['a tab within', `${half}\t${half}`],
    ['a letter beyond ASCII', `${half}é${half}`],
    ['a control character', `${half}\u007f${half}`],
    ['an escape sequence', `\u001b]0;${half}\u0007`],
    ['too many characters', half.repeat(500)],
    ['Bearer and no more', 'Bearer '],
  ])('with %s is refused before any request, and not shown', async (_, token) => {
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, token, { mode: 0o600 });
    for (const [flags, env] of [
      [[], { FOLIO_TOKEN: token }],
      [['--token-file', file], {}],
    ] as const) {
      const args = [...ARGS, '--debug', ...flags];
      const { code, text, stderr, requests } = await runAgainst({ records: {}, args, options: { env } });
      expect({ code, text, requests: requests.length }).toEqual({ code: 3, text: '', requests: 0 });
      expect(leakIn(stderr)).toBeUndefined();
    }
  });
});

describe.concurrent('a token', () => {
  it('is sent alone, in the one header', async () => {
    const options = { env: { FOLIO_TOKEN: HOSTILE_TOKEN } };
    const { requests } = await runAgainst({ records: {}, args: ['issued'], options });
    const { authorization, ...others } = requests[0]!.headers;
    expect(authorization).toBe(HOSTILE_TOKEN);
    expect(leakIn(JSON.stringify(others) + requests[0]!.url.href)).toBeUndefined();
  });
});

describe.concurrent('a stored token', () => {
  it.each([
    ['--base-url', (url: string) => [['--base-url', url], {}] as const],
    ['FOLIO_BASE_URL', (url: string) => [[], { FOLIO_BASE_URL: url }] as const],
  ])('is sent to the address that it was stored for, not to one given by %s', async (_, given) => {
    const own = await startFaultServer(new ModelService({ issued: ['{"id":1}'] }));
    const other = await startFaultServer(new ModelService({ issued: ['{"id":2}'] }));
    await withServer(own, () =>
      withServer(other, async () => {
        const base = withProfile({ baseUrl: own.baseUrl, token: HOSTILE_TOKEN });
        const at = await runHere(ARGS, { env: base });
        expect({ code: at.code, text: at.stdout.toString() }).toEqual({ code: 0, text: '{"id":1}\n' });
        const [flags, env] = given(other.baseUrl);
        const { code, stderr } = await runHere([...ARGS, ...flags], { env: { ...base, ...env } });
        expect(code).toBe(3);
        expect(stderr).toMatch(/is for .*, it is not sent to .*\n {2}Log in there with `folio auth login/);
        expect(other.requests).toEqual([]);
        expect(leakIn(stderr)).toBeUndefined();
      }),
    );
  });

  it.each(['--base-url', 'config'])('cannot be had by a change of the address (%s)', async (way) => {
    const other = await startFaultServer(new ModelService({}));
    await withServer(other, async () => {
      const env = withProfile({ baseUrl: 'http://127.0.0.1:9/v1', token: HOSTILE_TOKEN });
      const change =
        way === 'config'
          ? ['config', 'set', 'baseUrl', other.baseUrl, '--profile', 'main']
          : ['auth', 'status', '--base-url', other.baseUrl];
      expect((await runHere(change, { env })).code).not.toBe(0);
      expect(other.requests).toEqual([]);
    });
  });
});

describe.concurrent('a token in the environment', () => {
  it('is not handed on to a token command', async () => {
    const folder = temporaryFolder();
    const script = `env > '${folder}/env'; echo "$0" "$@" > '${folder}/argv'; printf other-token-12345`;
    const command = JSON.stringify(['/bin/sh', '-c', script]);
    const server = await startFaultServer(new ModelService({ customers: ['{"id":1}'] }));
    const asked = await withServer(server, async ({ baseUrl, requests }) => {
      const args = ['auth', 'login', '--base-url', baseUrl, '--token-command', command, '--debug'];
      const config = { FOLIO_CONFIG_DIR: join(folder, 'config'), PATH: '/usr/bin:/bin' };
      const { code, stderr } = await runFolio(args, { env: { FOLIO_TOKEN: HOSTILE_TOKEN, ...config } });
      return { code, stderr, sent: requests.map(({ headers }) => headers['authorization']) };
    });
    expect(asked).toMatchObject({ code: 0, sent: ['other-token-12345'] });
    expect(leakIn(readFileSync(join(folder, 'env'), 'utf8'))).toBeUndefined();
    expect(readFileSync(join(folder, 'env'), 'utf8')).toContain('PATH=');
    expect(asked.stderr).not.toContain('other-token');
  });

  it.each([
    ['killed by a signal', 'kill -9 $$', 'was ended by SIGKILL'],
    [
      'failing with its own words',
      'echo "no item s3cret-argument here" >&2; exit 7',
      'failed with exit code 7',
    ],
  ])('does not show the arguments of a token command that ends %s', async (_, script, says) => {
    const tokenCommand = ['/bin/sh', '-c', script, 's3cret-argument', '--key=s3cret-argument'];
    const env = withProfile({ baseUrl: 'http://127.0.0.1:9', tokenCommand });
    for (const args of [['auth', 'status'], ['doctor'], ['issued'], ['auth', 'list'], ['config', 'list']]) {
      for (const more of [[], ['--debug'], ['--format', 'json']]) {
        const { code, stdout, stderr } = await runHere([...args, ...more], { env });
        const said = stdout.toString() + stderr;
        expect(said).not.toMatch(/s3cret|kill -9/);
        if (code !== 0 && args[0] === 'auth') expect(said).toContain(says);
      }
    }
  });

  it('does not show the arguments of a token command that are longer than the system allows', async () => {
    const tokenCommand = ['/bin/echo', 's3cret-argument'.repeat(20_000)];
    const env = withProfile({ baseUrl: 'http://127.0.0.1:9', tokenCommand });
    const { code, stdout, stderr } = await runHere(['issued'], { env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/could not be run: its arguments are longer than the system allows\n/);
    expect(stderr).not.toContain('s3cret');
  });

  it('is in no crash report of the runtime, nor in the list of processes', async () => {
    const folder = temporaryFolder();
    const server = await startFaultServer(new ModelService({ issued: ['{}'] }), always(silence));
    await withServer(server, async () => {
      const env = {
        FOLIO_TOKEN: HOSTILE_TOKEN,
        NODE_OPTIONS: `--report-on-signal --report-directory=${folder}`,
      };
      const { process, exit } = startFolio([...ARGS, '--base-url', server.baseUrl], { env });
      // The runtime says when the report is whole.
      const isWhole = new Promise<void>((resolve) => {
        let said = '';
        process.stderr!.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('Node.js report completed')) resolve();
        });
      });
      await server.asked(1);
      // Only Linux has it.
      const hasProcesses = readdirSync('/').includes('proc');
      if (hasProcesses) expect(leakIn(readFileSync(`/proc/${process.pid}/cmdline`, 'utf8'))).toBeUndefined();
      process.kill('SIGUSR2');
      await isWhole;
      const [name] = readdirSync(folder);
      const report = readFileSync(join(folder, name!), 'utf8');
      process.kill('SIGTERM');
      expect((await exit).code).toBe(143);
      expect(report).toContain('"environmentVariables"');
      expect(leakIn(report)).toBeUndefined();
    });
  });
});

describe.concurrent('a record that holds the token', () => {
  it('is data: it leaves as it came, and is not repeated in words', async () => {
    const issued = [JSON.stringify({ id: 1, note: `see ${HOSTILE_TOKEN}` }), '{"id":2}'];
    const env = { FOLIO_TOKEN: HOSTILE_TOKEN };
    const args = [...ARGS, '--debug', '--strict'];
    const { code, text, stderr } = await runAgainst({ records: { issued }, args, options: { env } });
    expect({ code, text }).toEqual({ code: 0, text: lines(issued) });
    expect(leakIn(stderr)).toBeUndefined();
  });
});
