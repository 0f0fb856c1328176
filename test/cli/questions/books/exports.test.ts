import { it } from 'vitest';
import { compareBooks } from './compare.ts';

it('answers about random books in jsonl and json as an oracle does, whatever is asked', async () => {
  await compareBooks(['jsonl', 'jsonl with receipt', 'json with receipt'], 160);
}, 3_600_000);
