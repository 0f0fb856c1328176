import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, silence } from '../support/faults.ts';
import { jsonWebToken } from '../support/json-web-token.ts';
import { lines, runAgainst, startFaultServer } from '../support/run-against.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { withProfile } from '../support/settings-folder.ts';
import { fileOf, temporaryFolder } from '../support/temporary-folder.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

const ARGS = ['issued', '--format', 'jsonl'];

describe('a token', () => {
  const half = HOSTILE_TOKEN.slice(0, 20);
  const ODD = 'has a character that a header cannot hold at character';
  it.each([
    ['a line break within', `${half}\n${half}`, 'has a line break at character 21 of 41'],
    ['a header after it', `${half}\r\nX-Other: ${half}`, 'has a line break at character 21 of 51'],
    ['a space within', `${half} ${half}`, 'has a space at character 21 of 41'],
    ['a tab within', `${half}\t${half}`, 'at character 21 of 41'],
    ['a letter beyond ASCII', `${half}é${half}`, `${ODD} 21 of 41`],
    ['a control character', `${half}\u007f${half}`, `${ODD} 21 of 41`],
    ['a character that is not seen', `${half}\u200b${half}`, `${ODD} 21 of 41`],
    ['an escape sequence', `\u001b]0;${half}\u0007`, `${ODD} 1 of 25`],
    ['too many characters', half.repeat(500), 'is 10000 characters long, more than 8000'],
    ['Bearer and no more', 'Bearer ', 'is empty'],
  ])('with %s is refused before any request, and not shown', async (_, token, says) => {
    const file = fileOf(token, 'token');
    for (const [flags, env] of [
      [[], { FOLIO_TOKEN: token }],
      [['--token-file', file], {}],
    ] as const) {
      const args = [...ARGS, '--debug', ...flags];
      const exit = await runAgainst({ records: {}, args, options: { env } });
      expect(exit).toMatchObject({ code: 3, text: '', requests: [], stderr: expect.stringContaining(says) });
      expect(leakIn(exit.stderr)).toBeUndefined();
    }
  });

  it('is sent alone, in the one header', async () => {
    const options = { env: { FOLIO_TOKEN: HOSTILE_TOKEN } };
    const { requests } = await runAgainst({ records: {}, args: ['issued'], options });
    const { headers, url } = requests[0]!;
    const agent = expect.stringMatching(/^folio\/[\d.]+$/) as string;
    const others = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': agent };
    const own = { host: url.host, connection: 'keep-alive' };
    expect(headers).toEqual({ ...own, authorization: HOSTILE_TOKEN, ...others });
    expect(leakIn(url.href)).toBeUndefined();
  });

  it.each([
    ['has ended is not sent: exit 3', -2.5, [], 3, /^folio: the token ended on .* UTC \(2 days ago\)\n/],
    ['is in its last 14 days says so under -v', 13.5, ['-v'], 0, /the token ends on .* \(in 13 days\)/],
    ['has more days is silent', 14.5, ['-v'], 0, /^(?!.*the token ends)/s],
    ['is in its last 14 days is silent off a terminal', 13.5, [], 0, /^$/],
  ])('that %s', async (_, days, flags, code, says) => {
    const token = jsonWebToken({ exp: Math.floor(Date.now() / 1000 + days * 86_400) });
    const options = { env: { FOLIO_TOKEN: token } };
    const exit = await runAgainst({ records: {}, args: [...ARGS, ...flags], options });
    expect([exit.code, exit.stderr]).toEqual([code, expect.stringMatching(says)]);
    expect(exit.requests).toHaveLength(code === 0 ? 1 : 0);
  });
});

