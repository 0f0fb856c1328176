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

export function addRequestFlags(command: Command): void {
  const options = [
    new Option('--concurrency <n>', 'requests in flight (default 4)').argParser(
      wholeNumber('--concurrency', 1, 64),
    ),
    new Option('--retries <n>', 'tries after the first, for each request (default 5)').argParser(
      wholeNumber('--retries', 0, 100),
    ),
    new Option(
      '--retry-delay <ms>',
      'first wait before a retry; it doubles, with jitter (default 500)',
    ).argParser(wholeNumber('--retry-delay', 0, 600_000)),
    new Option('--timeout <s>', 'seconds that one request may take (default 60)').argParser(
      seconds('--timeout', 0.001, 3600),
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup('How to ask:'));
}
