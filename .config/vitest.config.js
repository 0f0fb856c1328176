import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // For what hangs: no test may fail because the machine is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { FOLIO_TOKEN: undefined, FOLIO_BASE_URL: undefined, FOLIO_PROFILE: undefined },
  },
});
