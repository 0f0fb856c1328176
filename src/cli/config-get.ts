import type { ConfigStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { NotFoundError, UsageError } from '../errors.ts';
import { visible } from '../output/terminal-text.ts';
import { refuseCredentials, settingsOwner } from './config-owner.ts';
import { findSetting } from './config-settings.ts';
import type { ConfigFlags } from './profile-flags.ts';

/** `folio config get`: one value, as it was set; of exactly the owner that was named. */
export async function runConfigGet(context: Context, flags: ConfigFlags, given: string): Promise<void> {
  refuseCredentials(given);
  const store = await context.config();
  const { name, value } = find(store, flags, given);
  if (value === undefined) {
    const whose = flags.profile === undefined ? '' : ` for profile ${flags.profile}`;
    throw new NotFoundError(`${name} is not set${whose}`);
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  await context.stdout.write(`${context.stdout.isTerminal ? visible(text) : text}\n`);
}

/** `folio config path`. */
export async function runConfigPath(context: Context): Promise<void> {
  const { file } = await context.config();
  if (file === undefined) {
    throw new UsageError('there is no home folder, and so no file', {
      hint: 'Set FOLIO_CONFIG_DIR to a folder.',
    });
  }
  await context.stdout.write(`${context.stdout.isTerminal ? visible(file) : file}\n`);
}

function find(store: ConfigStore, flags: ConfigFlags, given: string): { name: string; value: unknown } {
  const owner = settingsOwner(flags, store);
  if (owner && isBaseUrl(given)) return { name: 'baseUrl', value: owner.baseUrl };
  const { name } = findSetting(given);
  return { name, value: store.settings(owner?.name)[name] };
}

/** Whether a profile's address is meant, which only a profile has. */
export function isBaseUrl(given: string): boolean {
  return given === 'baseUrl' || given === 'base-url';
}
