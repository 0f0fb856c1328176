import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ReadStream, WriteStream } from 'node:tty';
import { afterAll } from 'vitest';
import { needingThat, startProgram, tryProgram } from './programs.ts';
import { startFolio, type RunFolioOptions } from './run-folio.ts';
import { runWith } from './run-here.ts';
import { temporaryFolder } from './temporary-folder.ts';

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
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

type Show = (
  args: readonly string[],
  options?: Omit<TerminalOptions, 'typed'>,
) => Promise<TerminalExit & { readonly code: number }>;

/**
 * Pseudo-terminals for the tests of a file, one of each size, and what runs the program as built in this process with all its
 * streams on one of them, one run after the other. What is typed needs `runInTerminal`.
 */
export function terminalsForTests(): Show {
  const folder = temporaryFolder();
  const terminals = new Map<string, Promise<Terminal>>();
  afterAll(async () => {
    for (const terminal of terminals.values()) await (await terminal).close();
  });
  let last: Promise<unknown> = Promise.resolve();
  return (args, { columns = 100, rows = 40, env, cwd } = {}) => {
    const size = `cols ${columns} rows ${rows}`;
    if (!terminals.has(size)) terminals.set(size, openTerminal(join(folder, size), size));
    const run = last.then(async () => {
      const terminal = await terminals.get(size)!;
      return terminal.show((streams) =>
        runWith(
          args,
          {
            env: { TERM: 'xterm-256color', PATH: process.env['PATH'], ...env },
            ...(cwd === undefined ? {} : { cwd }),
          },
          { ...streams, once: () => {} },
        ),
      );
    });
    last = run.catch(() => {});
    return run;
  };
}

type Run = (streams: Omit<Parameters<typeof runWith>[2], 'once'>) => Promise<number>;

interface Terminal {
  show(run: Run): Promise<TerminalExit & { readonly code: number }>;
  close(): Promise<void>;
}

/** What tells on the screen that a run has ended; no program of ours prints it. */
const END = '\u0006end of run\u0006';

async function openTerminal(file: string, size: string): Promise<Terminal> {
  const screen = openSync(file, 'w+');
  // It writes to a file: its pipe would be read by this process, which waits for the terminal while it writes there.
  const script = startProgram('script', ['-qefc', `stty ${size}; tty; read -r _`, '/dev/null'], {
    stdio: ['pipe', screen, 'ignore'],
  });
  let seen = 0;
  const shownUntil = async (end: string): Promise<string> => {
    for (;;) {
      const text = readFrom(screen, seen);
      if (text.subarray(-end.length).toString() === end) {
        seen += text.length;
        return text.subarray(0, -end.length).toString();
      }
      if (script.exitCode !== null) throw new Error(`the terminal ended: ${text.toString()}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const path = await shownUntil('\r\n');
  return {
    async show(run) {
      const open = (): number => openSync(path, constants.O_RDWR | constants.O_NOCTTY);
      const descriptors = { stdout: open(), stderr: open(), stdin: open() };
      const streams: (ReadStream | WriteStream)[] = [];
      const kept = <T extends ReadStream | WriteStream>(stream: T): T => {
        streams.push(stream);
        return stream;
      };
      try {
        const code = await run({
          descriptors,
          stdin: () => kept(new ReadStream(descriptors.stdin)),
          stdout: () => kept(new WriteStream(descriptors.stdout)),
          stderr: () => kept(new WriteStream(descriptors.stderr)),
        });
        writeSync(descriptors.stdout, END);
        return { code, screen: await shownUntil(END) };
      } finally {
        for (const stream of streams) stream.destroy();
        for (const descriptor of Object.values(descriptors)) closeSync(descriptor);
      }
    },
    async close() {
      const exit = once(script, 'exit');
      script.stdin!.end('\n');
      await exit;
      closeSync(screen);
    },
  };
}

function readFrom(file: number, place: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size - place);
  readSync(file, bytes, { position: place });
  return bytes;
}
