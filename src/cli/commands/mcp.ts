import { CommanderError } from 'commander';
import { READS_A_FILE, requestFlags } from '../../run/flags.ts';
import { commandOf, declareCommand } from '../command.ts';
import { explained } from '../words.ts';

export const mcpCommand = declareCommand({
  description:
    'Answers an assistant that speaks the Model Context Protocol, on standard input and output: summarize, find, ' +
    'aging, columns and, of a database, what changed since a day; nothing that writes, downloads or links. An ' +
    'answer has at most 40 kB, and says whose it is, whether it is complete, whether there are more rows, as of ' +
    'when, and what was left out. The server is about one organization, chosen when it starts. Read from a ' +
    'database of folio sync if you can: the service may take half a minute for a listing. `folio help agents` is ' +
    'for assistants at a terminal.',
  examples: [
    ['folio mcp --from books.db', 'of a synced database: answers at once'],
    ['folio mcp --profile north', 'of the service'],
  ],
  flags: {
    from: {
      syntax: '--from <database>',
      about: 'read a database of folio sync in place of the service',
      rules: [READS_A_FILE],
    },
    ...requestFlags,
  },
  run: async (context, flags) => {
    const { serveAssistant } = await import('../assistant/serve-assistant.ts');
    await serveAssistant(context, flags, async (call) => {
      const called = await context.programFor(call, call.argv);
      await called.parseAsync([...call.argv], { from: 'user' }).catch(async (error: unknown) => {
        // A tool may take a flag that not every listing has.
        if (!(error instanceof CommanderError)) throw error;
        throw await explained(error, commandOf(error), () => context.programFor(call, ['__man']));
      });
    });
  },
});
