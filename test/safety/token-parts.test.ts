import { describe, expect, it } from 'vitest';
import { always } from '../support/fault-script.ts';
import type { Fault } from '../support/faults.ts';
import { runAgainst } from '../support/run-against.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

const T = HOSTILE_TOKEN;
const HEX = Buffer.from(T).toString('hex');

function answer(status: number, body: string): Fault {
  const headers = { 'content-type': 'application/json' };
  return { kind: 'answer', of: () => ({ status, headers, body: Buffer.from(body) }) };
}

const said = (text: string): Fault => answer(400, JSON.stringify({ message: text }));

/** The forms and cuts in which a service may repeat the token. */
const ECHOES: readonly (readonly [name: string, fault: Fault])[] = [
  ['with a backslash before each slash', said(JSON.stringify(T).replaceAll('/', '\\/'))],
  ['percent-encoded twice', said(encodeURIComponent(encodeURIComponent(T)))],
  [
    'percent-encoded, every character, twice',
    said(T.replace(/./gs, (c) => `%25${c.charCodeAt(0).toString(16)}`)),
  ],
  ['in hexadecimal', said(HEX)],
  ['in hexadecimal, in large letters', said(HEX.toUpperCase())],
  ['in part', said(`begins with ${T.slice(0, 20)}…`)],
  ['across the end of what is shown', said(`${'word '.repeat(97)}${T}`)],
  ['across the end of what is read', said(`${'x'.repeat(9_990)}${T}`)],
  ['as the name of a member', answer(200, JSON.stringify({ [T]: 1, [`a name of some length and ${T}`]: 2 }))],
  [
    'as the kind of an error',
    answer(200, JSON.stringify({ data: [], nextToken: null, errors: [{ _type: T.slice(3) }] })),
  ],
  ['as a cursor that never ends', answer(200, JSON.stringify({ data: [{ id: 1 }], nextToken: T }))],
];

describe('a token that the service repeats', () => {
  it.each(ECHOES)('%s is not shown', async (_, fault) => {
    const args = ['customers', '--format', 'jsonl', '--debug', '--retries', '0'];
    const { stderr } = await runAgainst({
      records: {},
      script: always(fault),
      args,
      options: { env: { FOLIO_TOKEN: T } },
    });
    expect(stderr).not.toBe('');
    expect(leakIn(stderr)).toBe(undefined);
    expect(stderr.toLowerCase()).not.toContain(HEX.slice(0, 24));
    expect(decodeURIComponent(decodeURIComponent(stderr.replace(/%(?![\da-f]{2})/gi, '')))).not.toContain(T);
  });
});
