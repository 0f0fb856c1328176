import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';

const namesFor = (...argv: readonly string[]): readonly string[] =>
  buildProgram(fakeContext({ argv })).commands.map((command) => command.name());

const all = namesFor();
/** Speak of others, or are declared beside one that does. */
const OF_ALL = ['config', 'completion', '__profiles', 'help', '__man', 'login'];

describe('the program', () => {
  it.each(all.filter((name) => !OF_ALL.includes(name)))(
    'declares %s, and no others, where it is asked for',
    (name) => {
      for (const line of [[name], ['--sandbox', '--profile', 'help', name, '--limit', '5']]) {
        expect(namesFor(...line)[0]).toBe(name);
        expect(namesFor(...line).length).toBeLessThan(3);
      }
    },
  );

  it.each([
    [[]],
    [['--help']],
    [['--profile', 'issued']],
    [['isued', 'received']],
    ...OF_ALL.map((name) => [[name]]),
  ])('declares all commands for %j', (argv) => {
    expect(namesFor(...argv)).toEqual(all);
  });
});
