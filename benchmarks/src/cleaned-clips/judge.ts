/** A clip with noise, cleaned, and judged between the samples of the solve by the law of momentum alone. */
import { createRagdoll } from 'poise/dynamics';
import { cleanMotion } from 'poise/editing';
import { centerOfMass, createState, forwardKinematics, worldPoint } from 'poise/figure';
import { createMotion, createMotionSampler, linearCurve, type Motion, samplePose } from 'poise/motion';
import { sampleTrajectory } from 'poise/spacetime';
import { seeded } from '../joined-clips/judge.js';
import type { SharedClip } from '../shared-clips/read-clips.js';

const G = 9.81;
/** Step of the second differences of the centre of mass, s: short beside the rise of a contact force, which it may straddle. */
const H = 2e-4;
const MOMENTS = 241;
const FRAMES_A_SECOND = 30;

export interface Cleaned {
  readonly status: string;
  readonly iterations: number;
  readonly contacts: number;
  /** Largest force that is not gravity or contact, share of the weight. */
  readonly rootForce: number;
  /** Farthest that a point of a contact is from where it was when the contact began, m. */
  readonly slide: number;
  /** Wall time, s. */
  readonly time: number;
}

/** The figure of a clip with the masses of a human of its height, or of water. */
export function weighted(clip: SharedClip): SharedClip {
  return { ...clip, figure: createRagdoll(clip.figure, { limits: 'given' }).figure };
}

/** A span of a clip at 30 frames a second with noise in every coordinate, rad and, for a person, m. */
function noisy(
  { figure, motion }: SharedClip,
  [from, to]: readonly [number, number],
  noise: number,
  seed: number,
): Motion {
  const random = seeded(seed);
  const sampler = createMotionSampler(figure, motion);
  const count = Math.round(FRAMES_A_SECOND * (to - from));
  const times = Array.from({ length: count + 1 }, (_, k) => ((to - from) * k) / count);
  const values = times.flatMap((time) =>
    Array.from(
      samplePose(sampler, from + time, new Float64Array(figure.dof)),
      (x) => x + noise * (2 * random() - 1),
    ),
  );
  return createMotion(figure, { tracks: [{ coordinate: 0, curve: linearCurve({ times, values }) }] });
}

export function cleaned(clip: SharedClip, span: readonly [number, number], degrees: number): Cleaned {
  const { figure } = clip;
  const motion = noisy(clip, span, (degrees * Math.PI) / 180, 12);
  const begin = performance.now();
  const { solution, contacts } = cleanMotion(figure, motion);
  const time = (performance.now() - begin) / 1e3;
  const { trajectory } = solution;
  const state = createState(figure);
  const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
  const centerAt = (at: number): number[] => {
    forwardKinematics(state, sampleTrajectory(trajectory, at).pose);
    return Array.from(centerOfMass(state));
  };
  const places = new Map<string, number[]>();
  let [rootForce, slide] = [0, 0];
  for (let n = 0; n < MOMENTS; n++) {
    const at = H + ((motion.end - 2 * H) * n) / (MOMENTS - 1);
    const [a, b, c] = [at - H, at, at + H].map(centerAt);
    const { pose, forces } = sampleTrajectory(trajectory, at);
    // m a = m g + contact forces + what pushes the root.
    const push = [0, 1, 2].map((r) => {
      let force = mass * ((a[r] - 2 * b[r] + c[r]) / (H * H) + G * figure.up[r]);
      for (let k = r; k < forces.length; k += 3) force -= forces[k];
      return force;
    });
    rootForce = Math.max(rootForce, Math.hypot(...push) / (G * mass));
    forwardKinematics(state, pose);
    contacts.forEach(({ bone, points, over: [from, to] }, k) => {
      if (at < from || at > to) return;
      points.forEach((point, p) => {
        const here = Array.from(worldPoint(state, bone, point));
        const place = places.get(`${k} ${p}`) ?? here;
        places.set(`${k} ${p}`, place);
        slide = Math.max(slide, Math.hypot(...here.map((x, r) => x - place[r])));
      });
    });
  }
  const { status, iterations } = solution;
  return { status, iterations, contacts: contacts.length, rootForce, slide, time };
}
