/** What a setting of a story makes of its numbers. */
export type Settings<T> = Readonly<Record<string, (...numbers: number[]) => T>>;

/** A story: its settings as they stand in the table, and what comes of them. */
type Story = readonly [settings: string, outcome: string];

/** Stories of a table: settings, an arrow, the outcome. A line that begins with an arrow or `call` goes on with the one before. */
export function readStories(table: string): Story[] {
  const lines = table
    .trim()
    .replaceAll(/\n\s*(→|call)/g, ' $1')
    .split('\n');
  return lines.map((line) => {
    const [settings = '', outcome = ''] = line.split('→');
    return [settings.trim(), outcome.trim()];
  });
}

/** What the settings of a story mean, parted by commas: each is known with `#` in place of its numbers. */
export function readSettings<T>(settings: string, known: Settings<T>): T[] {
  return settings.split(', ').map((setting) => {
    const make = known[setting.replaceAll(/\d+/g, '#')];
    if (make === undefined) throw new Error(`no such setting: ${setting}`);
    return make(...[...setting.matchAll(/\d+/g)].map(Number));
  });
}
