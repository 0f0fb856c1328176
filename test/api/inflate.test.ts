import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenGzip, inflate } from '../../src/api/client.ts';

const small = Buffer.from('{"total":1}');
/** Too random for gzip to make small. */
const large = Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * index * 7919) >> 5));

describe('inflate', () => {
  it.each([undefined, '', 'identity', ' Identity '])(
    'leaves a body alone where the encoding is %j',
    async (encoding) => {
      expect(await inflate(small, encoding)).toBe(small);
    },
  );

  it.each(['gzip', 'GZIP', 'x-gzip'])('inflates %s, small and large', async (encoding) => {
    expect(await inflate(gzipSync(small), encoding)).toEqual(small);
    expect(gzipSync(large).length).toBeGreaterThan(4096);
    expect(await inflate(gzipSync(large), encoding)).toEqual(large);
    expect(await inflate(gzipSync(''), encoding)).toEqual(Buffer.alloc(0));
  });

  it.each(['br', 'deflate', 'gzip, gzip', 'gzip,identity', 'gz\u001bip'])(
    'refuses %j: one layer of gzip',
    async (encoding) => {
      await expect(inflate(gzipSync(small), encoding)).rejects.toThrow(
        /^the response has an encoding that folio did not request( \([a-z, ]+\))?$/,
      );
      await expect(inflate(gzipSync(small), encoding)).rejects.not.toBeInstanceOf(BrokenGzip);
    },
  );

  it('takes several members for their concatenation', async () => {
    expect(await inflate(Buffer.concat([gzipSync('a'), gzipSync('b')]), 'gzip')).toEqual(Buffer.from('ab'));
  });

  it.each([small, large])('never takes a cut or damaged body for another', async (body) => {
    const whole = gzipSync(body);
    const cut = fc.nat(whole.length - 1).map((length) => whole.subarray(0, length));
    const flipped = fc.tuple(fc.integer({ min: 10, max: whole.length - 1 }), fc.nat(7)).map(([at, bit]) => {
      const copy = Buffer.from(whole);
      copy[at]! ^= 1 << bit;
      return copy;
    });
    await fc.assert(
      fc.asyncProperty(cut, async (broken) => {
        await expect(inflate(broken, 'gzip')).rejects.toBeInstanceOf(BrokenGzip);
      }),
    );
    await fc.assert(
      fc.asyncProperty(flipped, async (broken) => {
        // A bit of the padding before the checksum means nothing.
        const result = await inflate(broken, 'gzip').catch((error: unknown) => error);
        expect(result instanceof BrokenGzip || body.equals(result as Buffer)).toBe(true);
      }),
    );
  });

  it.each([Buffer.alloc(4), Buffer.from('{}'), Buffer.from([0x1f]), gzipSync('b').subarray(0, 12)])(
    'refuses bytes after the end',
    async (rest) => {
      for (const body of [small, large]) {
        await expect(inflate(Buffer.concat([gzipSync(body), rest]), 'gzip')).rejects.toBeInstanceOf(
          BrokenGzip,
        );
      }
    },
  );

  it('stops at the limit, whatever the trailer claims', async () => {
    const exact = gzipSync(Buffer.alloc(2 ** 20));
    expect(await inflate(exact, 'gzip', 2 ** 20)).toHaveLength(2 ** 20);
    const lying = gzipSync(Buffer.alloc(2 ** 23));
    lying.writeUInt32LE(1, lying.length - 4);
    for (const body of [gzipSync(Buffer.alloc(2 ** 20 + 1)), gzipSync(Buffer.alloc(2 ** 23)), lying]) {
      const failure = inflate(body, 'gzip', 2 ** 20);
      await expect(failure).rejects.toThrow('the response inflates to more than 1 MiB');
      await expect(failure).rejects.not.toBeInstanceOf(BrokenGzip);
    }
  });
});
