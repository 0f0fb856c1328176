import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { resources } from '../../resources/index.ts';
import { oneWordName } from '../../resources/resource.ts';
import type { TapFlags } from '../../run/several/tap.ts';
import { addCommand } from '../command.ts';
import { flagGroup, text, yes } from '../flag-group.ts';
import { requestFlags } from '../flags.ts';

const STREAMS = resources.map((resource) => oneWordName(resource, '_')).join(', ');

/** `tap`: the listings as streams for Singer's targets. */
export function addTap(program: Command, context: Context): void {
  addCommand(program, 'tap', {
    description:
      `Writes Singer messages for Meltano and any Singer target: ${STREAMS}, each read whole every time (FULL_TABLE). ` +
      'Numbers that are not whole go as strings with the format singer.decimal, so that no target ' +
      'makes floats of them. A stream that was not read whole is not activated, so that nothing is deleted downstream; the exit code is then 6.',
    examples: [
      ['folio tap --discover > catalog.json', 'the streams and their fields'],
      ['folio tap --config config.json --catalog catalog.json | target-jsonl', 'what the catalog selects'],
    ],
    flags: { tap: tapFlags, request: requestFlags },
    run: async (values) => {
      const { runTap } = await import('../../run/several/tap.ts');
      await runTap(context, values);
    },
  });
}

const tapFlags = flagGroup<TapFlags>('What a runner gives:', {
  config: text('--config <file>', 'base_url, token or profile, page_size and key, as one JSON object'),
  discover: yes('--discover', 'print the catalog of the streams, and stop'),
  catalog: text('--catalog <file>', 'the streams and fields that are wanted'),
  properties: text('--properties <file>', 'the same, as older runners call it'),
  state: text('--state <file>', 'what an earlier run wrote as STATE'),
});
