// Animated WebP of pictures that a browser has encoded. https://developers.google.com/speed/webp/docs/riff_container

/**
 * @typedef {object} Frame
 * @property {Buffer} webp a picture without transparency, of what has changed since the frame before
 * @property {number} x of its left edge, even
 * @property {number} y of its top edge, even
 * @property {number} width
 * @property {number} height
 * @property {number} milliseconds for which it is shown
 */

/**
 * An animation that plays for ever.
 *
 * @param {number} width of the whole
 * @param {number} height
 * @param {readonly Frame[]} frames
 * @returns {Buffer} the file
 */
export function animatedWebp(width, height, frames) {
  const ANIMATED = 0x02;
  const chunks = [
    chunk('VP8X', Buffer.concat([Buffer.from([ANIMATED, 0, 0, 0]), uint24(width - 1, height - 1)])),
    // White behind it; for ever.
    chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0])),
    ...frames.map((frame) => {
      const DO_NOT_BLEND = 0x02;
      const { x, y, milliseconds } = frame;
      const head = uint24(x / 2, y / 2, frame.width - 1, frame.height - 1, Math.round(milliseconds));
      return chunk('ANMF', Buffer.concat([head, Buffer.from([DO_NOT_BLEND]), pictureOf(frame.webp)]));
    }),
  ];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]));
}

/** The chunk of a file that holds its picture, with its head. @param {Buffer} webp */
function pictureOf(webp) {
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4);
    if (['VP8 ', 'VP8L'].includes(webp.toString('latin1', at, at + 4)))
      return chunk(webp.toString('latin1', at, at + 4), webp.subarray(at + 8, at + 8 + size));
    at += 8 + size + (size % 2);
  }
  throw new Error('This WebP holds no picture.');
}

/** Padded to an even length. @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const head = Buffer.from(`${type}    `, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** @param {...number} values */
function uint24(...values) {
  const bytes = Buffer.alloc(3 * values.length);
  values.forEach((value, n) => {
    bytes.writeUIntLE(value, 3 * n, 3);
  });
  return bytes;
}
