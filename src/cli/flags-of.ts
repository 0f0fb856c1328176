import type { Command } from 'commander';

/**
 * The flags that a command was given: its own, and those of the commands that it is under, such as the global ones. What
 * was said goes before any default, and the command's own before the rest: `funds` and `funds list` have flags of the
 * same names.
 */
export function flagsOf<Flags extends object>(command: Command): Flags {
  const flags: Record<string, unknown> = {};
  const said = new Set<string>();
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries<unknown>(at.opts())) {
      const isSaid = at.getOptionValueSource(name) !== 'default';
      if (name in flags && (said.has(name) || !isSaid)) continue;
      flags[name] = value;
      if (isSaid) said.add(name);
    }
  }
  return flags as Flags;
}
