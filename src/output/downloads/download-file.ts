import { LinkRefused, type FileClient, type FileHead } from '../../api/files.ts';
import { AuthError, FolioError, Interrupted, OutputError, ServiceError } from '../../errors.ts';
import type { DownloadFolder, NameClaim, StoredFile } from './download-folder.ts';
import { cleanExtension } from './file-names.ts';
import type { InvoiceFile, RenewLink } from './invoice-files.ts';

export interface DownloadResult {
  readonly file: InvoiceFile;
  readonly status: 'saved' | 'there' | 'failed' | 'unwanted';
  readonly stored?: StoredFile;
  readonly failure?: FolioError;
}

export interface DownloadJob {
  readonly file: InvoiceFile;
  readonly claim: NameClaim;
}

interface Downloads {
  readonly folder: DownloadFolder;
  readonly client: FileClient;
  readonly renew: RenewLink;
  /** The endings that are wanted; undefined for any. */
  readonly only: ReadonlySet<string> | undefined;
}

/**
 * Downloads one file into the folder, unless it is there. A failure of the file is a result. Errors that end the whole run
 * are thrown: a folder that cannot be written, a token that is refused, a stop.
 *
 * @param job the file, and its name in the folder
 */
export async function downloadFile(
  { file, claim: { stem, present } }: DownloadJob,
  downloads: Downloads,
  signal: AbortSignal,
): Promise<DownloadResult> {
  const { folder, only } = downloads;
  if (present !== undefined) {
    const ending = present.slice(present.lastIndexOf('.') + 1).toLowerCase();
    if (only?.has(ending) === false) return { file, status: 'unwanted' };
    return { file, status: 'there', stored: await folder.look(present) };
  }
  try {
    const stored = await fetchFile(file, stem, { ...downloads, signal });
    if (stored === undefined) return { file, status: 'unwanted' };
    return { file, status: stored.isNew ? 'saved' : 'there', stored };
  } catch (error) {
    const endsTheRun = [OutputError, AuthError, Interrupted].some((type) => error instanceof type);
    if (!(error instanceof FolioError) || endsTheRun) throw error;
    return { file, status: 'failed', failure: error };
  }
}

/** Undefined for a file whose ending is not wanted. */
async function fetchFile(
  file: InvoiceFile,
  stem: string,
  { folder, client, renew, only, signal }: Downloads & { readonly signal: AbortSignal },
): Promise<StoredFile | undefined> {
  if (file.link === undefined) throw new ServiceError('the service names the file but gives no link to it');
  const take = async (head: FileHead, body: AsyncIterable<Buffer>): Promise<StoredFile | undefined> => {
    const ending = cleanExtension(head.contentType, head.path);
    // An error, sent with status 200: it must not pass for a file of another kind that nobody wants.
    if (ending === 'json' && !/\.json$/i.test(head.path))
      throw new LinkRefused('the link gives JSON, not the file');
    return only?.has(ending) === false ? undefined : folder.store({ stem, ending }, body);
  };
  try {
    return await client.fetch(file.link, take, signal);
  } catch (error) {
    if (!(error instanceof LinkRefused)) throw error;
    const link = await renew(file);
    if (link === undefined) throw new LinkRefused(`${error.message}, and the service gives no new one`);
    return client.fetch(link, take, signal);
  }
}
