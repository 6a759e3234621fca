import { mirrorPose } from 'poise/editing';
import { clampToLimits, createPose, createState, forwardKinematics } from 'poise/figure';
import { type Vec3, vec3 } from 'poise/math';
import type { Character } from '../character/character.js';
import type { Holds } from '../character/handles.js';

export type Side = 'left' | 'right';

/** The pose with left and right exchanged. @throws FigureError for a figure whose joints are not alike on both sides. */
export function mirrored({ figure, humanoid }: Character, pose: ArrayLike<number>): Float64Array {
  const out = mirrorPose(
    figure,
    Float64Array.from(pose),
    humanoid === undefined ? {} : { bones: humanoid.bones },
  );
  clampToLimits(figure, out);
  return out;
}

/** What the pins of the other side hold. */
export function mirroredPins(
  { handles }: Character,
  pins: ReadonlyMap<string, { readonly holds: Holds }>,
): Map<string, Holds> {
  const out = new Map<string, Holds>();
  for (const [id, { holds }] of pins) {
    const other = otherSide(id);
    out.set(handles.some((handle) => handle.id === other) ? other : id, holds);
  }
  return out;
}

/** A point in the world of the figure as its mirror image, with that of {@link mirrored}. */
export function mirroredPoint({ figure, humanoid }: Character, point: Vec3): number[] {
  const hips = humanoid?.bones.hips;
  if (humanoid === undefined || hips === undefined) return Array.from(point);
  const { left } = humanoid;
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const center = state.worldFromBone.subarray(12 * hips + 9, 12 * hips + 12);
  return Array.from(vec3.addScaled(point, left, -2 * vec3.dot(left, vec3.subtract(point, center))));
}

/** The pose with one side as the mirror image of the other; what is in the middle stays. */
export function copySide(character: Character, pose: ArrayLike<number>, from: Side): Float64Array {
  const { figure, humanoid } = character;
  const image = mirrored(character, pose);
  const out = Float64Array.from(pose);
  const to = from === 'left' ? 'right' : 'left';
  const tops = new Set(
    Object.entries(humanoid?.joints ?? {}).flatMap(([name, joints]) => (name.startsWith(to) ? joints : [])),
  );
  const isTo: boolean[] = [];
  for (const { index, parent, coordinate, dof } of figure.bones) {
    isTo[index] = tops.has(index) || (parent >= 0 && isTo[parent]);
    if (!isTo[index]) continue;
    out.set(image.subarray(coordinate, coordinate + dof), coordinate);
  }
  return out;
}

function otherSide(id: string): string {
  return id.replace(/^(left|right)/, (side) => (side === 'left' ? 'right' : 'left'));
}
