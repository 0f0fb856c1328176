/**
 * Reads csv as RFC 4180 has it and refuses everything else: a bare quote, text behind a closing quote, a row without its
 * end, rows of different lengths. Written apart from the code under test, so that the two cannot share a mistake.
 */
export function readStrictCsv(text: string, delimiter = ',', rowEnd = '\n'): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let rest = text;
  while (rest !== '') {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest);
    let cell: string;
    if (quoted) {
      cell = quoted[1]!.replaceAll('""', '"');
      rest = rest.slice(quoted[0].length);
    } else {
      const end = /["\r\n]/.exec(rest.split(delimiter, 1)[0]!)?.index ?? rest.split(delimiter, 1)[0]!.length;
      cell = rest.slice(0, end);
      rest = rest.slice(end);
    }
    row.push(cell);
    if (rest.startsWith(delimiter)) {
      rest = rest.slice(delimiter.length);
      if (rest === '') throw new Error('the last row has no end');
    } else if (rest.startsWith(rowEnd)) {
      rest = rest.slice(rowEnd.length);
      rows.push(row);
      row = [];
    } else throw new Error(`neither delimiter nor end of row: ${JSON.stringify(rest.slice(0, 20))}`);
  }
  if (rows.some((cells) => cells.length !== rows[0]!.length)) throw new Error('rows differ in length');
  return rows;
}
