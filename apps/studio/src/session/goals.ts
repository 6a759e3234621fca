import { createIk, type Goal, type Ik, type OrientationGoal } from 'poise';
import type { FigureState } from 'poise/figure';
import { quat, rigid, type Vec3, vec3 } from 'poise/math';
import type { Character } from '../character/character.js';
import type { Limb } from '../character/limbs.js';
import type { Pin } from '../document/document.js';
import type { Drag } from './drag.js';
import type { NearGoal } from './self-distance.js';

/**
 * A pin outweighs the drag: with equal weights feet slide by centimetres when a hand is dragged out of reach. The remaining
 * slide, some millimetres if the body is at its limits, is removed by a second solve for the pins alone.
 */
const PIN_WEIGHT = 1000;
/** Balance outweighs the drag, and the pins outweigh balance: feet that were pinned where no one can stand stay there. */
const BALANCE_WEIGHT = 100;
/** Height over the floor up to which a pinned handle carries, over stature. */
const STANDS = 0.06;
/** Over stature. */
const BALANCE_TOLERANCE = 5e-4;
const POSITION_TOLERANCE = 6e-4;
const PIN_TOLERANCE = 1e-4;
const ORIENTATION_TOLERANCE = 5e-3;
/** A soft goal: it shapes the pose but is always met, since no rotation error exceeds its tolerance, pi. */
const POSTURE_WEIGHT = 0.1;
/** Most iterations of a descent, of pins or where nothing is dragged. */
const ITERATIONS = 60;
/**
 * Most iterations of a descent in a frame of a drag, in which a target that can be reached takes two or three. An unreachable one takes several
 * frames.
 */
const DRAG_ITERATIONS = 8;

/** What the goals are made of. */
export interface Wanted {
  readonly character: Character;
  /** Of the pose from which the goals are solved. */
  readonly state: FigureState;
  readonly pins: ReadonlyMap<string, Pin>;
  readonly drag: Drag | undefined;
  readonly ground: boolean;
  readonly balance: boolean;
  /** Half-spaces that keep hands off the body, of {@link nearGoalStrength}. */
  readonly near: readonly NearGoal[];
  /** Where a head whose place is held looks. */
  readonly sight: Goal | undefined;
}

export interface Solvers {
  readonly all: Ik;
  /** The pins without what is dragged, made when they are first needed; undefined while nothing is dragged. */
  readonly pins: (() => Ik | undefined) | undefined;
}

/** Weight and tolerance of goals that keep a character of a size, m, off itself: those of pins. */
export function nearGoalStrength(size: number): { readonly weight: number; readonly tolerance: number } {
  return { weight: PIN_WEIGHT, tolerance: size * PIN_TOLERANCE };
}

/** Solvers of all goals; undefined where there is none. */
export function createSolvers(wanted: Wanted): Solvers | undefined {
  const { character, drag } = wanted;
  if (drag?.limb !== undefined) {
    const all = createSwivel(wanted, drag, drag.limb);
    return { all, pins: undefined };
  }
  const { size, handles, contacts } = character;
  const figure = contacts?.massive ?? character.figure;
  const pinGoals: Goal[] = [];
  const others: Goal[] = drag === undefined ? [] : dragGoals(wanted, drag);
  for (const { id, bone, point } of handles) {
    const pin = wanted.pins.get(id);
    if (pin === undefined) continue;
    const isDragged = drag?.id === id;
    const moves = isDragged && drag.kind === 'move';
    const weight = moves ? 1 : PIN_WEIGHT;
    const goals = moves ? others : pinGoals;
    if (pin.holds !== 'rotation' && !moves) {
      const tolerance = size * PIN_TOLERANCE;
      goals.push({ type: 'position', bone, point, target: pin.target, weight, tolerance });
    }
    if (pin.holds !== 'place' && !(isDragged && drag.kind === 'turn')) {
      goals.push({
        type: 'orientation',
        bone,
        target: pin.orientation,
        weight: weight / 4,
        tolerance: ORIENTATION_TOLERANCE,
      });
    }
  }
  // Nothing but a goal moves a pose: without one there is nothing to balance.
  if (others.length + pinGoals.length === 0) return undefined;
  if (wanted.sight !== undefined) others.push(wanted.sight);
  pinGoals.push(...groundGoals(wanted), ...wanted.near);
  others.push(...balanceGoals(wanted));
  const create = (goals: readonly Goal[], maxIterations: number) =>
    createIk(figure, goals, { restarts: 0, maxIterations });
  let pins: Ik | undefined;
  const hasPins = drag !== undefined && pinGoals.length > 0;
  return {
    all: create([...others, ...pinGoals], drag === undefined ? ITERATIONS : DRAG_ITERATIONS),
    pins: hasPins
      ? () => {
          pins ??= create(pinGoals, ITERATIONS);
          return pins;
        }
      : undefined,
  };
}

