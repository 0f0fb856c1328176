import type { TermList, Topic } from './topic.ts';

/** Variables that somebody may want to set for folio. */
export const variables: TermList = [
  ['FOLIO_TOKEN', 'the token, exactly as issued; goes before that of a profile'],
  ['FOLIO_BASE_URL', 'the address of the service, with or without /v1'],
  ['FOLIO_PROFILE', 'the profile for commands that name none'],
  ['FOLIO_CONFIG_DIR', 'the folder with profiles and settings; see folio config path'],
  ['NO_COLOR, FORCE_COLOR', 'no colours at all; colours also off a terminal'],
  ['TERM', 'dumb: no colours, and nothing that moves'],
  ['CI', 'set: no colours and no progress, as off a terminal'],
  ['LC_ALL, LC_NUMERIC, LANG', 'how tables group the digits of numbers'],
  ['HTTPS_PROXY, NO_PROXY', 'the proxy for https, and for whom it is not; in small letters too'],
  ['NODE_EXTRA_CA_CERTS', 'a file with certificates of authorities of your own'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0 switches off the check of certificates: with it folio does not run'],
  ['XDG_CONFIG_HOME, APPDATA', 'where the folder of profiles is, unless FOLIO_CONFIG_DIR says'],
];

export const environmentTopic: Topic = {
  name: 'environment',
  about: 'the environment variables that are read',
  blocks: [
    'A flag goes before the environment, that before the profile, that before the default. A variable that is set to ' +
      'nothing counts as not set.',
    variables,
    'Nothing is read from the working folder. What folio starts, such as a token command, does not see FOLIO_TOKEN.',
    'Examples:',
    [
      ['FOLIO_TOKEN=$(cat token) FOLIO_BASE_URL=https://api.example.com folio issued', 'without a log-in'],
      ['folio doctor', 'what holds, and whether it works'],
    ],
  ],
};
