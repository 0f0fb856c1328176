import { needingThat, tryProgram } from './programs.ts';
import { startFolio, type RunFolioOptions } from './run-folio.ts';

/** Options of a test that runs the program in a pseudo-terminal, which `script` makes, where it is that of util-linux. */
export const needingTerminal = needingThat(
  'the script of util-linux',
  () => tryProgram('script', ['--version']).stdout.includes('util-linux'),
  'script',
);

export interface TerminalExit {
  readonly code: number | null;
  /** All that the terminal was given, by stdout, stderr and the echo of what is typed, with its line ends. */
  readonly screen: string;
}

export interface TerminalOptions extends Pick<RunFolioOptions, 'env' | 'cwd'> {
  /** Display cells across; 100 unless given. */
  readonly columns?: number;
  /** Lines of the screen; 40 unless given. */
  readonly rows?: number;
  /** What is typed, each once the screen shows the text before it. */
  readonly typed?: readonly (readonly [shown: string, keys: string])[];
}

/** Runs the real program in a pseudo-terminal: all three of its streams are one. */
export async function runInTerminal(
  args: readonly string[],
  { typed = [], env, cwd, columns = 100, rows = 40 }: TerminalOptions = {},
): Promise<TerminalExit> {
  const { process, exit } = startFolio(args, {
    within: (command) => {
      const line = `stty cols ${columns} rows ${rows}; exec ${command.map(quoted).join(' ')}`;
      return ['script', ['-qefc', line, '/dev/null']];
    },
    env: { TERM: 'xterm-256color', PATH: globalThis.process.env['PATH'], ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let screen = '';
  const left = [...typed];
  process.stdout?.on('data', (chunk: Buffer) => {
    screen += chunk.toString('latin1');
    if (left.length > 0 && screen.includes(left[0]![0])) process.stdin?.write(left.shift()![1]);
  });
  const { code, stdout } = await exit;
  return { code, screen: stdout.toString('utf8') };
}

/** A word of a shell's. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
