import { folio } from './folio-command.ts';
import { measureInTurn, median, ratio } from './measure.ts';
import { printTable, seconds, times } from './print-table.ts';
import { startService } from './service.ts';

const ROUNDS = 31;

/** What it takes to start: commands that do next to nothing, against a Node that does nothing. */
export async function measureStartUp(): Promise<void> {
  const service = await startService('issued', 100, 5);
  const empty = { name: 'node -e 0', command: [process.execPath, '-e', '0'] };
  const { env } = service;
  const goals = new Map([
    ['--version', '1.6'],
    ['--help', '1.9'],
    ['issued --help', '2'],
    ['issued --limit 5', '3.8'],
  ]);
  const commands = [...goals.keys()].map((name) => ({ name, command: folio(...name.split(' ')), env }));
  try {
    const results = await measureInTurn([empty, ...commands], ROUNDS);
    const base = results.get(empty.name)!;
    printTable(
      `Start-up (medians of ${ROUNDS})`,
      ['command', 'time', 'times `node -e 0`', 'goal'],
      [...results].map(([name, runs]) => [
        name === empty.name ? `\`${name}\`` : `\`folio ${name}\``,
        seconds(median(runs.map((run) => run.seconds))),
        times(ratio(runs, base)),
        goals.get(name) ?? '',
      ]),
    );
  } finally {
    service.stop();
  }
}
