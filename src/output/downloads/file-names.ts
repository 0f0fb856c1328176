import { cutBytes } from '../files/side-files.ts';
import { DEVICE_NAME } from '../files/target.ts';

/** Bytes of UTF-8 that a name may have: file systems allow 255, but some with encryption fewer. */
const NAME_LIMIT = 150;

/** Separators of both systems, characters that Windows forbids, and invisible ones: see `visible`. */
const FORBIDDEN = /[/\\<>:"|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Bytes of UTF-8 of a number or an ID within a name. */
const PART_LIMIT = 65;

/**
 * The name of an invoice's file without its ending, `<number>-<id>-<hash>`: one path segment that every system can hold, in NFC.
 *
 * @param parts the number and the id, any text
 * @param hash tells it from files whose parts are, or became, equal
 */
export function fileStem(parts: readonly (string | undefined)[], hash: string): string {
  const cleaned = parts.map((part) => cutBytes(clean(part ?? ''), PART_LIMIT)).filter((part) => part !== '');
  return [...(cleaned.length === 0 ? ['file'] : cleaned), hash].join('-');
}

/** The name of a page in the same way, `<stem>.<ending>`, with room for a number behind the stem. */
export function safePageName(stem: string, ending: string): string {
  const cut = cutBytes(clean(stem), NAME_LIMIT - ending.length - 8).replace(/[\s.]+$/, '');
  return `${cut === '' ? 'page' : cut}.${ending}`;
}

function clean(stem: string): string {
  return (
    stem
      .replace(FORBIDDEN, '_')
      .normalize('NFC')
      // No hidden file, and no name that a program would take for a flag or a home folder when a shell expands `*`.
      .replace(/^[\s.~-]+/, '')
      .replace(DEVICE_NAME, '_$&')
  );
}

/**
 * Makes names unique, also on systems that do not tell capitals from small letters: the second one gets `-2` before its ending.
 * At most 150 bytes.
 *
 * @param reserved names that are taken already
 */
export function uniqueNames(reserved: readonly string[] = []): (name: string) => string {
  const taken = new Set(reserved.map(foldName));
  const next = new Map<string, number>();
  return (name) => {
    const key = foldName(name);
    for (let number = next.get(key) ?? 1; ; number++) {
      const candidate = number === 1 ? name : numbered(name, number);
      if (taken.has(foldName(candidate))) continue;
      taken.add(foldName(candidate));
      next.set(key, number + 1);
      return candidate;
    }
  };
}

function numbered(name: string, number: number): string {
  const [, stem = '', dotted = ''] = /^(.+?)(\.[^.]*)?$/su.exec(name) ?? [];
  const ending = `-${number}${dotted}`;
  return cutBytes(stem, NAME_LIMIT - Buffer.byteLength(ending)) + ending;
}

/** A key that is equal for names that some file system treats as one, and for a few more. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase();
}

const BY_TYPE = new Map([
  ['application/pdf', 'pdf'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
  ['application/json', 'json'],
  ['application/zip', 'zip'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/tiff', 'tif'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
]);

/** Endings of files that a desktop runs or follows when it opens or merely shows them. */
const RUNS =
  /^(?:exe|com|bat|cmd|scr|pif|cpl|msi|msp|lnk|url|scf|library|search|vb|vbs|vbe|js|jse|mjs|ws|wsf|wsh|ps1|psm1|hta|jar|reg|inf|ini|dll|sys|sh|bash|command|desktop|app|apk|chm|iso|img)$/;

/**
 * The ending for a file that a server sends, by its media type, else by its path: at most 8 letters and digits, in lower case,
 * none that a desktop would run; else `bin`.
 */
export function cleanExtension(contentType: string | undefined, urlPath: string): string {
  const byType = BY_TYPE.get((contentType ?? '').split(';', 1)[0]!.trim().toLowerCase());
  if (byType !== undefined) return byType;
  const ending = /\.([a-z0-9]{1,8})$/i.exec(urlPath)?.[1]?.toLowerCase() ?? '';
  return ending === '' || RUNS.test(ending) ? 'bin' : ending;
}
