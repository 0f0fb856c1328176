import {
  fixedValue,
  mapProfiles,
  ROLES,
  type FieldsOf,
  type Role,
  type RoleColumns,
} from '../invoices/fields.ts';
import { UsageError } from '../errors.ts';
import type { ChosenColumns } from './chosen-columns.ts';
import { roleOf, type KnownColumn } from './column-roles.ts';
import { RecordPicker } from './record-picker.ts';
import type { Layout, OpenWriter } from './writer.ts';

/** A column of what is written, and the column of the records that it is. */
interface Heading {
  readonly heading: string;
  readonly column: string;
}

/**
 * The headings of `--columns`, by which what was written can be read again under the names of its columns. A column that comes more
 * than once is read from its own name, else from its first heading.
 */
export function headingsOf({ named }: ChosenColumns): readonly Heading[] {
  return named.flatMap(({ heading, column }, at): Heading[] => {
    const isFirst = named.findIndex((other) => other.column === column) === at;
    const isAlone = !named.some((other) => other.column === column && other.heading === undefined);
    return heading !== undefined && isFirst && isAlone ? [{ heading, column }] : [];
  });
}

/**
 * Makes a writer write columns under the headings that the parts of `--columns` give them. It gets records whose members are the
 * headings, each value as it was sent; and what is known of a column is known of its heading.
 */
export function headedWriter(openWriter: OpenWriter, asked: ChosenColumns): OpenWriter {
  return (sink, layout) => {
    if (layout.columns === undefined) return openWriter(sink, layout);
    const columns = written(layout.columns, asked);
    const headings = columns.map(({ heading }) => heading);
    const twice = headings.find((heading, at) => headings.indexOf(heading) !== at);
    if (twice !== undefined) {
      throw new UsageError(`--columns: the heading ${twice} is also the name of another column`, {
        hint: `Choose another heading, or leave that column out with -${twice}.`,
      });
    }
    const picker = new RecordPicker(
      columns.map(({ column }) => column),
      headings,
    );
    const writer = openWriter(sink, { ...layout, ...meaningOf(layout, columns), columns: headings });
    return {
      write: (batch) => writer.write(picker.pick(batch)),
      end: () => writer.end(),
    };
  };
}

/** The columns that are written, in their order: those with a heading are named in the order in which they are asked for. */
function written(columns: readonly string[], asked: ChosenColumns): Heading[] {
  const left = [...asked.named];
  return columns.map((column) => {
    const at = left.findIndex((named) => named.column === column);
    const [named] = at < 0 ? [] : left.splice(at, 1);
    return { heading: named?.heading ?? column, column };
  });
}

/** What is known of the columns, by their headings. */
function meaningOf(
  { known = [], fields, types, declared }: Layout,
  columns: readonly Heading[],
): Pick<Layout, 'known' | 'fields' | 'types' | 'declared' | 'sources'> {
  const sources = new Map(columns.map(({ heading, column }) => [heading, column]));
  return {
    sources,
    declared: declared && {
      names: columns.map(({ heading }) => heading),
      typeOf: (heading) => declared.typeOf(sources.get(heading) ?? heading),
    },
    known: columns.map(({ heading, column }): KnownColumn => {
      const found = known.find(({ names }) => names.includes(column));
      const word = heading === column ? (found?.word ?? heading) : heading;
      return { ...found, names: [heading], role: found?.role ?? roleOf(column), word };
    }),
    fields: fields && renameFields(fields, columns),
    types:
      types &&
      new Map([
        ...types,
        ...columns.flatMap(({ heading, column }) => {
          const type = types.get(column);
          return type === undefined ? [] : [[heading, type] as const];
        }),
      ]),
  };
}

function renameFields(fieldsOf: FieldsOf, columns: readonly Heading[]): FieldsOf {
  return mapProfiles(fieldsOf, (fields) => {
    const roles: Record<Role, readonly string[]> = { ...fields.columns };
    for (const role of ROLES) roles[role] = renamed(role, fields.columns, columns);
    return { ...fields, columns: roles };
  });
}

/** The columns of a role by their headings, the likeliest first; a name of the role itself stands for them all. */
function renamed(role: Role, roles: RoleColumns, columns: readonly Heading[]): string[] {
  const headingsFor = (name: string): string[] =>
    columns.filter(({ column }) => column === name).map(({ heading }) => heading);
  return [
    ...headingsFor(role),
    ...roles[role].flatMap((name) => (fixedValue(name) === undefined ? headingsFor(name) : [name])),
  ];
}
