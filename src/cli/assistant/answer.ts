import type { Context, InputStream, OutputStream } from '../../context.ts';
import { FolioError, IncompleteError, Interrupted } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { withoutSignedLinks } from '../../json/signed-links.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { visible } from '../../output/terminal/terminal-text.ts';
import type { Resource } from '../../resources/resource.ts';
import { flagNamed } from '../../run/flag.ts';
import { filters } from '../../run/filters.ts';

/** The question of a tool: a command line of folio's, and how much of its output is needed. */
export interface AssistantQuestion {
  readonly resource: Resource;
  readonly args: readonly string[];
  readonly prints: 'rows' | 'columns';
  /** Compares with the records as they stood before this day, in days since 1970-01-01. */
  readonly since?: number;
  /** The most rows, for commands that do not report themselves that there are more. */
  readonly limit?: number;
}

/** The source of all answers, fixed when the server starts. */
export interface AssistantSource {
  readonly context: Context;
  /** The owner of the records: a profile, or another name; undefined if only the token names it. */
  readonly organization: string | undefined;
  /** The flags that choose service, database and profile. */
  readonly args: readonly string[];
  /** Writes the records of a resource as they stood before a day into a file; undefined for the service, which has no history. */
  readonly before?: ((resource: Resource, day: number) => Promise<EarlierBooks>) | undefined;
  /** Runs the command line of the context as if it had been typed. Rejects with its error. */
  readonly run: (context: Context) => Promise<void>;
}

export interface EarlierBooks {
  readonly path: string;
  readonly sentence: string;
  readonly remove: () => Promise<void>;
}

interface Waiting {
  /** The arguments of the tool, as JSON text. */
  readonly input: string;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Called with the progress of the run, as a clause. */
  readonly onProgress?: ((clause: string) => void) | undefined;
}

type Redact = Context['secrets']['redact'];

/** How the name of the folder begins in which the earlier records are. */
export const EARLIER = 'folio-earlier-';
const EARLIER_FILE = new RegExp(`\\S*${EARLIER}\\S+\\.jsonl`, 'g');

const MAX_ANSWER = 40_000;
/** Bytes of an answer around its rows: its other members, and a note on what was cut. */
const FRAME = 600;
/** The most bytes that are kept of a command's output: more than an answer has, whatever is removed from it. */
const MAX_PRINTED = 1 << 19;
/** The most notes of an answer, and the most characters of one. */
const MAX_NOTES = 12;
const MAX_NOTE = 600;

const ASK_ON = 'Ask for more with limit, narrow it with where, or have summarize count and add.';
const ASK_LESS = 'Ask for fewer columns, for fewer rows with limit, or narrow it with where.';

/**
 * The answer to a question, as JSON text: whether it is `complete`, or data are missing; whether it is `truncated`, so that there
 * are more rows; the owner; the date `asOf`; `notes` on what is missing, left out or counted differently; the rows. Every number
 * has the digits that the service sent. Throws FolioError where there is no answer.
 */
