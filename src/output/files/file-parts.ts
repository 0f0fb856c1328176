/**
 * The bytes of a file from its beginning, in parts of these lengths.
 *
 * @param read as the method of a FileHandle
 * @param reuse whether a part is used only until the next one comes: then one buffer does for all
 */
export async function* partsOf(
  read: (into: Buffer, offset: number, length: number, at: number) => Promise<{ readonly bytesRead: number }>,
  lengths: readonly number[],
  reuse = true,
): AsyncGenerator<Buffer> {
  let buffer = Buffer.alloc(0);
  let start = 0;
  for (const length of lengths) {
    if (!reuse || buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await read(buffer, done, length - done, start + done);
      if (bytesRead === 0) throw new Error('something else has cut it short');
      done += bytesRead;
    }
    start += length;
    yield buffer.subarray(0, length);
  }
}
