import { LinkRefused } from '../../api/files.ts';

/** Bytes that are looked at. A PDF may have some of another kind before it. */
const START = 1024;

const BYTE_ORDER_MARK = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/;

/**
 * The same bytes, once it is seen that they begin as a file of that ending does. Where a link has ended, some services send a
 * page to log in, with status 200: kept, it would pass for the invoice for ever.
 *
 * @throws LinkRefused for a web page, for what is called a PDF or XML and is none, before any byte is given
 */
export async function* checkedStart(body: AsyncIterable<Buffer>, ending: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  let isChecked = false;
  const check = (): void => {
    const start = Buffer.concat(held).toString('latin1', 0, START);
    const other = whatElse(start, ending);
    if (other !== undefined) throw new LinkRefused(`the link gives ${other}`);
    isChecked = true;
  };
  for await (const chunk of body) {
    if (isChecked) {
      yield chunk;
      continue;
    }
    held.push(chunk);
    length += chunk.length;
    if (length < START) continue;
    check();
    yield Buffer.concat(held);
    held = [];
  }
  if (isChecked) return;
  check();
  yield Buffer.concat(held);
}

/** What a file is instead of what its ending says; undefined where it may be that. */
function whatElse(start: string, ending: string): string | undefined {
  // In UTF-16 every second byte of such text is zero.
  const text = start.replace(BYTE_ORDER_MARK, '').replaceAll('\0', '').trimStart();
  if (/^(?:<!--[^]*?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text))
    return 'a web page, not the file';
  if (ending === 'pdf' && !start.includes('%PDF-')) return 'something that is no PDF';
  if (ending === 'xml' && !text.startsWith('<')) return 'something that is no XML';
  return undefined;
}
