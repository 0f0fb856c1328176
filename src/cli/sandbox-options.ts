import { UsageError } from '../errors.ts';
import { mostOf, type SandboxOptions } from '../sandbox/options.ts';

/** The flags of `folio sandbox` as typed. */
export interface SandboxFlags {
  readonly port?: string;
  readonly issued?: string;
  readonly received?: string;
  readonly customers?: string;
  readonly funds?: string;
  readonly documents?: string;
  readonly seed?: string;
  readonly latency?: string;
  readonly realistic?: boolean;
  readonly failRate?: string;
  readonly tls?: boolean;
  readonly missingCustomer?: string;
  readonly documentsAs?: string;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The options of the embedded service that the flags ask for. Throws UsageError for the first that is wrong. */
export function parseSandboxOptions(flags: SandboxFlags): SandboxOptions {
  const options: Mutable<SandboxOptions> = { realistic: flags.realistic === true, tls: flags.tls === true };
  for (const name of ['issued', 'received', 'customers', 'funds', 'documents'] as const) {
    const text = flags[name];
    if (text !== undefined) options[name] = parseWhole(`--${name}`, text, mostOf[name]);
  }
  if (flags.port !== undefined) options.port = parseWhole('--port', flags.port, 65_535);
  if (flags.seed !== undefined) options.seed = parseWhole('--seed', flags.seed, 2 ** 32 - 1);
  if (flags.latency !== undefined) options.latency = parseLatency(flags.latency);
  if (flags.failRate !== undefined) options.failRate = parseShare(flags.failRate);
  if (flags.missingCustomer !== undefined) {
    options.missingCustomer =
      parseChoice('--missing-customer', flags.missingCustomer, ['404', '500']) === '404' ? 404 : 500;
  }
  if (flags.documentsAs !== undefined) {
    options.documentsAs = parseChoice('--documents-as', flags.documentsAs, ['array', 'envelope']);
  }
  return options;
}

function parseWhole(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > most) {
    throw new UsageError(`${flag} ${text} is not allowed: a whole number from 0 to ${most}`);
  }
  return number;
}

/** Milliseconds, up to an hour: `300`, or `100-500` for a time drawn between the two. */
function parseLatency(text: string): readonly [number, number] {
  const form = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text);
  const [least, most] = [Number(form?.[1]), Number(form?.[2] ?? form?.[1])];
  if (form === null || least > most || most > 3_600_000) {
    throw new UsageError(
      `--latency ${text} is not allowed: milliseconds from 0 to 3600000, as one number or as two with a dash (100-500)`,
    );
  }
  return [least, most];
}

function parseShare(text: string): number {
  const share = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || share > 1) {
    throw new UsageError(`--fail-rate ${text} is not allowed: a number from 0 to 1, such as 0.2`);
  }
  return share;
}

function parseChoice<const T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new UsageError(`${flag} ${text} is not allowed: ${choices.join(' or ')}`);
  return choice;
}
