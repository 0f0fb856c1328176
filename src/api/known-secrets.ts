import type { Environment, Secrets } from '../context.ts';
import { proxySecrets } from './proxy.ts';
import { redactor } from './redact.ts';

/** What the environment holds that must not be shown: the token, however it is malformed, and passwords of proxies. */
export function knownSecrets(env: Environment): Secrets {
  const words = (env['FOLIO_TOKEN'] ?? '').split(/\s+/).filter((word) => !/^bearer$/i.test(word));
  const known = new Set([...words, ...proxySecrets(env)]);
  let redact = redactor([...known]);
  return {
    hide(texts) {
      for (const text of texts) known.add(text);
      redact = redactor([...known]);
    },
    redact: (text) => redact(text),
  };
}
