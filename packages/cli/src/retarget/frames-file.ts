/** All frames of a retargeted clip as JSON: `--report FILE.json`. */
import type { ContactReport } from 'poise/retarget';
import type { RetargetedClip } from './retarget-clip.js';
import type { RetargetClipReport } from './summary.js';

/** Lists by frame; of bones a list each, by human bone. */
interface RetargetFrames extends Omit<RetargetClipReport, 'format'> {
  readonly format: 'poise-retarget-frames';
  /** s. */
  readonly times: readonly number[];
  /** Degrees. */
  readonly orientationErrors: Readonly<Record<string, readonly number[]>>;
  /** 1 where a limit is active. */
  readonly atLimit: Readonly<Record<string, readonly number[]>>;
  /** In the order of `contacts`: points of the feet, then those of hands. */
  readonly feet: readonly (PointFrames & { readonly foot: string })[];
  readonly hands: readonly (PointFrames & { readonly hand: string })[];
}

/** mm, and 0 or 1. */
interface PointFrames {
  readonly point: string;
  readonly inContact: readonly number[];
  readonly kept: readonly number[];
  readonly sliding: readonly number[];
  readonly penetration: readonly number[];
}

export function framesBytes({ report }: RetargetedClip, summary: RetargetClipReport): Uint8Array {
  const { times, bones, orientationError, atLimit, contacts } = report;
  const byBone = (values: ArrayLike<number>): Record<string, number[]> =>
    Object.fromEntries(
      bones.map((bone, b) => [bone, Array.from(times, (_, f) => rounded(values[bones.length * f + b]))]),
    );
  const file: RetargetFrames = {
    ...summary,
    format: 'poise-retarget-frames',
    times: [...times],
    orientationErrors: byBone(orientationError),
    atLimit: byBone(atLimit),
    feet: contacts.flatMap((contact) =>
      'foot' in contact ? [{ foot: contact.foot, ...pointFrames(contact) }] : [],
    ),
    hands: contacts.flatMap((contact) =>
      'hand' in contact ? [{ hand: contact.hand, ...pointFrames(contact) }] : [],
    ),
  };
  return new TextEncoder().encode(`${JSON.stringify(file)}\n`);
}

function pointFrames({ point, inContact, kept, sliding, penetration }: ContactReport): PointFrames {
  return {
    point,
    inContact: [...inContact],
    kept: [...kept],
    sliding: Array.from(sliding, rounded),
    penetration: Array.from(penetration, rounded),
  };
}

/** Millimetres and degrees to six digits: single precision. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