/** The end of a limb stays, its middle follows the target, the end keeps its rotation as far as it can, and nothing else moves. */
function createSwivel(
  { character, state }: Wanted,
  { target }: Drag,
  { start, middle, end, joints }: Limb,
): Ik {
  const { figure } = character;
  const goals: Goal[] = [
    { type: 'pole', bone: end, middle, start, target, tolerance: ORIENTATION_TOLERANCE },
    {
      type: 'position',
      bone: end,
      target: pointOf(state, end, [0, 0, 0]),
      tolerance: character.size * PIN_TOLERANCE,
    },
    {
      type: 'orientation',
      bone: end,
      ...uprightOrientation(character, state, { start, end, joints }),
      // What the wrist cannot do does not stop the elbow.
      priority: 2,
      tolerance: Number.POSITIVE_INFINITY,
    },
  ];
  const locked = figure.bones.flatMap(({ index, dof }) => (dof > 0 && !joints.has(index) ? [index] : []));
  return createIk(figure, goals, { restarts: 0, maxIterations: ITERATIONS, locked });
}

/**
 * The orientation of the end of a limb. That of one with no joint to spare, as a foot, may turn: on the floor about the vertical, so
 * that it stays flat, in the air with its limb.
 */
function uprightOrientation(
  { figure, contacts, floor, size }: Character,
  state: FigureState,
  { start, end, joints }: Pick<Limb, 'start' | 'end' | 'joints'>,
): Pick<OrientationGoal, 'target' | 'offset' | 'mask'> {
  const dof = [...joints].reduce((sum, bone) => sum + figure.bones[bone].dof, 0);
  const now = orientationOf(state, end);
  if (dof > 6) return { target: now };
  const ankle = pointOf(state, end, [0, 0, 0]);
  const sole = (contacts?.soles.get(end) ?? []).map((corner) => pointOf(state, end, corner));
  const height = Math.min(...[ankle, ...sole].map((point) => vec3.dot(point, figure.up)));
  const stands = height - floor < STANDS * size;
  const y = stands ? figure.up : vec3.normalize(vec3.subtract(ankle, pointOf(state, start, [0, 0, 0])));
  const x = vec3.normalize(vec3.perpendicular(y));
  const z = vec3.cross(x, y);
  const target = quat.fromMatrix([x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]);
  const offset = quat.multiply(quat.conjugate(now), target);
  return { target, offset, mask: [1, 0, 1] };
}

function groundGoals({ character, pins, drag, ground }: Wanted): Goal[] {
  const { contacts, handles, size, floor, figure } = character;
  if (!ground || contacts === undefined) return [];
  // A foot that is pinned as a whole is where it is.
  const pinned = handles.filter(({ id }) => pins.get(id)?.holds === 'both' && drag?.id !== id);
  const fixed = new Set(pinned.map(({ bone }) => bone));
  const plane = { point: vec3.scale(figure.up, floor), normal: figure.up };
  return contacts.ground
    .filter(({ bone }) => !fixed.has(bone))
    .map(({ bone, point, clearance }) => ({
      type: 'half-space',
      bone,
      point,
      clearance,
      target: plane,
      weight: PIN_WEIGHT,
      tolerance: size * PIN_TOLERANCE,
    }));
}

function balanceGoals({ character, state, pins, drag, balance }: Wanted): Goal[] {
  const { contacts, handles, size, floor, figure } = character;
  if (!balance || contacts === undefined) return [];
  const { up } = figure;
  const support = handles.flatMap(({ id, bone, point }) => {
    const pin = pins.get(id);
    if (pin === undefined || pin.holds === 'rotation' || drag?.id === id) return [];
    const points = (contacts.soles.get(bone) ?? [point]).map((corner) => pointOf(state, bone, corner));
    const lowest = Math.min(...points.map((each) => vec3.dot(each, up)));
    return lowest - floor < STANDS * size ? points : [];
  });
  if (support.length === 0) return [];
  return [
    { type: 'center-of-mass', support, up, weight: BALANCE_WEIGHT, tolerance: size * BALANCE_TOLERANCE },
  ];
}

function dragGoals({ character, pins }: Wanted, { kind, id, ...drag }: Drag): Goal[] {
  const { size, handles } = character;
  const { bone, point, target, orientation, rotated } = drag;
  const tolerance = size * POSITION_TOLERANCE;
  const position: Goal = { type: 'position', bone, point, target, tolerance };
  if (kind === 'turn') {
    const turn: Goal = { type: 'orientation', bone, target: rotated, tolerance: ORIENTATION_TOLERANCE };
    return (pins.get(id)?.holds ?? 'rotation') === 'rotation' ? [turn, position] : [turn];
  }
  if (!handles.some((handle) => handle.dragsUpright && handle.bone === bone)) return [position];
  return [
    position,
    { type: 'orientation', bone, target: orientation, weight: POSTURE_WEIGHT, tolerance: Math.PI },
  ];
}

function pointOf({ worldFromBone }: FigureState, bone: number, point: Vec3): number[] {
  return rigid.transformPoint(worldFromBone.subarray(12 * bone, 12 * bone + 12), point, [0, 0, 0]);
}

function orientationOf({ worldFromBone }: FigureState, bone: number): [number, number, number, number] {
  return rigid.toQuat(worldFromBone.subarray(12 * bone, 12 * bone + 12)) as [number, number, number, number];
}