export async function answerTo(
  source: AssistantSource,
  question: AssistantQuestion,
  waiting: Waiting,
): Promise<string> {
  const { context, organization, before } = source;
  const { resource, prints, since, limit } = question;
  const { redact } = context.secrets;
  const startedAt = new Date(context.clock.now()).toISOString();
  const earlier = since === undefined ? undefined : await before?.(resource, since);
  const run = runQuestion(source, question, { ...waiting, earlier: earlier?.path });
  const { printed, found, incomplete } = await run.finally(() => earlier?.remove());
  const lines = prints === 'columns' ? printed.lines.map((name) => JSON.stringify(name)) : printed.lines;
  const links: string[] = [];
  const cleaned = lines.slice(0, limit).map((line) => cleanJson(line, redact, links));
  const notes = [
    earlier?.sentence ?? [],
    incomplete?.message ?? [],
    hintOf(incomplete) || [],
    found.flatMap(noteOf),
    links.length > 0 ? 'Links are left out of the texts.' : [],
  ].flat();
  const others = notes.length - MAX_NOTES;
  const members = notes.slice(0, MAX_NOTES).map((note) => sentence(note, redact, waiting.input));
  if (others > 0) members.push(`There are ${others} more notes.`);
  let room = MAX_ANSWER - FRAME - members.reduce((sum, note) => sum + bytesOf(JSON.stringify(note)), 0);
  const tooMuch = cleaned.findIndex((row) => (room -= bytesOf(row)) < 0);
  const rows = cleaned.slice(0, tooMuch < 0 ? undefined : tooMuch);
  const isCut = tooMuch >= 0 || printed.isCut;
  const hasMore = cleaned.length < lines.length;
  if (isCut) members.push(cutNote(rows.length, prints));
  else if (hasMore) members.push(`The first ${limit} rows are here, and there are more. ${ASK_ON}`);
  const saysMore = found.some(({ details }) => details?.code === 'more rows');
  const readAt = found.flatMap(({ details }) => (details?.code === 'as of' ? details.readAt : []));
  const asOf = before === undefined ? startedAt : (readAt.toSorted()[0] ?? null);
  return `{${[
    `"complete":${incomplete === undefined}`,
    `"truncated":${isCut || hasMore || saysMore}`,
    `"organization":${JSON.stringify(organization ?? null)}`,
    `"asOf":${JSON.stringify(asOf)}`,
    `"notes":[${members.map((note) => JSON.stringify(note)).join(',\n')}]`,
    `"${prints}":[${rows.join(',\n')}]`,
  ].join(',\n')}}`;
}

/** Runs the command line of a question. Returns its output, findings and error. `earlier` is a file to compare with. */
async function runQuestion(
  { context, args: ofSource, run }: AssistantSource,
  { args, prints, limit }: AssistantQuestion,
  { signal, onProgress = () => {}, earlier }: Waiting & { readonly earlier: string | undefined },
) {
  const compared = earlier === undefined ? [] : [`--changes-since=${earlier}`];
  const format = prints === 'columns' ? [] : ['--format=jsonl'];
  // One row more than wanted tells whether there are more.
  const most = limit === undefined ? [] : [`--limit=${limit + 1}`];
  const argv = [...args, ...compared, ...format, ...most, ...ofSource];
  const printed = keptOutput();
  const found: Finding[] = [];
  const listener = { found: (one: Finding) => void found.push(one), progress: onProgress };
  const io = { stdin: NO_INPUT, stdout: printed, signal: interruptedBy(signal) };
  const incomplete = await run({ ...context, listener, argv, ...io }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof IncompleteError) return error;
      throw error;
    },
  );
  return { printed, found, incomplete };
}

/** The note for a finding; none if the answer has a member of its own for it, or throws it. */
function noteOf({ level, text, details }: Finding): readonly string[] {
  const isAsOf = level === 'remark' && details?.code === 'as of';
  return level === 'fact' || level === 'failure' || isAsOf ? [] : [text];
}

/** The text of an error for an assistant that gave these arguments, as JSON text: what happened, then what to do about it. */
export function errorText(error: unknown, redact: Redact, input: string): string {
  if (error instanceof FolioError) return sentence([error.message, hintOf(error)].join('\n'), redact, input);
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return sentence(`this is a fault of folio's own, please report it: ${what}`, redact, input);
}

function interruptedBy(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Interrupted('SIGINT'));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return controller.signal;
}

/** The real standard input belongs to the protocol. */
const NO_INPUT: InputStream = {
  isTerminal: false,
  open: () => {
    throw new TypeError('a tool has no input');
  },
  readAll: () => Promise.resolve(''),
  readHidden: () => Promise.reject(new Interrupted('SIGINT')),
  readLine: () => Promise.reject(new Interrupted('SIGINT')),
};

