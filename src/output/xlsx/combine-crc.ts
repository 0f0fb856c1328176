/** The polynomial of CRC-32, lowest power in the highest bit, as zip, gzip and PNG have it. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
/** One byte of zeros behind a text. */
const ONE_BYTE = 0x00800000;

/**
 * The CRC-32 of two texts one behind the other, from that of each and the length of the second in bytes: so that the
 * head of a sheet can be written once its rows, behind it, are known. As zlib's crc32_combine, which Node has not got.
 */
export function combineCrc(first: number, second: number, length: number): number {
  let shift = ONE;
  let power = ONE_BYTE;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(power, shift);
    power = multiply(power, power);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

/** The product of two polynomials over the field of two elements, modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = ONE, shifted = b; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}