describe('a stored token', () => {
  it.each([
    ['--base-url', ['--base-url', 'OTHER'], {}],
    ['FOLIO_BASE_URL', [], { FOLIO_BASE_URL: 'OTHER' }],
  ])('is sent to the address that it was stored for, not to one given by %s', async (_, flags, variables) => {
    const own = await startFaultServer({ issued: ['{"id":1}'] });
    const other = await startFaultServer({ issued: ['{"id":2}'] });
    const env = withProfile({ baseUrl: own.baseUrl, token: HOSTILE_TOKEN });
    const { code, stdout } = await runHere(ARGS, { env });
    expect({ code, text: stdout.toString() }).toEqual({ code: 0, text: '{"id":1}\n' });
    const at = (text: string): string => text.replace('OTHER', other.baseUrl);
    const more = Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, at(text)]));
    const exit = await runHere([...ARGS, ...flags.map(at)], { env: { ...env, ...more } });
    expect(exit.code).toBe(3);
    expect(exit.stderr).toMatch(/is for .*, it is not sent to .*\n {2}Log in there with `folio auth login/);
    expect(other.requests).toEqual([]);
    expect(leakIn(exit.stderr)).toBeUndefined();
  });

  const CHANGES = ['config set baseUrl OTHER --profile main', 'auth status --base-url OTHER'];
  it.each(CHANGES)('cannot be had by a change of the address: %s', async (line) => {
    const other = await startFaultServer({});
    const env = withProfile({ baseUrl: 'http://127.0.0.1:9/v1', token: HOSTILE_TOKEN });
    const { code } = await runHere(line.replace('OTHER', other.baseUrl).split(' '), { env });
    expect([code === 0, other.requests]).toEqual([false, []]);
  });
});

describe('a token command', () => {
  it('is not given the token of the environment, nor an input, nor the working folder', async () => {
    const folder = temporaryFolder();
    const script = `env > '${folder}/env'; cat > '${folder}/input'; pwd > '${folder}/cwd'; printf other-token-12345`;
    const command = JSON.stringify(['/bin/sh', '-c', script]);
    const { baseUrl, requests } = await startFaultServer({ customers: ['{"id":1}'] });
    const args = ['auth', 'login', '--base-url', baseUrl, '--token-command', command, '--debug'];
    const config = { FOLIO_CONFIG_DIR: join(folder, 'config'), PATH: '/usr/bin:/bin' };
    const { code, stderr } = await runFolio(args, { env: { FOLIO_TOKEN: HOSTILE_TOKEN, ...config } });
    const sent = requests.map(({ headers }) => headers['authorization']);
    expect({ code, sent }).toEqual({ code: 0, sent: ['other-token-12345'] });
    const [handedOn, input, cwd] = ['env', 'input', 'cwd'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    expect([leakIn(handedOn!), handedOn]).toEqual([undefined, expect.stringContaining('PATH=')]);
    expect([input, cwd === `${process.cwd()}\n`]).toEqual(['', false]);
    expect(stderr).not.toContain('other-token');
  });

  it.each([
    ['killed by a signal', 'kill -9 $$', 'was ended by SIGKILL'],
    ['failing in its words', 'echo "no item s3cret-argument here" >&2; exit 7', 'failed with exit code 7'],
  ])('does not have its arguments shown where it ends %s', async (_, script, says) => {
    const tokenCommand = ['/bin/sh', '-c', script, 's3cret-argument', '--key=s3cret-argument'];
    const env = withProfile({ baseUrl: 'http://127.0.0.1:9', tokenCommand });
    for (const line of ['auth status', 'doctor', 'issued', 'auth list', 'config list'])
      for (const more of ['', ' --debug', ' --format json']) {
        const { code, stdout, stderr } = await runHere(`${line}${more}`.split(' '), { env });
        const printed = stdout.toString() + stderr;
        expect(printed).not.toMatch(/s3cret|kill -9/);
        if (code !== 0 && line.startsWith('auth')) expect(printed).toContain(says);
      }
  });

  it('does not have its arguments shown where they are longer than the system allows', async () => {
    const tokenCommand = ['/bin/echo', 's3cret-argument'.repeat(20_000)];
    const env = withProfile({ baseUrl: 'http://127.0.0.1:9', tokenCommand });
    const { code, stdout, stderr } = await runHere(['issued'], { env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/could not be run: its arguments are longer than the system allows\n/);
    expect(stderr).not.toContain('s3cret');
  });
});

describe('a token in the environment', () => {
  it('is in no crash report of the runtime, nor in the list of processes', async () => {
    const folder = temporaryFolder();
    const server = await startFaultServer({ issued: ['{}'] }, always(silence));
    const options = `--report-on-signal --report-directory=${folder}`;
    const env = { FOLIO_TOKEN: HOSTILE_TOKEN, NODE_OPTIONS: options };
    const { process, exit } = startFolio([...ARGS, '--base-url', server.baseUrl], { env });
    // The runtime says when the report is whole.
    const isWhole = new Promise<void>((resolve) => {
      let printed = '';
      process.stderr!.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes('Node.js report completed')) resolve();
      });
    });
    await server.received(1);
    // Only Linux has it.
    const hasProcesses = readdirSync('/').includes('proc');
    if (hasProcesses) expect(leakIn(readFileSync(`/proc/${process.pid}/cmdline`, 'utf8'))).toBeUndefined();
    process.kill('SIGUSR2');
    await isWhole;
    const report = readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8');
    process.kill('SIGTERM');
    expect((await exit).code).toBe(143);
    expect(report).toContain('"environmentVariables"');
    expect(leakIn(report)).toBeUndefined();
  });
});

it('a record that holds the token is data: it leaves as it came, and is not repeated in words', async () => {
  const issued = [JSON.stringify({ id: 1, note: `see ${HOSTILE_TOKEN}` }), '{"id":2}'];
  const options = { env: { FOLIO_TOKEN: HOSTILE_TOKEN } };
  const args = [...ARGS, '--debug', '--strict'];
  const { code, text, stderr } = await runAgainst({ records: { issued }, args, options });
  expect({ code, text }).toEqual({ code: 0, text: lines(issued) });
  expect(leakIn(stderr)).toBeUndefined();
});
