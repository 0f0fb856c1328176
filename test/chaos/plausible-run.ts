import { runCommandLine } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';
import { randomFrom } from '../support/random-runs.ts';
import { drawFreedoms, PlausibleService } from './plausible-service.ts';

/** One export from a service that is free where the specification is silent; the same for the same seed. */
export async function plausibleRun(seed: number) {
  const random = randomFrom(seed * 7919 + 1);
  const freedoms = drawFreedoms(random);
  const service = new PlausibleService(freedoms, random);
  const sized = random(3) > 0 ? ` --page-size ${10 + random(50)}` : '';
  const command = freedoms.listing === 'documents' ? 'funds documents 1' : freedoms.listing;
  const argv = `${command} --format jsonl --concurrency ${1 + random(4)}${sized}`.split(' ');
  const env = { FOLIO_TOKEN: 'a-token-for-tests', FOLIO_BASE_URL: 'https://api.example.com' };
  const openTransport = service.transport(() => context.clock);
  const context = fakeContext({ argv, env, openTransport });
  const truth = service.truth;
  const code = await runCommandLine(context);
  const given = context.stdout.text === '' ? [] : context.stdout.text.trimEnd().split('\n').map(withoutLinks);
  const { text: stderr } = context.stderr;
  return { argv, freedoms, service, truth, code, given, stderr, isSized: sized !== '' };
}

type PlausibleRun = Awaited<ReturnType<typeof plausibleRun>>;

const withoutLinks = (record: string): string => record.replace(/,"files":\[[^\]]*\]/, '');

/** What is wrong with a run that says that it gave everything. */
function lossOf({ service, truth, given }: PlausibleRun): string | undefined {
  if (!service.hasChanged) {
    const [is, due] = [given.toSorted(), truth.toSorted()];
    return is.join('\n') === due.join('\n')
      ? undefined
      : `${is.length} of ${due.length}: ${differences(is, due)}`;
  }
  const numbers = given.map(numberOf);
  const unique = new Set(numbers);
  if (unique.size < numbers.length) return 'a record came twice';
  const missing = [...service.lasting].filter((number) => !unique.has(number));
  return missing.length === 0 ? undefined : `not given: ${missing.join(', ')}`;
}

function differences(is: readonly string[], due: readonly string[]): string {
  const [given, owed] = [new Set(is), new Set(due)];
  const lacking = due.filter((record) => !given.has(record));
  const tooMany = is.filter((record, at) => !owed.has(record) || is[at - 1] === record);
  return `lacking ${lacking.slice(0, 3).join(' ')}, too many ${tooMany.slice(0, 3).join(' ')}`;
}

const numberOf = (record: string): number => Number(/"(?:F-|no )(\d+)"/.exec(record)![1]);

/** What is wrong with a run that says that it did not give everything. */
function untruthOf({ freedoms, service, stderr, code, given, isSized }: PlausibleRun): string | undefined {
  const { order, drift, repeating, limit } = freedoms;
  const unknown = given.filter((record) => !service.known.has(record));
  if (unknown.length > 0) return `gave what never was: ${unknown[0]}`;
  const refusesSize = isSized && (limit === '400' || limit === '500');
  if (code === 2 || code === 5) return refusesSize || repeating ? undefined : `exit ${code}`;
  if (code !== 6) return `exit ${code}`;
  const reasons: readonly (readonly [RegExp, boolean])[] = [
    [/order changes from request to request/, order !== 'stable'],
    [/kept changing/, service.hasChanged || drift !== 'none'],
    [/its pages do not hold together/, order !== 'stable' || service.hasChanged],
    [/its pages do not overlap/, order !== 'stable' || drift !== 'none'],
    [/sends records that it had sent before/, repeating],
    [/more records came than that/, drift === 'update' || drift === 'both' || drift === 'delete'],
  ];
  return reasons.some(([words, isTrue]) => isTrue && words.test(stderr))
    ? undefined
    : 'a reason that is not true';
}

/** What is wrong with a run; undefined where it gave everything, or says truly why it may not have. */
export function faultOf(run: PlausibleRun): string | undefined {
  return run.code === 0 ? lossOf(run) : untruthOf(run);
}
