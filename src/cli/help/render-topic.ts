import { displayWidth } from '../../output/table/display-width.ts';
import type { TermList, Topic } from './topic.ts';

/** Terms up to so many cells share a line with their meaning. */
const WIDEST_TERM = 30;

/** The topic as text of at most `width` cells a line. */
export function renderTopic({ blocks }: Topic, width: number): string {
  let text = '';
  blocks.forEach((block, at) => {
    const isList = typeof block !== 'string';
    // A list stands right under the line that announces it.
    const announced = isList && String(blocks[at - 1] ?? '').endsWith(':');
    text +=
      (at === 0 || announced ? '' : '\n') + (isList ? renderList(block, width) : wrapText(block, width));
  });
  return text;
}

function renderList(list: TermList, width: number): string {
  const widest = Math.max(...list.map(([term]) => displayWidth(term)));
  const column = widest <= WIDEST_TERM ? widest + 4 : 6;
  return list
    .map(([term, meaning]) => {
      const lines = wrapText(meaning, width - column)
        .trimEnd()
        .split('\n');
      const indented = lines.map((line) => ' '.repeat(column) + line);
      if (widest > WIDEST_TERM) return `  ${term}\n${indented.join('\n')}\n`;
      return `  ${term.padEnd(column - 2)}${indented.join('\n').trimStart()}\n`;
    })
    .join('');
}

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
