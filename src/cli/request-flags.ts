import { Option, type Command } from 'commander';
import { seconds, wholeNumber } from './parse-values.ts';

/** How the service is asked. */
export interface RequestFlags {
  readonly concurrency?: number;
  readonly retries?: number;
  /** Milliseconds. */
  readonly retryDelay?: number;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** What holds where a flag is not given. */
export const requestDefaults = { concurrency: 4, retries: 5, retryDelay: 500, timeout: 60_000 } as const;

/** How each value is read, by the name that an error gives it: that of a flag or of a setting. */
export const requestParsers = {
  concurrency: (name: string) => wholeNumber(name, 1, 64),
  retries: (name: string) => wholeNumber(name, 0, 100),
  retryDelay: (name: string) => wholeNumber(name, 0, 600_000),
  timeout: (name: string) => seconds(name, 0.001, 3600),
} as const;

export function addRequestFlags(command: Command): void {
  const { concurrency, retries, retryDelay, timeout } = requestParsers;
  const options = [
    new Option('--concurrency <n>', 'requests in flight (default 4)').argParser(concurrency('--concurrency')),
    new Option('--retries <n>', 'tries after the first, for each request (default 5)').argParser(
      retries('--retries'),
    ),
    new Option(
      '--retry-delay <ms>',
      'first wait before a retry; it doubles, with jitter (default 500)',
    ).argParser(retryDelay('--retry-delay')),
    new Option('--timeout <s>', 'seconds that one request may take (default 60)').argParser(
      timeout('--timeout'),
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup('How to ask:'));
}
