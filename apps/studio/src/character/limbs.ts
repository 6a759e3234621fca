import type { Figure, FigureState } from 'poise/figure';
import type { HumanBone } from 'poise/humanoid';
import { mat3, rigid, type Vec3, vec3 } from 'poise/math';
import type { Character } from './character.js';

/** An arm or a leg that swivels about the line from its first joint to its last. */
export interface Limb {
  /** That of the handle in its middle. */
  readonly id: string;
  /** `Left elbow`. */
  readonly label: string;
  /** Bones, by index, that begin at its first joint, in its middle and at its end. */
  readonly start: number;
  readonly middle: number;
  readonly end: number;
  /** Bones whose joints move it, from first to last. */
  readonly joints: ReadonlySet<number>;
  /** Handles beside whose selection it is shown. */
  readonly handles: readonly string[];
}

/** How far the handle of a swivel is from the joint, over the size of the character. */
const OFF = 0.11;
/** Distance from the line, over the size, below which a limb counts as straight. */
const STRAIGHT = 2e-3;

const LIMBS = [
  {
    name: 'Elbow',
    start: 'UpperArm',
    middle: 'LowerArm',
    end: 'Hand',
    beside: ['Shoulder', 'Elbow', 'Hand'],
  },
  { name: 'Knee', start: 'UpperLeg', middle: 'LowerLeg', end: 'Foot', beside: ['Knee', 'Foot', 'Toes'] },
] as const;

/** The limbs of a human. */
export function limbsOf({ figure, humanoid }: Pick<Character, 'figure' | 'humanoid'>): Limb[] {
  const { bones } = humanoid ?? { bones: {} as Partial<Record<HumanBone, number>> };
  return (['left', 'right'] as const).flatMap((side) =>
    LIMBS.flatMap(({ name, beside, ...of }): Limb[] => {
      const [start, middle, end] = [of.start, of.middle, of.end].map(
        (bone) => bones[`${side}${bone}` as HumanBone],
      );
      if (start === undefined || middle === undefined || end === undefined) return [];
      const joints = pathUp(figure, end, start);
      if (joints === undefined || !joints.has(middle)) return [];
      return [
        {
          id: `${side}${name}`,
          label: `${side === 'left' ? 'Left' : 'Right'} ${name.toLowerCase()}`,
          start,
          middle,
          end,
          joints,
          handles: beside.map((each) => `${side}${each}`),
        },
      ];
    }),
  );
}

/** Bones from one up to another; undefined where that is not above. */
function pathUp({ parents }: Figure, from: number, to: number): ReadonlySet<number> | undefined {
  const path = new Set<number>();
  for (let bone = from; bone >= 0; bone = parents[bone]) {
    path.add(bone);
    if (bone === to) return path;
  }
  return undefined;
}

/** Where the handle of a limb's swivel is: off its middle joint, away from the line between its ends. */
export function swivelPoint({ figure, worldFromBone }: FigureState, limb: Limb, size: number): Vec3 {
  const frameOf = (bone: number) => worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const [start, middle, end] = [limb.start, limb.middle, limb.end].map((bone) =>
    rigid.toPosition(frameOf(bone)),
  );
  const line = vec3.subtract(end, start);
  const arm = vec3.subtract(middle, start);
  const length = Math.max(vec3.norm(line), 1e-9);
  const off = vec3.addScaled(arm, line, -vec3.dot(arm, line) / length ** 2);
  let outward = off;
  if (vec3.norm(off) < STRAIGHT * size) {
    // Where it would bend to.
    const { joint } = figure.bones[limb.middle];
    const axis = mat3.multiplyVector(
      frameOf(limb.middle).subarray(0, 9),
      joint.type === 'hinge' ? joint.axis : vec3.perpendicular(line),
    );
    outward = vec3.cross(vec3.subtract(end, middle), axis);
    if (!(vec3.norm(outward) > 0)) outward = vec3.perpendicular(line);
  }
  return vec3.addScaled(middle, vec3.normalize(outward), OFF * size);
}
