import { createHash } from 'node:crypto';

/** A value of a field as its JSON text. */
type Fields = ReadonlyMap<string, string>;
export type CellType = 'null' | 'text' | 'numeric' | 'boolean' | 'json';

export interface ModelRow {
  raw: string;
  fields: Fields;
  first: number;
  changed: number;
  gone: number | null;
}

/** What the tables of one resource must hold, kept by plain rules. */
export class SyncModel {
  readonly rows = new Map<string, ModelRow>();
  readonly history: string[] = [];
  readonly runs: string[] = [];
  readonly types = new Map<string, CellType>();
  #run = 0;

  /** The listing of a profile, by key; undefined where it could not be read. */
  sync(profile: string, listing: ReadonlyMap<string, Fields> | undefined): void {
    const run = ++this.#run;
    if (listing === undefined) {
      this.runs.push([run, profile, 0, null, 0, 0, 0, 0].join(' '));
      return;
    }
    const counts = { added: 0, changed: 0, gone: 0, back: 0 };
    for (const [id, row] of this.rows) {
      const [owner, key] = JSON.parse(id) as [string, string];
      if (owner !== profile || row.gone !== null || listing.has(key)) continue;
      this.history.push([profile, key, run, 'gone', row.raw].join(' '));
      row.gone = run;
      counts.gone++;
    }
    for (const [key, fields] of listing) {
      const id = JSON.stringify([profile, key]);
      const raw = recordText(fields);
      const row = this.rows.get(id);
      if (row === undefined) {
        this.rows.set(id, { raw, fields, first: run, changed: run, gone: null });
        counts.added++;
      } else if (row.gone === null && saysTheSame(row.fields, fields)) {
        this.rows.set(id, { ...row, raw, fields });
      } else if (row.gone !== null || row.raw !== raw) {
        const change = row.gone === null ? 'changed' : 'back';
        this.history.push([profile, key, run, change, row.raw].join(' '));
        counts[change]++;
        const changed = saysTheSame(row.fields, fields) ? row.changed : run;
        if (row.raw === raw) {
          row.gone = null;
          continue;
        }
        this.rows.set(id, { raw, fields, first: row.first, changed, gone: null });
      } else continue;
      for (const [name, json] of fields) this.#widen(name, typeOf(json));
    }
    this.runs.push(
      [run, profile, 1, listing.size, counts.added, counts.changed, counts.gone, counts.back].join(' '),
    );
  }

  #widen(name: string, type: CellType): void {
    const known = this.types.get(name) ?? 'null';
    this.types.set(name, type === 'null' || type === known ? known : known === 'null' ? type : 'text');
  }
}

/** Null and missing are the same, and the order of members does not matter. */
function saysTheSame(one: Fields, other: Fields): boolean {
  const said = (fields: Fields): readonly string[] =>
    [...fields].filter(([, json]) => json !== 'null').map(([name, json]) => `${name} ${json}`);
  return said(one).toSorted().join('\n') === said(other).toSorted().join('\n');
}

/** Fields with dots in their names are in objects; those of one object stand together. */
export function recordText(fields: Fields): string {
  const members: string[] = [];
  const inner: string[] = [];
  for (const [name, json] of fields) {
    if (name.startsWith('party.')) inner.push(`${JSON.stringify(name.slice(6))}:${json}`);
    else members.push(`${JSON.stringify(name)}:${json}`);
  }
  if (inner.length > 0) members.push(`"party":{${inner.join(',')}}`);
  return `{${members.join(',')}}`;
}

export function hashOf(raw: string): string {
  return createHash('sha256').update(raw).digest('hex').slice(0, 32);
}

function typeOf(json: string): CellType {
  if (json === 'null') return 'null';
  if (json === 'true' || json === 'false') return 'boolean';
  return json.startsWith('"') ? 'text' : json.startsWith('[') ? 'json' : 'numeric';
}

/** What a cell shows of a value, as text. */
export function cellText(json: string | undefined, type: CellType, engine: string): string | null {
  if (json === undefined || json === 'null') return null;
  if (json.startsWith('"')) {
    return (JSON.parse(json) as string).replaceAll('\0', '\uFFFD');
  }
  if (type === 'boolean') return engine === 'PostgreSQL' ? json[0]! : json === 'true' ? '1' : '0';
  if (type === 'numeric' && engine === 'SQLite') {
    // Digits that a double keeps are a number; others stay what was sent.
    const digits = json.replace(/^-?0*\.?0*/, '').replace('.', '');
    if (!json.includes('.')) return digits.length > 18 ? json : BigInt(json).toString();
    return digits.length > 15 ? json : String(Number(json));
  }
  return json;
}
