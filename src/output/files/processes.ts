import { promises, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../../errors.ts';

export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** On Linux, the namespace of process numbers: one for each container. */
  readonly namespace?: string | undefined;
  /** Whether the process runs, and when it began, if the system tells: a later process may get the same number. */
  stateOf(pid: number): Promise<{ readonly alive: boolean; readonly start?: string | undefined }>;
}

/** The processes of this host, as this process sees them; `own` is Node's `process`. */
export function processTable(own: {
  readonly pid: number;
  kill(pid: number, signal: 0): boolean;
}): Processes {
  const takesSignals = (pid: number): boolean => {
    try {
      return own.kill(pid, 0);
    } catch (error) {
      return errorCode(error) === 'EPERM';
    }
  };
  return {
    pid: own.pid,
    host: hostname(),
    get namespace() {
      try {
        return readlinkSync('/proc/self/ns/pid');
      } catch {
        return undefined;
      }
    },
    async stateOf(pid) {
      // A zombie still takes signals; only its state shows that it is gone (killed in a container without init).
      const [stat, boot] = await Promise.all(
        [`/proc/${pid}/stat`, '/proc/sys/kernel/random/boot_id'].map((path) =>
          promises.readFile(path, 'utf8').catch(() => undefined),
        ),
      );
      if (stat === undefined) return { alive: takesSignals(pid) };
      // The name, in brackets, may hold anything: fields are counted from its end. Start is number 22, state 3.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { alive: !/^[ZXx]$/.test(fields[0]!), start: `${boot?.trim() ?? ''}/${fields[19]}` };
    },
  };
}
