/** Writes C3D files by the table of the format, apart from the code under test. */

export type Processor = 'intel' | 'dec' | 'mips';

export interface C3dContent {
  readonly processor: Processor;
  readonly isFloat: boolean;
  readonly labels: readonly string[];
  /** Frame by frame, mm; undefined for a missing point. */
  readonly frames: readonly (readonly (readonly [number, number, number] | undefined)[])[];
  readonly rate: number;
  readonly units?: string;
  readonly yScreen?: string;
  /** Numbers after the points of each frame. */
  readonly analog?: number;
  /** Whether the group TRIAL has the number of frames, for more than 65,535. */
  readonly trial?: boolean;
}

const CODES = { intel: 84, dec: 85, mips: 86 } as const;
/** mm in a unit of the integers. */
const STEP = 0.125;

export function c3dOf({
  processor,
  isFloat,
  labels,
  frames,
  rate,
  units = 'mm',
  yScreen,
  analog = 0,
  trial = false,
}: C3dContent): Uint8Array {
  const out: number[] = [];
  const bigEndian = processor === 'mips';
  const int16 = (x: number): number[] => {
    const bytes = [x & 0xff, (x >> 8) & 0xff];
    return bigEndian ? bytes.reverse() : bytes;
  };
  const float = (x: number): number[] => {
    const view = new DataView(new ArrayBuffer(4));
    // VAX: a quarter of the exponent's weight, and the words exchanged.
    view.setFloat32(0, processor === 'dec' ? 4 * x : x);
    const [a, b, c, d] = [0, 1, 2, 3].map((k) => view.getUint8(k));
    return { mips: [a, b, c, d], intel: [d, c, b, a], dec: [b, a, d, c] }[processor];
  };
  const text = (word: string): number[] => Array.from(word, (letter) => letter.charCodeAt(0));
  const record = (group: number, name: string, body: readonly number[]): number[] => [
    name.length,
    group & 0xff,
    ...text(name),
    ...int16(2 + body.length),
    ...body,
  ];
  const parameter = (
    name: string,
    type: number,
    dimensions: readonly number[],
    data: readonly number[],
  ): number[] => record(1, name, [type & 0xff, dimensions.length, ...dimensions, ...data, 0]);
  const field = (name: string, value: number): number[] =>
    record(2, name, [2, 1, 2, ...int16(value & 0xffff), ...int16(value >> 16), 0]);
  const width = Math.max(...labels.map(({ length }) => length));
  const records = [
    ...record(-1, 'POINT', [0]),
    ...parameter('USED', 2, [], int16(labels.length)),
    ...parameter('SCALE', 4, [], float(isFloat ? -STEP : STEP)),
    ...parameter('RATE', 4, [], float(rate)),
    ...parameter('UNITS', -1, [units.length], text(units)),
    ...parameter(
      'LABELS',
      -1,
      [width, labels.length],
      labels.flatMap((label) => text(label.padEnd(width))),
    ),
    ...(yScreen === undefined ? [] : parameter('Y_SCREEN', -1, [yScreen.length], text(yScreen))),
    ...(trial
      ? [
          ...record(-2, 'TRIAL', [0]),
          ...field('ACTUAL_START_FIELD', 1),
          ...field('ACTUAL_END_FIELD', frames.length),
        ]
      : []),
    0,
    0,
  ];
  const blocks = Math.ceil((4 + records.length) / 512);
  const header = [
    ...[2, 0x50],
    ...int16(labels.length),
    ...int16(analog),
    ...int16(1),
    ...int16(frames.length),
    ...int16(0),
    ...float(isFloat ? -STEP : STEP),
    ...int16(2 + blocks),
    ...int16(0),
    ...float(rate),
  ];
  out.push(...header, ...Array<number>(512 - header.length).fill(0));
  out.push(
    1,
    0x50,
    blocks,
    CODES[processor],
    ...records,
    ...Array<number>(512 * blocks - 4 - records.length).fill(0),
  );
  const number = isFloat ? float : int16;
  for (const frame of frames) {
    for (const point of frame) {
      const values = (point ?? [0, 0, 0]).map((x) => (isFloat ? x : Math.round(x / STEP)));
      out.push(...[...values, point === undefined ? -1 : 0].flatMap(number));
    }
    for (let k = 0; k < analog; k++) out.push(...number(7));
  }
  while (out.length % 512 !== 0) out.push(0);
  return Uint8Array.from(out);
}
