import { it } from 'vitest';
import { compareBooks } from './compare.ts';

it('answers about random books of the service as an oracle does, whatever is asked', async () => {
  await compareBooks(['service'], 80);
}, 3_600_000);
