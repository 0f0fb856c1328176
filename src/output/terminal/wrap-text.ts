import { displayWidth } from './display-width.ts';

/** Breaks a text at spaces into lines of at most `width` cells, each ended. */
export function wrapText(text: string, width: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (displayWidth(line) + 1 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return `${lines.join('\n')}\n`;
}
