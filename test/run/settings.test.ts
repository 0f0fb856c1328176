import { describe, expect, it } from 'vitest';
import { fieldsOf, flagDefaults } from '../../src/run/settings.ts';
import { memoryStore } from '../support/memory-store.ts';

describe('the defaults of flags', () => {
  it('come from the profile, then from those for all, as the flags read them', () => {
    const store = memoryStore({
      profiles: { acme: { settings: { format: 'CSV', 'pageSize.issued': 500 } } },
      settings: { format: 'json', timeout: 2.5, 'fields.due': 'dueDate' },
    });
    expect(flagDefaults(store, 'acme', { name: 'issued' })).toEqual({
      format: 'csv',
      timeout: 2500,
      pageSize: 500,
    });
    expect(flagDefaults(store, undefined, { name: 'issued' })).toEqual({ format: 'json', timeout: 2500 });
    expect(flagDefaults(store, 'acme', { name: 'received' })).toEqual({ format: 'csv', timeout: 2500 });
    expect(fieldsOf(store, { resource: undefined, profile: 'acme' }).usual.columns.due).toEqual(['dueDate']);
  });

  it.each([
    [{ concurrency: '4' }, 'settings.concurrency is a string, expected a number'],
    [{ format: ['csv'] }, 'settings.format is an array, expected a string'],
    [{ concurrency: 1000 }, 'settings.concurrency: concurrency "1000": expected a whole number, 1 to 64'],
    [{ timeout: 1e-7 }, 'settings.timeout: timeout "1e-7": expected a number of seconds'],
  ])('are refused when they are not allowed: %j', (settings, message) => {
    expect(() => flagDefaults(memoryStore({ settings }), undefined, { name: 'issued' })).toThrow(
      `the configuration /store/config.json cannot be used: ${message}`,
    );
    const profiles = { acme: { settings } };
    expect(() => flagDefaults(memoryStore({ profiles }), 'acme', { name: 'issued' })).toThrow(
      `profiles.acme.${message}`,
    );
  });
});
