import type { OutputStream } from '../../context.ts';
import { displayWidth } from './display-width.ts';

/** Breaks a text at spaces into lines of at most `width` cells, each ended; `indent` goes before each but the first. */
export function wrapText(text: string, width: number, indent = ''): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (displayWidth(line) + 1 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(indent + word);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * A text that is one line, as it is shown on the stream: a terminal breaks a line that is longer than it is wide within
 * words, so there it is broken at spaces. Elsewhere it stays one line, for whoever searches a log.
 */
export function shownLine(text: string, { columns }: Pick<OutputStream, 'columns'>, indent = ''): string {
  return columns === undefined ? `${text}\n` : wrapText(text, columns, indent);
}