/** An output that keeps the beginning of what is written. */
function keptOutput() {
  let text = Buffer.alloc(0);
  const kept = {
    isTerminal: false,
    isPipe: false,
    columns: undefined,
    isCut: false,
    get lines(): readonly string[] {
      const lines = text.toString('utf8').split('\n');
      const rest = lines.pop()!;
      return kept.isCut || rest === '' ? lines : [...lines, rest];
    },
    write: async (bytes: Uint8Array | string): Promise<void> => {
      if (kept.isCut) return;
      const all = Buffer.concat([text, Buffer.from(bytes as string)]);
      kept.isCut = all.length > MAX_PRINTED;
      text = all.subarray(0, MAX_PRINTED);
    },
  };
  return kept satisfies OutputStream;
}

const TEXT = /"(?:[^"\\]|\\.)*"/g;
/**
 * What a browser, or a page that shows text, takes for an address: with a scheme, its slashes either way round, one or none;
 * without one, behind two of them or www. The length of a scheme is bounded, so that no text takes long.
 */
const LINK =
  /(?:(?<![a-z\d])(?:(?:https?|ftp|wss?|file):|www[.\u3002\uff0e\uff61])|[a-z][a-z\d+.-]{0,20}:\/\/|(?<![\w:/\\])[/\\]{2})[^\s"'<>]+/gi;

/**
 * JSON text with texts that are safe to read: without secrets and links, and with invisible characters
 * seen marked. Numbers stay as they are. Adds the links to a list.
 */
function cleanJson(line: string, redact: Redact, links: string[]): string {
  const unsigned = line.startsWith('{') ? withoutSignedLinks(line) : line;
  if (unsigned !== line) links.push(line);
  return unsigned.replace(TEXT, (literal) => {
    const shown = visible(redact(JSON.parse(literal) as string));
    return JSON.stringify(shown.replace(LINK, (link) => (links.push(link), '(link)')));
  });
}

/** The bytes of a text as the member of a list. */
function bytesOf(text: string): number {
  return Buffer.byteLength(text) + ',\n'.length;
}

function cutNote(count: number, prints: AssistantQuestion['prints']): string {
  if (prints === 'columns') return `The answer was cut behind ${countOf(count, 'name')}: it may have 40 kB.`;
  if (count === 0) return `The first row alone is too large for an answer. ${ASK_LESS}`;
  return `The answer was cut behind ${countOf(count, 'row')}: it may have 40 kB. ${ASK_LESS}`;
}

/** The flags that tools take besides. */
const OTHERS = 'expand sum groupBy columns sort limit asOf payable'.split(' ');
const ARGUMENT = new RegExp(
  `(?<![\\w-])(${[...Object.keys(filters), ...OTHERS].map(flagNamed).join('|')})\\b(?!-)`,
  'g',
);

/** A text of the command line in which flags have their names as arguments of a tool. */
export function asArguments(text: string): string {
  return text.replace(ARGUMENT, (flag) => flag.slice(2).replaceAll('-', '_'));
}

/** Of a shell, or flags of listings that no tool has. Others, such as --profile, are of the server: its user can set them. */
const NO_ARGUMENT = /^The shell |--(?:as-sent|field|format|list-columns|sort-by)\b/;

/** A hint without its sentences about a shell, or about flags that no tool has. */
function hintOf(error: FolioError | undefined): string {
  const sentences = (error?.hint ?? '').split(/(?<=[.?!]) (?=[A-Z])/);
  return sentences.filter((one) => !NO_ARGUMENT.test(one)).join(' ');
}

/**
 * A sentence without what `quoteText` quoted, unless the assistant itself gave it, and without links; flags have their names as
 * arguments of a tool.
 */
function sentence(text: string, redact: Redact, input: string): string {
  const shownText = (quoted: string): string =>
    input.includes(quoted.slice(1, -1)) ? quoted : '[not shown]';
  const lines = redact(text)
    .split('\n')
    .map((line) => visible(line.replace(TEXT, shownText)));
  const named = lines.join('\n').replace(EARLIER_FILE, 'the earlier records');
  const shown = asArguments(named.replace(LINK, '(link)')).trim();
  return shown.length > MAX_NOTE ? `${shown.slice(0, MAX_NOTE)}…` : shown;
}
