import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess, ExecFileSyncOptions, SpawnOptions } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import known from './programs.json' with { type: 'json' };

declare module 'vitest' {
  interface TaskMeta {
    /** Programs that the test starts. */
    needs?: readonly string[];
    /** What it needs, and this machine has not. */
    missing?: readonly string[];
  }
}

/** A program that this machine may have or not: `programs.json` has the Debian package of each, empty where none has it. */
export type Program = keyof typeof known;

/** What every machine has: the shell, and what tests use of coreutils. */
const EVERYWHERE = {
  node: process.execPath,
  sh: '/bin/sh',
  chmod: 'chmod',
  mkfifo: 'mkfifo',
  umount: 'umount',
};
export type Startable = Program | keyof typeof EVERYWHERE;

interface Place {
  readonly package?: string;
  readonly otherNames?: readonly string[];
  /** Where it is looked for before the `PATH`: a folder, in which `*` stands for a version, the newest first. */
  readonly folders?: string;
}

/** Programs that tests are to do without, as on a machine that has none of them: names, or `all`. */
const hidden = (process.env['FOLIO_TEST_WITHOUT'] ?? '').split(' ');

const paths = new Map<Program, string | undefined>();
const declared = new Set<Program>();

/** Whether this machine has the program. */
export function hasProgram(program: Program): boolean {
  if (!paths.has(program)) paths.set(program, findProgram(program));
  return paths.get(program) !== undefined;
}

function findProgram(program: Program): string | undefined {
  if (hidden.includes('all') || hidden.includes(program)) return undefined;
  const { otherNames = [], folders }: Place = known[program];
  const searched = [...foldersOf(folders), ...(process.env['PATH'] ?? '').split(delimiter)];
  return [program, ...otherNames]
    .flatMap((name) => searched.map((folder) => join(folder, name)))
    .find(isProgram);
}

function foldersOf(pattern: string | undefined): string[] {
  const [base, below] = pattern?.split('/*/') ?? [];
  if (base === undefined || !existsSync(base)) return [];
  if (below === undefined) return [base];
  const versions = readdirSync(base).toSorted((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(base, version, below));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

interface Needing {
  readonly skip: boolean;
  readonly meta: { readonly needs: readonly string[]; readonly missing: readonly string[] };
}

/**
 * Options of a test or of a suite that starts these programs: it is skipped where one of them is missing, and the last lines of
 * the run say so. A test within a suite that needs something names that, too.
 */
export function needing(...programs: readonly Program[]): Needing {
  for (const program of programs) declared.add(program);
  const missing = programs.filter((program) => !hasProgram(program));
  return { skip: missing.length > 0, meta: { needs: programs, missing } };
}

/** As `needing`, where tests need something besides: it is tried where the programs are there. */
export function needingThat(what: string, isSo: () => boolean, ...programs: readonly Program[]): Needing {
  const plain = needing(...programs);
  if (plain.skip || isSo()) return plain;
  return { skip: true, meta: { needs: programs, missing: [what] } };
}

/** The path of a program that is there, and that a test has named with `needing`. */
export function pathOf(program: Startable): string {
  if (isEverywhere(program)) return EVERYWHERE[program];
  if (!declared.has(program))
    throw new Error(`no test says that it starts ${program}: needing('${program}')`);
  if (!hasProgram(program)) throw new Error(`a test starts ${program}, which it does not say: needing(…)`);
  return paths.get(program)!;
}

function isEverywhere(program: Startable): program is keyof typeof EVERYWHERE {
  return Object.hasOwn(EVERYWHERE, program);
}

/** What a program prints. Throws where it fails. */
export function runProgram(
  program: Startable,
  args: readonly string[],
  options: ExecFileSyncOptions = {},
): string {
  return execFileSync(pathOf(program), args, { maxBuffer: 2 ** 26, ...options, encoding: 'utf8' });
}

/** How a program ends, and what it prints. */
export function tryProgram(
  program: Startable,
  args: readonly string[],
  options: ExecFileSyncOptions = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(pathOf(program), args, { maxBuffer: 2 ** 26, ...options, encoding: 'utf8' });
}

/** Starts a program. */
export function startProgram(
  program: Startable,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  return spawn(pathOf(program), args, options);
}
