import ora from 'ora';
import type { StartSpinner } from './context.ts';

/** Milliseconds between two looks at what to show. */
const REFRESH_MILLISECONDS = 200;

/**
 * The spinner of ora on a terminal. It neither hides the cursor nor reads the keys: a process that is killed must leave
 * the terminal as it was, and Ctrl-C must reach it as a signal.
 */
export function startOraSpinner(stream: NodeJS.WriteStream): StartSpinner {
  return ({ text, color }) => {
    const look = { color: color ? 'cyan' : false, hideCursor: false, discardStdin: false } as const;
    const spinner = ora({ ...look, stream, isEnabled: true, text: text() }).start();
    const timer = setInterval(() => (spinner.text = text()), REFRESH_MILLISECONDS);
    return {
      stop: () => {
        clearInterval(timer);
        spinner.stop();
      },
    };
  };
}
