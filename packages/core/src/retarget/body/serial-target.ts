/** A robot whose joints of the body are hinges in series, as a body with one joint for each part, which the hinges follow. */
import type { BoneData, Triple } from '../../figure/data/types.js';
import { originOf, type Rest, restOf, triple } from '../../figure/kinematics/rest-pose.js';
import { createFigure, type Figure } from '../../figure/model/figure.js';
import type { Humanoid } from '../../humanoid/find-humanoid.js';
import {
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
  humanParent,
} from '../../humanoid/recognition/human-bones.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import type { BodyLeg } from './body.js';

/** The body, and the bones of the robot that follow its bones. */
export interface SerialTarget {
  readonly robot: Figure;
  readonly humanoid: Humanoid;
  /** One bone for each part, at rest oriented as the last bone of its chain: a ball at the point nearest to the axes of several hinges, a hinge for one. */
  readonly figure: Figure;
  /** Its bones by VRM name. */
  readonly bones: Readonly<HumanBoneMap<string>>;
  /** Of each of its bones: the part, the bone of the robot, its origin in the frame of that bone, and the bones whose joints are its own. */
  readonly parts: readonly SerialPart[];
}

export interface SerialPart {
  readonly human: HumanBone;
  readonly robotBone: number;
  readonly center: readonly number[];
  readonly joints: readonly number[];
}

/** Weight of the middle of a chain over that of its axes: it places the point along axes that are parallel. */
const MIDDLE = 1e-6;

/**
 * @param robot - Its root can move.
 * @returns undefined where no part of the body has several hinges.
 */
export function serialTargetOf(robot: Figure, humanoid: Humanoid): SerialTarget | undefined {
  const isHinge = (bone: number): boolean => robot.bones[bone].joint.type === 'hinge';
  const ownHinges = (human: HumanBone): readonly number[] => (humanoid.joints[human] ?? []).filter(isHinge);
  // A hinge at the clavicle is the first of the arm where the arm alone has too few for any rotation.
  const armOf = (human: string): HumanBone => human.replace('Shoulder', 'UpperArm') as HumanBone;
  const isOfArm = (human: HumanBone): boolean =>
    human.endsWith('Shoulder') && ownHinges(human).length > 0 && ownHinges(armOf(human)).length < 3;
  const present = HUMAN_BONES.filter((human) => humanoid.bones[human] !== undefined && !isOfArm(human));
  const jointsOf = (human: HumanBone): readonly number[] => {
    const own = humanoid.joints[human] ?? [];
    const shoulder = human.replace('UpperArm', 'Shoulder') as HumanBone;
    return human.endsWith('UpperArm') && isOfArm(shoulder)
      ? [...(humanoid.joints[shoulder] ?? []), ...own]
      : own;
  };
  const hingesOf = (human: HumanBone): readonly number[] => jointsOf(human).filter(isHinge);
  if (!present.some((human) => human !== 'hips' && hingesOf(human).length > 1)) return undefined;
  const rest = restOf(robot);
  const centers = new Map<HumanBone, readonly number[]>();
  const parts: SerialPart[] = [];
  const bones = present.map((human): BoneData => {
    const robotBone = humanoid.bones[human] as number;
    const hinges = human === 'hips' ? [] : hingesOf(human);
    const center = hinges.length > 0 ? centerOf(rest, hinges) : originOf(rest, robotBone);
    const axes = axesOf(rest, robotBone);
    const inBone = (point: Numbers): Triple =>
      triple(mat3.transposeMultiplyVector(axes, vec3.subtract(point, center)));
    const above = parentOf(human, present);
    const { name, tip } = robot.bones[robotBone];
    const tipAt = tip && vec3.add(originOf(rest, robotBone), mat3.multiplyVector(axes, tip));
    centers.set(human, center);
    parts.push({
      human,
      robotBone,
      center: inBone(originOf(rest, robotBone)).map((x) => -x),
      joints: human === 'hips' ? [] : jointsOf(human),
    });
    return {
      name,
      parent: above === undefined ? null : robot.bones[humanoid.bones[above] as number].name,
      rest: placed(rest, humanoid, above, robotBone, center, centers),
      ...jointOf(robot, rest, robotBone, hinges, human),
      ...(tipAt && { tip: inBone(tipAt) }),
    };
  });
  return {
    robot,
    humanoid,
    figure: createFigure({ name: robot.name, up: robot.up, bones }),
    bones: Object.fromEntries(parts.map(({ human, robotBone }) => [human, robot.bones[robotBone].name])),
    parts,
  };
}

