import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface StorePermissions {
  /** Such as `0600`. */
  readonly file: string;
  readonly folder: string;
}

/** The modes of the store's file and of its folder; undefined where there is no file. */
export async function storePermissions(file: string): Promise<StorePermissions | undefined> {
  try {
    const [own, folder] = [await stat(file), await stat(dirname(file))];
    return { file: modeText(own.mode), folder: modeText(folder.mode) };
  } catch {
    return undefined;
  }
}

function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
