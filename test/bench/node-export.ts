import { once } from 'node:events';
import { stringify } from 'csv-stringify/sync';

/* `node-export <url> <pages>`: what a short script does; every page of a listing, one after the other, flattened, to csv. */

type Row = Record<string, unknown>;

function flatten(record: Row, prefix: string, row: Row): Row {
  for (const [key, value] of Object.entries(record)) {
    if (Array.isArray(value)) row[prefix + key] = JSON.stringify(value);
    else if (typeof value === 'object' && value !== null) flatten(value as Row, `${prefix}${key}.`, row);
    else row[prefix + key] = value;
  }
  return row;
}

const [url, pages] = process.argv.slice(2);
for (let page = 0; page < Number(pages); page++) {
  const body = (await (await fetch(`${url}${page}`)).json()) as { pageResults: Row[] };
  const rows = body.pageResults.map((record) => flatten(record, '', {}));
  if (!process.stdout.write(stringify(rows, { header: page === 0 }))) await once(process.stdout, 'drain');
}
