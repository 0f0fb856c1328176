import { parseTokenCommand, parseProfileName } from '../../src/profiles/profile.ts';
import { describe, expect, it } from 'vitest';

describe('parseProfileName', () => {
  const NAMES = ['acme', 'Acme-2026', 'a.b_c', '7', '_x', '__proto__', 'x'.repeat(64), 'console', 'com10'];
  it.each(NAMES)('takes %s', (name) => {
    expect(parseProfileName(name, '--profile')).toBe(name);
  });

  const words = '. .. .hidden -q a,b a/b a\\b a:b name. Ñandú con NUL.txt com1'.split(' ');
  it.each(['', 'a b', 'a\nb', 'x'.repeat(65), ...words])('refuses %j', (name) => {
    expect(() => parseProfileName(name, '--profile')).toThrow(
      /^--profile .*: this cannot be the name of a profile$/,
    );
  });
});

describe('parseTokenCommand', () => {
  const COMMANDS = [[['op']], [['/usr/bin/op', 'read', '']], [['pass', 'show', '-o', './x']]];
  it.each(COMMANDS)('takes %j', (command) => {
    expect(parseTokenCommand(command, 'x')).toEqual(command);
  });

  const notPrograms = [['./op'], ['bin/op'], ['..\\op']];
  const notLists = [undefined, 'op read', [], [''], ['op', 1], ['op', 'a\0b'], { 0: 'op' }];
  it.each([...notLists, ...notPrograms].map((one) => [one]))('refuses %j', (command) => {
    expect(() => parseTokenCommand(command, 'profiles.acme.tokenCommand')).toThrow(
      /^profiles\.acme\.tokenCommand: /,
    );
  });
});
