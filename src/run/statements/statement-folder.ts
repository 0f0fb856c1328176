import { NameRegister, safePageName } from '../../output/downloads/file-names.ts';
import { writeNewFolder } from '../../output/files/new-folder.ts';
import { statementIndex, type IndexedStatement } from '../../report/statement-index.ts';
import { statementPage } from '../../report/statement-page.ts';
import type { OwnStatement } from '../../report/statement-rows.ts';
import { writingFor } from '../../report/words.ts';
import { remarkWritten } from '../written.ts';
import { noteOf } from './note.ts';
import { checkOutcome, readAll, type Job, type StatementsRead } from './read-statements.ts';

const INDEX = 'index.html';

/** Writes a new folder with a page for everyone with something open, and an index. */
export async function writeFolder({ run, ...job }: Job, path: string): Promise<void> {
  const { context } = run;
  const { note, lang } = job.asked.flags;
  const writing = writingFor(context, lang);
  const below = await noteOf(note, context);
  let outcome: StatementsRead | undefined;
  const indexed: IndexedStatement[] = [];
  const files = await writeNewFolder(path, context, async (write) => {
    outcome = await readAll({ run, ...job });
    const { facts, results, statements } = outcome;
    const register = new NameRegister();
    register.reserve(INDEX);
    for (const own of statements) {
      const file = register.take(safePageName(stemOf(own), 'html'));
      await write(file, statementPage(own, { ...facts, writing, note: below }));
      indexed.push({ own, file });
    }
    const isWhole = results.every(({ failure }) => failure === undefined);
    await write(INDEX, statementIndex(indexed, { ...facts, writing, isWhole }));
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const count = indexed.length;
  const facts = { format: 'html', statements: count, bytes, files };
  run.notices.add({ level: 'fact', text: '', facts });
  remarkWritten(run, () => ({ count, what: 'statements', place: path, bytes }));
  checkOutcome(outcome!.results);
}

/** The name of a page without its ending: whom it is about, behind the profile where there are several. */
function stemOf({ profile, isOneOfSeveral, statement: { party } }: OwnStatement): string {
  const named = [party.fiscalId, party.name].filter((part) => part !== undefined).join(' ');
  return isOneOfSeveral ? `${profile}.${named}` : named;
}
