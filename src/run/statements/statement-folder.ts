import { UsageError } from '../../errors.ts';
import { formatDay } from '../../json/calendar-day.ts';
import { PageFolder, type FolderPage } from '../../output/files/page-folder.ts';
import { statementIndex, type IndexedStatement } from '../../report/statement-index.ts';
import { statementPage } from '../../report/statement-page.ts';
import type { OwnStatement } from '../../report/statement-rows.ts';
import { writingFor, type Writing } from '../../report/words.ts';
import { remarkWritten } from '../export-part.ts';
import { noteOf } from './note.ts';
import { checkOutcome, listingOf, readAll, type Job, type StatementsRead } from './read-statements.ts';

const INDEX = 'index.html';
const INDEX_KEY = 'index';

/**
 * Writes a page for everyone with something open into a folder, and an index. The page of an earlier run whose customer has
 * settled is replaced by one that says so; where not all could be read, it stays as it was.
 */
export async function writeFolder(job: Job, path: string): Promise<void> {
  const { run, asked } = job;
  const { context } = run;
  const note = await noteOf(asked.flags.note, context);
  const folder = await PageFolder.open(path, context, [INDEX]);
  try {
    await checkFolder(folder, job);
    const outcome = await readAll(job);
    const writing = writingFor(context, asked.flags.lang);
    const pages = new Pages({ job, folder, outcome, writing, note });
    for (const own of outcome.statements) await pages.write(own);
    await pages.writeSettled();
    await pages.writeIndex();
    const { count, bytes } = pages;
    await remarkWritten(run, () => ({ count, what: 'statements', place: path, bytes }));
    checkOutcome(outcome.results);
  } finally {
    await folder.close();
  }
}

/** Throws UsageError for a folder whose index is not folio's, or which is for the statements of the others. */
async function checkFolder(folder: PageFolder, { asked: { flags } }: Job): Promise<void> {
  if (!(await folder.mayReplace(INDEX))) {
    throw new UsageError(
      `${folder.shown(INDEX)} is no index of folio's, or was changed since, and stays as it is`,
      {
        hint: 'Move it away, or name another folder with --output-dir.',
      },
    );
  }
  const listing = listingOf(flags);
  const other = folder.pages.find(
    ({ facts }) => facts['listing'] !== undefined && facts['listing'] !== listing,
  );
  if (other === undefined) return;
  const [there, here] = listing === 'issued' ? ['suppliers', 'customers'] : ['customers', 'suppliers'];
  throw new UsageError(`--output-dir ${folder.shown('')} has the statements of ${there}`, {
    hint: `Name another folder for those of ${here}.`,
  });
}

interface PagesOptions {
  readonly job: Job;
  readonly folder: PageFolder;
  readonly outcome: StatementsRead;
  readonly writing: Writing;
  readonly note: string | undefined;
}

/** The pages of one run. */
class Pages {
  count = 0;
  bytes = 0;
  /** What was written, for the receipt. */
  readonly files: { readonly name: string; readonly bytes: number; readonly sha256: string }[] = [];
  readonly #options: PagesOptions;
  readonly #indexed: IndexedStatement[] = [];
  readonly #written = new Set<string>();

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  /** Writes the page of a statement. */
  async write(own: OwnStatement): Promise<void> {
    const { folder, job } = this.#options;
    const { party, key: partyKey } = own.statement;
    const key = JSON.stringify([listingOf(job.asked.flags), own.id, partyKey]);
    const named = [party.fiscalId, party.name].filter((part) => part !== undefined).join(' ');
    const stem = own.isOneOfSeveral ? `${own.profile}.${named}` : named;
    const file = await folder.nameOf(key, stem, (taken) =>
      job.run.notices.warn(
        `${folder.shown(taken)} is not as folio wrote it, and stays as it is: the statement has another name`,
      ),
    );
    const facts = { sender: own.id, party: partyKey, ...party, profile: own.profile };
    await this.#put({ key, file, facts: textsOf(facts) }, own);
    this.#written.add(key);
    this.#indexed.push({ own, file, settled: undefined });
    this.count++;
  }

  /** Replaces the pages of those who have nothing open any more, as far as that is known. */
  async writeSettled(): Promise<void> {
    const { folder, outcome, job } = this.#options;
    const { notices } = job.run;
    for (const page of folder.pages) {
      if (page.key === INDEX_KEY || this.#written.has(page.key)) continue;
      const { facts } = page;
      const at = outcome.senders.findIndex(
        ({ id, profile }) =>
          id === facts['sender'] || (profile !== undefined && profile === facts['profile']),
      );
      const sender = outcome.senders[at];
      if (sender === undefined) continue;
      const shown = folder.shown(page.file);
      if (!(await folder.has(page))) {
        // It was removed, or somebody has made it his own.
        if (!(await folder.mayReplace(page.file)))
          notices.warn(`${shown} is not as folio wrote it, and stays as it is: nothing open was read of it`);
        folder.forget(page);
        continue;
      }
      if (!sender.isWhole || outcome.unreadable[at]!.has(facts['party'] ?? '')) {
        notices.warn(
          `${shown} stays as it was: nothing open was read of it, but not everything could be read`,
        );
        continue;
      }
      const { name, fiscalId, settled } = facts;
      const statement = { key: page.key, party: { name, fiscalId }, currencies: [], unreadable: 0 };
      const own = { ...sender, statement };
      const since = settled ?? formatDay(job.today);
      if (settled === undefined) {
        notices.warn(`${shown}: nothing is open any more, and the page says so now`);
        await this.#put({ ...page, facts: { ...facts, settled: since } }, own);
      }
      this.#indexed.push({ own, file: page.file, settled: since });
    }
  }

  async writeIndex(): Promise<void> {
    const { job, outcome, writing } = this.#options;
    const isWhole = outcome.results.every(({ failure }) => failure === undefined);
    const text = statementIndex(this.#indexed, { ...outcome.facts, writing, isWhole });
    await this.#add({ key: INDEX_KEY, file: INDEX, facts: {} }, text);
    const { bytes, files } = this;
    job.run.receipt.note({ results: { format: 'html', statements: this.count, bytes, files } });
  }

  async #put(page: FolderPage, own: OwnStatement): Promise<void> {
    const { outcome, writing, note, job } = this.#options;
    const text = statementPage(own, { ...outcome.facts, writing, note });
    const facts = { ...page.facts, listing: listingOf(job.asked.flags) };
    await this.#add({ ...page, facts }, text);
  }

  async #add(page: FolderPage, text: string): Promise<void> {
    const { bytes, sha256 } = await this.#options.folder.write(page, text);
    this.bytes += bytes;
    this.files.push({ name: page.file, bytes, sha256 });
  }
}

function textsOf(facts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(facts).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
