import type { OpenWriter, Writer } from '../../output/writer.ts';

type Columns = readonly string[] | undefined;

/** Opens the writer when the first rows come: only then it is known which columns there are to choose from. */
export function openLate(openWriter: OpenWriter, columnsOf: (asked: Columns) => Columns): OpenWriter {
  return (sink, layout) => {
    let writer: Writer | undefined;
    const opened = (): Writer =>
      (writer ??= openWriter(sink, { ...layout, columns: columnsOf(layout.columns) }));
    return { write: (batch) => opened().write(batch), end: () => opened().end() };
  };
}
