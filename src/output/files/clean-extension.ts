/** What the files of invoices are, by media type. */
const BY_TYPE = new Map(
  Object.entries({
    'application/pdf': 'pdf',
    'application/xml': 'xml',
    'text/xml': 'xml',
    'application/json': 'json',
    'application/zip': 'zip',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'image/jpeg': 'jpg',
    'image/png': 'png',
    'image/tiff': 'tif',
    'text/csv': 'csv',
    'text/html': 'html',
    'text/plain': 'txt',
  }),
);

/** Endings that a desktop runs, or follows elsewhere, when they are opened or merely shown. */
const RUNS =
  /^(?:exe|com|bat|cmd|scr|pif|cpl|msi|msp|lnk|url|scf|library|search|vb|vbs|vbe|js|jse|mjs|ws|wsf|wsh|ps1|psm1|hta|jar|reg|inf|ini|dll|sys|sh|bash|command|desktop|app|apk|chm|iso|img)$/;

/**
 * The ending for a file that a server sends: by its media type, else by the path of its address; only letters and
 * digits, at most 8, in lower case, and none that would run. `bin` when neither says.
 */
export function cleanExtension(contentType: string | undefined, urlPath: string): string {
  const byType = BY_TYPE.get((contentType ?? '').split(';', 1)[0]!.trim().toLowerCase());
  if (byType !== undefined) return byType;
  const ending = /\.([a-z0-9]{1,8})$/i.exec(urlPath)?.[1]?.toLowerCase();
  return ending === undefined || RUNS.test(ending) ? 'bin' : ending;
}
