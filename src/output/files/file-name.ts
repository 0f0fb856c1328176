import { cutBytes } from './cut-bytes.ts';

/** Bytes of UTF-8 that a name may have: file systems with encryption allow 143 to 255. */
export const NAME_LIMIT = 150;

/** Separators of both systems, what Windows forbids, and what is not seen: see `visible`. */
const FORBIDDEN = /[/\\<>:"|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Names that Windows takes for devices, whatever ending follows. */
const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=\s*(?:\.|$))/i;

export interface FileNameParts {
  /** What the service calls the invoice; any text. */
  readonly stem: string;
  /** Which of the invoice's files, from 1. */
  readonly index: number;
  /** As `cleanExtension` returns it. */
  readonly extension: string;
}

/**
 * The name of an invoice's file, `<stem>-<index>.<extension>`: one path segment that every system can hold, in NFC, of
 * at most 150 bytes. Different stems may give one name: see `NameRegister`.
 */
export function safeFileName({ stem, index, extension }: FileNameParts): string {
  const ending = `-${index}.${/^[a-z0-9]{1,8}$/.test(extension) ? extension : 'bin'}`;
  const cleaned = stem
    .replace(FORBIDDEN, '_')
    .normalize('NFC')
    // Hidden files, and names that a shell's `*` would hand to a program as an option or a home.
    .replace(/^[\s.~-]+/, '')
    .replace(DEVICE, '_$&');
  const cut = cutBytes(cleaned, NAME_LIMIT - ending.length).replace(/[\s.]+$/, '');
  return `${cut === '' ? 'file' : cut}${ending}`;
}
