import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    env: { FOLIO_TOKEN: undefined, FOLIO_BASE_URL: undefined, FOLIO_PROFILE: undefined },
  },
});
