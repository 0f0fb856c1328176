import { ColumnSurvey } from '../json/column-facts.ts';
import type { ChosenColumns } from './chosen-columns.ts';
import { Collected } from './collected.ts';
import type { OpenWriter } from './writer.ts';

/**
 * Makes a writer take columns that are chosen among those that there are, as `*,-files` is: it is opened when all records have
 * come, since only then all columns are known.
 */
export function choosingWriter(openWriter: OpenWriter, asked: ChosenColumns): OpenWriter {
  return (sink, layout) => {
    const survey = new ColumnSurvey();
    const records = new Collected();
    return {
      write(batch) {
        for (let index = 0; index < batch.count; index++) survey.add(batch, index);
        return records.add(batch);
      },
      async end() {
        try {
          const chosen = asked.of(layout.columns ?? columnsOf(survey));
          const writer = openWriter(sink, {
            ...layout,
            columns: chosen,
            asked: !asked.onlyLeavesOut,
          });
          for await (const batch of records.read()) await writer.write(batch);
          await writer.end();
        } finally {
          await records.close();
        }
      },
    };
  };
}

/**
 * The columns of the records without those that are an object in some records and null in all others: named as a column, such a
 * one would show the whole object beside the columns of its members.
 */
function columnsOf(survey: ColumnSurvey): string[] {
  const { columns } = survey;
  const objects = new Set(columns.flatMap(outerNames));
  return columns.filter((name, column) => survey.factsOf(column).cells > 0 || !objects.has(name));
}

/** `a` and `a.b` of `a.b.c`. */
function outerNames(name: string): string[] {
  return [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));
}
