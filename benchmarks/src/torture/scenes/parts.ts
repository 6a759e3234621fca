/** What scenes are made of. */
import { plus, rotate } from '../../rigid/vectors.js';
import type {
  Bone,
  BoneShape,
  Figure,
  Form,
  Quadruple,
  Scene,
  Surface,
  Triple,
  WorldShape,
} from '../scene.js';
import { HUMAN_BONES, HUMAN_HIPS, HUMAN_SHAPES } from './human.js';

export const NONE: Triple = [0, 0, 0];
export const UPRIGHT: Quadruple = [0, 0, 0, 1];
export const ROUGH: Surface = { friction: 0.8, restitution: 0 };

/** The floor, rough as all else by default. */
export const floor = (surface = ROUGH): WorldShape => ({ type: 'plane', ...surface });

export const boxForm = (half: Triple, center = NONE, rotation = UPRIGHT): Form => ({
  type: 'box',
  center,
  rotation,
  half,
});

/** A static box. */
export const block = (center: Triple, half: Triple, surface = ROUGH): WorldShape => ({
  ...boxForm(half, center),
  ...surface,
});

/** Stairs that rise along +x, solid down to the floor. */
export function stairs(count: number): WorldShape[] {
  const [rise, run, end] = [0.17, 0.28, (count + 4) * 0.28];
  return Array.from({ length: count }, (_, k) =>
    block([(k * run + end) / 2, ((k + 1) * rise) / 2, 0], [(end - k * run) / 2, ((k + 1) * rise) / 2, 2]),
  );
}

/** Four walls round the middle, as high as given. */
export function pit(half: number, height: number): WorldShape[] {
  const [middle, thick] = [height / 2, 0.5];
  return [
    block([half + thick, middle, 0], [thick, middle, half + 2 * thick]),
    block([-half - thick, middle, 0], [thick, middle, half + 2 * thick]),
    block([0, middle, half + thick], [half + 2 * thick, middle, thick]),
    block([0, middle, -half - thick], [half + 2 * thick, middle, thick]),
  ];
}

interface Motion {
  readonly rotation?: Quadruple;
  readonly velocity?: Triple;
  readonly spin?: Triple;
  readonly surface?: Surface;
  /** Drag of the air, per kg of mass: 1/s. */
  readonly drag?: number;
  /** Shapes are left out where nothing shall touch. */
  readonly bare?: boolean;
}

/** A rigid body of one density in the form of one or several shapes about its origin, kg. */
export function body(forms: readonly Form[], mass: number, position: Triple, motion: Motion = {}): Figure {
  const { rotation = UPRIGHT, velocity = NONE, spin = NONE, surface = ROUGH, drag = 0, bare } = motion;
  const volumes = forms.map(volumeOf);
  const all = volumes.reduce((sum, x) => sum + x, 0);
  const masses = volumes.map((x) => (mass * x) / all);
  const center = masses.reduce((sum, m, k) => plus(sum, middleOf(forms[k]), m / mass), [0, 0, 0]);
  const inertia = [0, 0, 0, 0, 0, 0];
  forms.forEach((form, k) => {
    const own = inertiaOf(form, masses[k]);
    const [x, y, z] = plus(middleOf(form), center, -1);
    const shifted = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
    shifted.forEach((each, n) => {
      inertia[n] += masses[k] * each + (n < 3 ? own[n] : 0);
    });
  });
  const bone: Bone = {
    name: 'body',
    parent: -1,
    at: NONE,
    joint: { type: 'free' },
    mass,
    center: triple(center),
    inertia: inertia as unknown as Bone['inertia'],
    damping: { turn: (drag * (inertia[0] + inertia[1] + inertia[2])) / 3, move: drag * mass },
  };
  const shapes = bare ? [] : forms.map((form): BoneShape => ({ bone: 0, ...form, ...surface }));
  return { bones: [bone], shapes, position, rotation, velocity, spin };
}

export const triple = (v: readonly number[]): Triple => [v[0], v[1], v[2]];

function volumeOf(form: Form): number {
  if (form.type === 'box') return 8 * form.half[0] * form.half[1] * form.half[2];
  const ball = (4 / 3) * Math.PI * form.radius ** 3;
  return form.type === 'sphere' ? ball : ball + Math.PI * form.radius ** 2 * lengthOf(form);
}

const lengthOf = ({ from, to }: Form & { readonly type: 'capsule' }): number =>
  Math.hypot(...plus(to, from, -1));

function middleOf(form: Form): readonly number[] {
  if (form.type !== 'capsule') return form.center;
  return plus(form.from, plus(form.to, form.from, -1), 0.5);
}

/** Principal moments, own axes; of a capsule, which must lie along x, y or z, those of the cylinder of its whole length. */
function inertiaOf(form: Form, mass: number): number[] {
  if (form.type === 'sphere') return [0, 1, 2].map(() => 0.4 * mass * form.radius ** 2);
  if (form.type === 'box') {
    const [a, b, c] = form.half.map((x) => x * x);
    return [b + c, a + c, a + b].map((x) => (mass * x) / 3);
  }
  const whole = lengthOf(form) + 1.5 * form.radius;
  const axis = plus(form.to, form.from, -1).map((x) => Math.abs(x) > 1e-9);
  return axis.map((along) =>
    along ? 0.5 * mass * form.radius ** 2 : mass * (form.radius ** 2 / 4 + whole ** 2 / 12),
  );
}

/** The human, by the place of its hips. */
export function human(
  position: Triple,
  motion: Motion & { readonly jointRotations?: readonly Triple[] } = {},
): Figure {
  const { rotation = UPRIGHT, velocity = NONE, spin = NONE, jointRotations, drag = 0 } = motion;
  const [hips, ...others] = HUMAN_BONES;
  const mass = HUMAN_BONES.reduce((sum, bone) => sum + bone.mass, 0);
  const bones = [{ ...hips, damping: { turn: 0.2 * drag * mass, move: drag * mass } }, ...others];
  return {
    bones,
    shapes: HUMAN_SHAPES,
    position,
    rotation,
    velocity,
    spin,
    ...(jointRotations && { jointRotations }),
  };
}

/** Hips of a standing human. */
export const standing = (x: number, z: number): Triple => [x, HUMAN_HIPS + 0.001, z];

/** Bone of the human by its name. */
export function humanBone(name: string): number {
  const found = HUMAN_BONES.findIndex((bone) => bone.name === name);
  if (found < 0) throw new Error(`torture: no bone ${name}`);
  return found;
}

/** World place of the origin of a bone of a human at rest, with its hips there. */
export function restPlace(name: string, hips: Triple, rotation: Quadruple = UPRIGHT): Triple {
  let place = [0, 0, 0];
  for (let b = humanBone(name); b > 0; b = HUMAN_BONES[b].parent) place = plus(place, HUMAN_BONES[b].at);
  return triple(plus(hips, rotate(rotation, place)));
}

/** Equal steps. */
export function steps(dt: number, seconds: number): number[] {
  return new Array<number>(Math.round(seconds / dt)).fill(dt);
}

export type Draft = Partial<Omit<Scene, 'expect' | 'id' | 'kind'>> &
  Pick<Scene, 'figures' | 'steps'> & { readonly expect?: Partial<Scene['expect']> };

/** Energy that comes free where a mass is pressed out of something, J: lifted so far, and 3 m/s. */
export const release = (mass: number, depth: number): number => mass * (9.81 * depth + 4.5);
