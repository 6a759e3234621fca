/** Figures as lines: the bones of a human, or of another figure. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import type { HumanBoneMap, Humanoid } from 'poise/humanoid';
import { type Vec3, vec3 } from 'poise/math';

/** Height of a head over that of the body where it has no tip; and the range of a tip that is one. */
const HEAD = 0.125;
const HEADS = [0.08, 0.3] as const;

const TRUNK = ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head'];
const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'];

export interface Stick {
  readonly from: number;
  readonly to: number;
  readonly side: 'l' | 'r' | 'm';
  /** The foot that it belongs to. */
  readonly foot: boolean;
}

/** A leg, with the ball of its foot in the frame of the foot. */
export interface Leg {
  readonly name: 'left' | 'right';
  readonly ball: Vec3;
}

/** Points and the lines between them: the human bones, in the order of the body. @param legs - Their balls end feet that have neither toes nor a tip. */
export function sticksOf(
  figure: Figure,
  bones: Readonly<HumanBoneMap<number>>,
  legs: readonly Leg[] = [],
): { ends: End[]; sticks: Stick[] } {
  const all: Readonly<Record<string, number | undefined>> = bones;
  const ends: End[] = [];
  const sticks: Stick[] = [];
  const chain = (names: readonly string[], side: Stick['side']): void => {
    const found = names.flatMap((name) => (all[name] === undefined ? [] : [{ name, bone: all[name] }]));
    let before = -1;
    for (const { name, bone } of found) {
      const at = ends.push({ bone }) - 1;
      if (before >= 0) sticks.push({ from: before, to: at, side, foot: /Toes$/.test(name) });
      before = at;
    }
    const last = found.at(-1);
    const ball = legs.find(({ name }) => last?.name === `${name}Foot`)?.ball;
    const tip = last && (figure.bones[last.bone].tip ?? ball);
    if (!last || !tip) return;
    const at = ends.push({ bone: last.bone, tip }) - 1;
    sticks.push({ from: before, to: at, side, foot: /Toes$|Foot$/.test(last.name) });
  };
  chain(TRUNK, 'm');
  const top = ['upperChest', 'chest', 'spine', 'hips'].find((name) => all[name] !== undefined) ?? 'hips';
  for (const side of ['left', 'right'] as const) {
    const of = (names: readonly string[]): string[] => names.map((name) => `${side}${name}`);
    chain([top, ...of(['Shoulder', 'UpperArm', 'LowerArm', 'Hand'])], side === 'left' ? 'l' : 'r');
    chain(['hips', ...of(['UpperLeg', 'LowerLeg', 'Foot', 'Toes'])], side === 'left' ? 'l' : 'r');
    for (const finger of FINGERS) {
      const phalanges = ['Metacarpal', 'Proximal', 'Intermediate', 'Distal'].map(
        (name) => `${finger}${name}`,
      );
      if (of(phalanges).every((name) => all[name] === undefined)) continue;
      chain(of(['Hand', ...phalanges]), side === 'left' ? 'l' : 'r');
    }
  }
  return { ends, sticks };
}

export interface End {
  readonly bone: number;
  readonly tip?: Vec3;
}

/** Lines of a figure that is not a human: from each bone to those below it, and to its end where none is. */
export function bonesOf(figure: Figure, drawn: readonly boolean[] | undefined): ReturnType<typeof sticksOf> {
  const { bones } = figure;
  const isShown = (bone: number): boolean => drawn?.[bone] !== false;
  const ends: End[] = bones.map(({ index }) => ({ bone: index }));
  const sticks: Stick[] = [];
  const add = (from: number, to: number): void => {
    sticks.push({ from, to, side: 'm', foot: false });
  };
  for (const { index, parent, tip, centerOfMass } of bones) {
    if (!isShown(index)) continue;
    // What carries the body through the world is no limb.
    if (parent >= 0 && isShown(parent) && !carriesAll(figure, index)) add(parent, index);
    if (bones.some((bone) => bone.parent === index && isShown(bone.index))) continue;
    // The centre of mass is about the middle of a limb.
    const end = tip ?? (centerOfMass && vec3.scale(centerOfMass, 2));
    if (end !== undefined) add(index, ends.push({ bone: index, tip: end }) - 1);
  }
  return { ends, sticks };
}

/** Whether a bone hangs on a root that is fixed in the world by joints that displace it, and carries all others. */
function carriesAll({ bones }: Figure, index: number): boolean {
  let moves = false;
  for (let b = index; b >= 0; b = bones[b].parent) {
    if (bones.some((other) => other.parent === bones[b].parent && other.index !== b)) return false;
    moves ||= bones[b].joint.type === 'slider' || bones[b].joint.type === 'free';
  }
  return moves;
}

/** The head of a human, from its joint to its top, as a tip in the bone's frame. */
export function headOf(figure: Figure, { bones, up }: Humanoid): { bone: number; tip: Vec3 } | undefined {
  const { head } = bones;
  if (head === undefined) return undefined;
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const heights = figure.bones.map(({ index }) =>
    vec3.dot(state.worldFromBone.subarray(12 * index + 9, 12 * index + 12), up),
  );
  const height = heights[head] - Math.min(...heights);
  const { tip } = figure.bones[head];
  const long = tip === undefined ? 0 : vec3.norm(tip);
  if (tip !== undefined && long > HEADS[0] * height && long < HEADS[1] * height) return { bone: head, tip };
  const w = state.worldFromBone.subarray(12 * head, 12 * head + 9);
  const own = [0, 1, 2].map((c) => w[c] * up[0] + w[3 + c] * up[1] + w[6 + c] * up[2]);
  return { bone: head, tip: vec3.scale(own, HEAD * height) };
}