/** Vertices of the robot's mesh by bone, in the frames of the body's bones. */
export function serialVertices(
  { robot, parts }: SerialTarget,
  vertices: Readonly<Record<string, Numbers>>,
): Record<string, Float64Array> {
  const moved: Record<string, Float64Array> = {};
  for (const { robotBone, center } of parts) {
    const { name } = robot.bones[robotBone];
    const own = Object.hasOwn(vertices, name) ? vertices[name] : undefined;
    if (own !== undefined) moved[name] = Float64Array.from(own, (x, i) => x - center[i % 3]);
  }
  return moved;
}

/** Legs of a body in the bones of the robot. */
export function serialLegs({ parts }: SerialTarget, legs: readonly BodyLeg[]): BodyLeg[] {
  const boneOf = (bone: number): number => (bone < 0 ? -1 : parts[bone].robotBone);
  return legs.map((leg) => {
    const inBone = (part: number) => (point: readonly number[]) =>
      part < 0 ? point : vec3.add(point, parts[part].center);
    return {
      ...leg,
      upper: boneOf(leg.upper),
      lower: boneOf(leg.lower),
      foot: boneOf(leg.foot),
      toes: boneOf(leg.toes),
      heel: inBone(leg.foot)(leg.heel),
      ball: inBone(leg.foot)(leg.ball),
      front: inBone(leg.foot)(leg.front),
      corners: leg.corners.map(inBone(leg.foot)),
      toeSole: leg.toeSole.map(inBone(leg.toes)),
      toeBack: leg.toeBack.map(inBone(leg.toes)),
      toeAxis: leg.toeAxis.map(inBone(leg.foot)),
    };
  });
}

function parentOf(human: HumanBone, present: readonly HumanBone[]): HumanBone | undefined {
  let above = humanParent(human);
  while (above !== undefined && !present.includes(above)) above = humanParent(above);
  return above;
}

function axesOf({ worldFromBone }: Rest, bone: number): Float64Array {
  return worldFromBone.subarray(12 * bone, 12 * bone + 9);
}

/** The point nearest to the axes of hinges at rest: sum (I - a a^T) (p - o) = 0. */
function centerOf(rest: Rest, hinges: readonly number[]): readonly number[] {
  const matrix = mat3.identity().map((x) => MIDDLE * x);
  const middle = new Float64Array(3);
  for (const bone of hinges) vec3.addScaled(middle, originOf(rest, bone), 1 / hinges.length, middle);
  const sum = vec3.scale(middle, MIDDLE);
  for (const bone of hinges) {
    const { joint } = rest.figure.bones[bone];
    if (joint.type !== 'hinge') continue;
    const a = vec3.normalize(mat3.multiplyVector(axesOf(rest, bone), joint.axis));
    const across = mat3.subtract(mat3.identity(), mat3.outer(a, a));
    for (let k = 0; k < 9; k++) matrix[k] += across[k];
    vec3.add(sum, mat3.multiplyVector(across, originOf(rest, bone)), sum);
  }
  return mat3.solve(matrix, sum);
}

/** Transform at rest relative to the part above. */
function placed(
  rest: Rest,
  humanoid: Humanoid,
  above: HumanBone | undefined,
  bone: number,
  center: readonly number[],
  centers: ReadonlyMap<HumanBone, readonly number[]>,
): NonNullable<BoneData['rest']> {
  const axes = axesOf(rest, bone);
  if (above === undefined) {
    const [x, y, z, w] = quat.fromMatrix(axes);
    return { position: triple(center), rotation: [x, y, z, w] };
  }
  const base = axesOf(rest, humanoid.bones[above] as number);
  const [x, y, z, w] = quat.fromMatrix(mat3.multiply(mat3.transpose(base), axes));
  const from = vec3.subtract(center, centers.get(above) as readonly number[]);
  return { position: triple(mat3.transposeMultiplyVector(base, from)), rotation: [x, y, z, w] };
}

/** A free root; a ball for several hinges, which bound it when they follow; one hinge with its limit, or none, as it is. */
function jointOf(
  { bones }: Figure,
  rest: Rest,
  robotBone: number,
  hinges: readonly number[],
  human: HumanBone,
): Pick<BoneData, 'joint' | 'limit'> {
  if (human === 'hips') return { joint: { type: 'free' } };
  if (hinges.length === 0) return { joint: { type: 'fixed' } };
  if (hinges.length > 1) return { joint: { type: 'ball' } };
  const { joint, limit } = bones[hinges[0]];
  if (joint.type !== 'hinge') return { joint: { type: 'ball' } };
  const world = mat3.multiplyVector(axesOf(rest, hinges[0]), joint.axis);
  const axis = triple(mat3.transposeMultiplyVector(axesOf(rest, robotBone), world));
  return { joint: { type: 'hinge', axis }, ...(limit && { limit }) };
}
