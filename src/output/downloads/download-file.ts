import { LinkRefused, type FileClient, type FileHead } from '../../api/files.ts';
import { AuthError, FolioError, Interrupted, OutputError, ServiceError } from '../../errors.ts';
import type { DownloadFolder, StoredFile } from './download-folder.ts';
import { cleanExtension } from './file-names.ts';
import type { NameClaim } from './file-ledger.ts';
import type { InvoiceFile, LinkRenewal } from './invoice-files.ts';

/** How the download of one file ended. */
export interface DownloadResult {
  readonly file: InvoiceFile;
  readonly status: 'saved' | 'there' | 'failed' | 'unwanted';
  readonly stored?: StoredFile;
  /** Why it failed. */
  readonly failure?: FolioError;
}

interface Downloads {
  readonly folder: DownloadFolder;
  readonly client: FileClient;
  readonly renewal: LinkRenewal;
  /** The endings that are wanted; undefined for any. */
  readonly only: ReadonlySet<string> | undefined;
}

export interface DownloadJob {
  readonly file: InvoiceFile;
  readonly claim: NameClaim;
}

/**
 * Downloads one file into the folder, unless it is there. A failure of the file is a result. Errors that end the whole run
 * are thrown: a folder that cannot be written, a token that is refused, a stop.
 */
export async function downloadFile(
  { file, claim }: DownloadJob,
  downloads: Downloads,
  signal: AbortSignal,
): Promise<DownloadResult> {
  const { folder, only } = downloads;
  if (claim.ending !== undefined && only?.has(claim.ending) === false) return { file, status: 'unwanted' };
  if (claim.kind === 'there') {
    const { name, ending } = claim;
    // An older ledger, or none, knew the file by its name alone.
    await folder.note({ file: claim.file, base: name.slice(0, -ending.length - 1), ending });
    return { file, status: 'there', stored: await folder.look(name) };
  }
  try {
    const stored = await fetchFile({ file, entry: claim.file, base: claim.base }, downloads, signal);
    if (stored === undefined) return { file, status: 'unwanted' };
    return { file, status: stored.isNew ? 'saved' : 'there', stored };
  } catch (error) {
    if (!(error instanceof FolioError) || endsTheRun(error)) throw error;
    return { file, status: 'failed', failure: error };
  }
}

function endsTheRun(error: FolioError): boolean {
  return error instanceof OutputError || error instanceof AuthError || error instanceof Interrupted;
}

interface Place {
  readonly file: InvoiceFile;
  /** What the ledger is to know it by. */
  readonly entry: string;
  readonly base: string;
}

/** Undefined for a file whose ending is not wanted. */
async function fetchFile(
  place: Place,
  { folder, client, renewal, only }: Downloads,
  signal: AbortSignal,
): Promise<StoredFile | undefined> {
  const { file, entry: key, base } = place;
  if (file.link === undefined) throw new ServiceError('the service names the file but gives no link to it');
  const take = async (head: FileHead, body: AsyncIterable<Buffer>): Promise<StoredFile | undefined> => {
    const ending = cleanExtension(head.contentType, head.path);
    // An error, sent with status 200: it must not pass for a file of another kind that nobody wants.
    if (ending === 'json' && !/\.json$/i.test(head.path))
      throw new LinkRefused('the link gives JSON, not the file');
    const entry = { file: key, base, ending };
    if (only?.has(ending) !== false) return folder.store(entry, body);
    await folder.note(entry);
    return undefined;
  };
  try {
    return await client.fetch(file.link, take, signal);
  } catch (error) {
    if (!(error instanceof LinkRefused)) throw error;
    const link = await renewal.renew(file);
    if (link === undefined) throw new LinkRefused(`${error.message}, and the service gives no new one`);
    return client.fetch(link, take, signal);
  }
}
