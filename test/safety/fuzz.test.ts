import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endingsOf, formats } from '../../src/output/formats.ts';
import { countFigure, randomRuns } from '../support/random-runs.ts';
import { startHttpService, type HttpService } from '../support/servers.ts';
import { startFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fuzzCase, type FuzzCase } from './fuzz-cases.ts';
import { watchPeak } from './peak.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

const RUNS = randomRuns(36);
/** The first case: many can be run in parts, and one that was found by itself. */
const FIRST = Number(process.env['FOLIO_FUZZ_FROM'] ?? 1);
/** Milliseconds and kilobytes that a run may take. */
const LONGEST = 5_000;
const LARGEST = 400 * 1024;
/** Milliseconds that a run may take which took too long beside others, and is tried again by itself. */
const HUNG = 20_000;

const KINDS = ['hung', 'over memory', "a fault of folio's own", 'token seen', 'written outside'] as const;
type Kind = (typeof KINDS)[number];

interface Verdict {
  readonly kinds: readonly Kind[];
  readonly says: string;
}

/** Runs the built program against the service of a case, and looks at all that it left behind. */
async function tryCase({ seed, args, answer }: FuzzCase, outer: string, longest: number): Promise<Verdict> {
  const out = join(outer, 'home', 'out');
  mkdirSync(out, { recursive: true });
  const service = await serve(answer);
  const { env, peakOf } = watchPeak(join(outer, 'peak'));
  const words = args.map((arg) => arg.replace('OUT', out));
  const { process, exit } = startFolio(words, {
    env: { FOLIO_TOKEN: HOSTILE_TOKEN, FOLIO_BASE_URL: service.baseUrl, ...env },
    cwd: join(outer, 'home'),
  });
  const timer = setTimeout(() => process.kill('SIGKILL'), longest);
  const { code, signal, stderr } = await exit;
  clearTimeout(timer);
  await service.close();
  const receipt = join(out, 'receipt.json');
  const printed = stderr + (existsSync(receipt) ? readFileSync(receipt, 'utf8') : '');
  const found: Record<Kind, boolean> = {
    hung: signal === 'SIGKILL',
    'over memory': signal !== 'SIGKILL' && peakOf() > LARGEST,
    "a fault of folio's own": stderr.includes("fault of folio's own") || (code ?? 0) > 6,
    'token seen': leakIn(printed) !== undefined,
    'written outside': elsewhere(outer).length > 0,
  };
  return {
    kinds: KINDS.filter((kind) => found[kind]),
    says: `case ${seed} (${args.join(' ')}): ${code ?? signal}: ${stderr.slice(0, 500)}`,
  };
}

const OUTPUTS = [...formats.map((format) => `out.${endingsOf(format)[0]!}`), 'receipt.json', 'files'];

/** What lies in the folder that no run may have put there, and what is called as no file of folio's is. */
function elsewhere(outer: string): string[] {
  const others = (folder: string, expected: readonly string[]): string[] =>
    readdirSync(join(outer, folder)).filter((name) => !expected.includes(name));
  // A run that was killed leaves a temporary file, which the next one removes.
  const left = /^\.(?:out|receipt)\..*\.folio-(?:tmp|lock)$/;
  const out = others('home/out', OUTPUTS).filter((name) => !left.test(name));
  return [...others('', ['home', 'peak']), ...others('home', ['out']), ...out];
}

function serve(answer: FuzzCase['answer']): Promise<HttpService> {
  return startHttpService((request, response, { number, target }) => {
    const { status, headers, body } = answer(target, number);
    const link = `http://${request.headers.host}/file/${number + 1}.pdf`;
    const bytes = body.includes('LINK')
      ? Buffer.from(body.toString('latin1').replaceAll('LINK', link), 'latin1')
      : body;
    response.on('error', () => {});
    response.writeHead(status, { ...headers, 'content-length': bytes.length });
    response.end(bytes);
  });
}

describe('random hostile services', () => {
  it(`end each of ${RUNS} runs in time, within memory, with words, and without the token or a file elsewhere`, async () => {
    const found: Verdict[] = [];
    const folder = temporaryFolder();
    let next = FIRST;
    const suspects: number[] = [];
    const tried = async (seed: number, longest = LONGEST): Promise<Verdict> => {
      const outer = join(folder, String(seed));
      const verdict = await tryCase(fuzzCase(seed), outer, longest);
      rmSync(outer, { recursive: true });
      return verdict;
    };
    const worker = async (): Promise<void> => {
      for (let seed = next++; seed < FIRST + RUNS; seed = next++) {
        const verdict = await tried(seed);
        if (verdict.kinds.includes('hung')) suspects.push(seed);
        else if (verdict.kinds.length > 0) found.push(verdict);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    // A busy machine may have been the reason: once more, each alone, with all the time that the busiest one may take.
    for (const seed of suspects) {
      const verdict = await tried(seed, HUNG);
      if (verdict.kinds.length > 0) found.push(verdict);
    }
    const counts = KINDS.map(
      (kind) => `${kind}: ${found.filter(({ kinds }) => kinds.includes(kind)).length}`,
    );
    const what = `random hostile services, from case ${FIRST} on`;
    countFigure({ what, ran: RUNS, outcome: counts.join(', ') });
    expect(found).toEqual([]);
  }, 10_800_000);
});
