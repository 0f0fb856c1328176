import type { Flags } from '../../run/flag.ts';
import { allProfilesFlag, factFlags, noService } from '../../run/flags.ts';
import { declareCommand, type Declaration } from '../command.ts';

const actions = () => import('./auth-actions.ts');

const loginFlags = {
  tokenCommand: {
    syntax: '--token-command <argument...>',
    about:
      'a program that prints the token, and its arguments, with whole paths; where they begin with a dash, as one JSON list',
    rules: [{ not: ['--token-file'] }],
  },
  verify: { syntax: '--no-verify', about: 'store the token without trying it' },
  replace: { syntax: '--replace', about: 'also replace the token of another organization' },
} as const satisfies Flags;

const statusFlags = {
  check: { syntax: '--check', about: 'also make one request' },
  allProfiles: { ...allProfilesFlag, about: 'a row for each profile' },
  ...factFlags,
} as const satisfies Flags;

export const loginCommand = declareCommand({
  summary: 'store the token of an organization',
  description:
    'Stores the token of an organization, in a file that only you can read. The token is typed without being shown, or ' +
    'comes from standard input or --token-file. It is tried with one request first, and not stored when it is refused.',
  examples: [
    ['folio auth login', 'asks for the address and the token'],
    ['folio auth login --base-url https://api.example.com/v1', 'asks for the token'],
    ['folio auth login --profile acme --token-file acme.txt', 'another organization'],
    ['folio auth login --token-command op read op://vault/folio/token', 'stores the command, not the token'],
  ],
  flags: loginFlags,
  run: async (context, flags) => (await actions()).runLogin(context, flags),
});

export const authCommand: Declaration = {
  description: 'Profiles: one for each organization, with its token.',
  commands: {
    login: loginCommand,
    status: declareCommand({
      summary: 'the address, token and profile that commands use',
      description:
        'Shows the profile and address that commands use, and when their token expires, but never the token. ' +
        'folio doctor checks whether they work.',
      flags: statusFlags,
      run: async (context, flags) => (await actions()).runStatus(context, flags),
    }),
    list: declareCommand({
      summary: 'the profiles that are stored',
      description: 'The stored profiles. Nothing is sent, and no token command is run.',
      flags: { ...factFlags, ...noService, profile: undefined },
      run: async (context, flags) => (await actions()).runList(context, flags),
    }),
    use: declareCommand({
      summary: 'make a profile the current one',
      description: 'Makes a profile the current one, which commands without --profile use.',
      arguments: [['<name>', 'a profile']],
      flags: { ...noService, profile: undefined },
      run: async (context, flags, [name]) => (await actions()).runUse(context, flags, name),
    }),
    logout: declareCommand({
      summary: 'forget a profile',
      description:
        'Forgets a profile: its token, base address and settings. The service accepts the token until it expires.',
      arguments: [['[name]', 'a profile (default: that of FOLIO_PROFILE, else the current one)']],
      flags: noService,
      run: async (context, flags, [name]) => (await actions()).runLogout(context, flags, name),
    }),
  },
};
