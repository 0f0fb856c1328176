import { FolioError, OutputError, errorCode, systemReason } from '../../errors.ts';

const FOLDER = 'Choose a folder in which you may create files: a file is first written beside its target.';
const SPACE = 'Free some space, or write to another disk; what was there before is untouched.';
const BUSY = 'Another program or a mount holds the file. Write to another name, or mount its folder instead.';

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'Create its folder first, or name a folder that is there.',
  EACCES: FOLDER,
  EPERM: FOLDER,
  EROFS: FOLDER,
  ENOSPC: SPACE,
  EDQUOT: SPACE,
  EFBIG: SPACE,
  EBUSY: BUSY,
  EXDEV: BUSY,
  ETXTBSY: BUSY,
  ENAMETOOLONG: 'Choose a shorter name.',
};

/**
 * An error of the system as an OutputError, with what may help; an error of folio's own as it is.
 *
 * @param shown how messages call the output
 */
export function cannotWrite(shown: string, error: unknown, hint?: string): FolioError {
  if (error instanceof FolioError) return error;
  return new OutputError(`cannot write ${shown}: ${systemReason(error)}`, {
    hint: hint ?? HINTS[errorCode(error) ?? ''],
    cause: error,
  });
}

/** Throws what is caught as `cannotWrite` words it. */
export function failTo(shown: string, hint?: string): (error: unknown) => never {
  return (error) => {
    throw cannotWrite(shown, error, hint);
  };
}
