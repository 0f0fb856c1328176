import { win32 } from 'node:path';

/** Names that Windows takes for devices, whatever ending follows. */
export const DEVICE_NAME =
  /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\s*(?:\.|$))/i;

// A colon names a stream hidden in a file: what is written to `november:2.csv` is not seen beside `november`.
// oxlint-disable-next-line no-control-regex -- these are the characters that Windows forbids
const FORBIDDEN = /[\u0000-\u001f<>:"|?*]/;

/** Why Windows cannot hold a file of this name, as the end of a sentence; undefined where it can. */
export function windowsRefusal(path: string): string | undefined {
  const name = win32.basename(path);
  const forbidden = FORBIDDEN.exec(name)?.[0];
  if (forbidden !== undefined) {
    const shown = forbidden < ' ' ? 'a control character' : forbidden;
    return `a file name of Windows cannot have ${shown} in it`;
  }
  if (DEVICE_NAME.test(name)) return `Windows takes ${name} for a device`;
  return /[. ]$/.test(name) ? 'a file name of Windows cannot end in a dot or a space' : undefined;
}
