/** A retargeted clip made physical: `--physical`. Roots moved by gravity and contacts alone, in segments. */
import { FigureError, MotionError } from 'poise';
import { createRagdoll } from 'poise/dynamics';
import { cleanMotionInSegments, type RootResiduals, rootResiduals } from 'poise/editing';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { type GroundContact, groundContacts } from 'poise/retarget';
import type { Io } from '../io/io.js';
import { count, decimals } from '../io/parse-number.js';
import { createProgressLine } from '../io/progress-line.js';
import type { Source } from '../io/source.js';
import type { RetargetedClip } from './retarget-clip.js';

/** What physics did. Shares are of the weight, 0 to 1. */
export interface PhysicalReport {
  /**
   * `converged`: all segments, near the clip; `far`: all segments, but in `far` it is another motion; `interrupted`: the rest is the retargeted clip; else the
   * first that did not converge.
   */
  readonly status: string;
  readonly segments: readonly {
    readonly over: readonly [from: number, to: number];
    readonly status: string;
    readonly iterations: number;
    readonly violation: number;
  }[];
  /** The motion is physical up to here, s. */
  readonly time: number;
  /** kg. */
  readonly mass: number;
  /** Force and torque that neither gravity nor contacts give, of the retargeted clip and of the result. */
  readonly residual: { readonly before: Residual; readonly after: Residual };
  /** Spans in which nothing touches the ground, s. */
  readonly flights: readonly (readonly [from: number, to: number])[];
  /** Spans in which a bone is further from the clip than a tenth of the height, s: where a contact is missing the figure falls. */
  readonly far: readonly (readonly [from: number, to: number])[];
  /** Of contact points, mm: along the ground from where they were as the contact began, and below the ground. */
  readonly sliding: number;
  readonly penetration: number;
  /** How far bones were rotated (degrees) and moved (mm): the mean, and the largest with bone and time. */
  readonly rotated: Change;
  readonly moved: Change;
}

export interface Residual {
  readonly mean: number;
  readonly max: number;
  /** s. */
  readonly at: number;
}

export interface Change {
  readonly mean: number;
  readonly max: number;
  readonly bone: string;
  readonly at: number;
}

/** A flight that no person makes, s, at the size of a person: what is longer has contacts that were not found. */
const MAX_FLIGHT = 1;
/** Of a person from the soles to the head joint, m. */
const ADULT_HEIGHT = 1.6;
/** Moments a second at which the result is measured. */
const RATE = 60;

/** Refuses a robot. @throws FigureError `unsupported`. */
export function requireCharacter({ kind, path, figure }: Source): void {
  if (kind !== 'urdf' && kind !== 'mjcf') return;
  throw new FigureError('unsupported', 'is a robot: physics of retargeted clips is for characters.', {
    path: path ?? figure.name,
    remedy: 'Leave --physical out.',
  });
}

/**
 * @throws MotionError `unsupported` for a clip that nothing carries, `out-of-range` for one that is too short.
 */
export function physicalClip(
  retargeted: RetargetedClip,
  io: Io,
): { readonly motion: Motion; readonly physical: PhysicalReport } {
  const { retargeter, motion, report, path } = retargeted;
  const duration = motion.end - motion.start;
  // Accelerations are measured from three moments.
  if (duration * RATE < 1.5) {
    throw new MotionError('out-of-range', `lasts ${decimals(duration, 3)} s, too short for physics.`, {
      path,
      remedy: 'Give a longer clip, or leave --physical out.',
    });
  }
  const { figure, mass } = createRagdoll(retargeter.target, { limits: 'given' });
  const contacts = groundContacts(retargeter, report);
  const flights = flightsOf(contacts, motion);
  requireCarried(flights, contacts, figure, motion, path);
  const before = rootResiduals(figure, motion, contacts, { rate: RATE });
  const progress = createProgressLine(io);
  const frames = report.times.length;
  const done = (time: number): number =>
    Math.floor((frames * (time - motion.start)) / (motion.end - motion.start));
  let segment = -1;
  const cleaned = (() => {
    try {
      return cleanMotionInSegments(figure, motion, {
        contacts,
        onProgress: ({ time, iteration, violation, ...now }) => {
          const text = `physics: ${done(time)} of ${frames} frames done, iteration ${iteration}, ${violationText(violation)}`;
          progress.show(text, now.segment !== segment);
          segment = now.segment;
          return (io.interrupts?.() ?? 0) === 0;
        },
      });
    } finally {
      progress.end();
    }
  })();
  const { segments, time } = cleaned;
  const after = rootResiduals(figure, cleaned.motion, contacts, { rate: RATE });
  const changes = changesOf(figure, motion, cleaned.motion);
  return {
    motion: cleaned.motion,
    physical: {
      status: statusOf(segments, changes.far, time < motion.end),
      segments,
      time,
      mass,
      residual: { before: residualOf(before), after: residualOf(after) },
      flights,
      ...contactsMeasured(figure, cleaned.motion, contacts),
      ...changes,
    },
  };
}

export function statusOf(
  segments: PhysicalReport['segments'],
  far: PhysicalReport['far'],
  isInterrupted: boolean,
): string {
  if (isInterrupted) return 'interrupted';
  const failed = segments.find(({ status }) => status !== 'converged');
  return failed?.status ?? (far.length > 0 ? 'far' : 'converged');
}

/** What physics did, in lines. */
export function physicalLines(physical: PhysicalReport): string[] {
  const { status, segments, time, mass, residual, flights, far, sliding, penetration, rotated, moved } =
    physical;
  const failed = segments.filter((segment) => segment.status !== 'converged');
  const share = ({ mean, max, at }: Residual): string =>
    `${percentage(mean)} of the weight in the mean, ${percentage(max)} at most (${decimals(at)} s)`;
  const flight = spansText(flights);
  return [
    `physics: ${status}, ${count(segments.length, 'segment')}, ${decimals(mass)} kg`,
    ...(far.length > 0
      ? [`  another motion than the clip, as where a contact is missing: ${spansText(far)}`]
      : []),
    ...(status === 'interrupted' ? [`  physical up to ${decimals(time)} s, then as retargeted`] : []),
    ...failed.map(
      ({ over: [from, to], status: of, violation }) =>
        `  ${decimals(from)} to ${decimals(to)} s: ${of}, ${violationText(violation)}`,
    ),
    '  force and torque that neither gravity nor contacts give',
    `    before: ${share(residual.before)}`,
    `    after:  ${share(residual.after)}`,
    `  contacts: slide ${sliding.toFixed(2)} mm at most, ${penetration.toFixed(2)} mm below the ground at most`,
    `  bones rotated by ${decimals(rotated.mean, 1)}° in the mean, ${decimals(rotated.max, 1)}° at most (${rotated.bone}, ${decimals(rotated.at)} s)`,
    `  bones moved by ${decimals(moved.mean, 0)} mm in the mean, ${decimals(moved.max, 0)} mm at most (${moved.bone}, ${decimals(moved.at)} s)`,
    ...(flight === '' ? [] : [`  nothing touches the ground: ${flight}`]),
  ];
}

export function spansText(spans: PhysicalReport['far']): string {
  return spans.map(([from, to]) => `${decimals(from)} to ${decimals(to)} s`).join(', ');
}

function percentage(share: number): string {
  return `${decimals(100 * share, 1)} %`;
}

/** Distance from the clip beyond which the result is another motion, in heights. */
const FAR = 0.1;

/** Sentences for what a person should look at. */
export function physicalWarnings({ moved, flights, far }: PhysicalReport): string[] {
  if (far.length === 0) return [];
  const where = spansText(flights);
  const cause =
    where === ''
      ? ''
      : ` It flies where nothing touches the ground: ${where}; --contacts FILE.json gives contacts that were not found.`;
  return [
    `physics moves ${moved.bone} by ${decimals(moved.max, 0)} mm at ${decimals(moved.at)} s: the result is another motion than the clip from ${spansText(far)}.${cause}`,
  ];
}

/** In words: what is left of the laws. The residual is of forces in weights and of positions in metres. */
function violationText(violation: number): string {
  if (violation <= 1e-6) return 'all laws hold';
  if (violation <= 1e-3) return `laws nearly hold (off by ${violation.toExponential(0)})`;
  return `laws off by ${violation.toPrecision(2)}`;
}

/** Spans without a contact, s. */
function flightsOf(contacts: readonly GroundContact[], { start, end }: Motion): [from: number, to: number][] {
  const spans = contacts.map(({ over }) => over).sort((a, b) => a[0] - b[0]);
  const flights: [number, number][] = [];
  let down = start;
  for (const [from, to] of [...spans, [end, end] as const]) {
    if (from > down + 1e-9) flights.push([down, from]);
    down = Math.max(down, to);
  }
  return flights;
}

/** @throws MotionError `unsupported` for a clip in which the figure would fall. */
function requireCarried(
  flights: readonly (readonly [number, number])[],
  contacts: readonly GroundContact[],
  figure: Figure,
  motion: Motion,
  path: string,
): void {
  const most = MAX_FLIGHT * Math.sqrt(heightOf(figure) / ADULT_HEIGHT);
  const fall = flights.find(([from, to]) => to - from > most);
  if (contacts.length > 0 && fall === undefined) return;
  const span = fall ?? [motion.start, motion.end];
  const remedy =
    contacts.length === 0
      ? 'A clip that walks in place has no contacts: give one that goes over the ground, or the contacts, --contacts FILE.json.'
      : 'Give the contacts that were not found, --contacts FILE.json, or leave --physical out.';
  throw new MotionError(
    'unsupported',
    `touches the ground nowhere from ${decimals(span[0])} to ${decimals(span[1])} s: physics would let the figure fall.`,
    { path, remedy },
  );
}

/** Extent of the joints along up at rest, m. */
function heightOf(figure: Figure): number {
  const { up } = figure;
  const heights = [...originsAt(figure, new Float64Array(figure.dof))].map((origin) => dot(origin, up));
  return Math.max(...heights) - Math.min(...heights);
}

function originsAt(figure: Figure, pose: Float64Array): number[][] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return figure.bones.map((_, b) => Array.from(state.worldFromBone.subarray(12 * b + 9, 12 * b + 12)));
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

function residualOf({ times, residuals }: RootResiduals): Residual {
  const at = residuals.reduce((most, value, k) => (value > residuals[most] ? k : most), 0);
  const mean = residuals.reduce((sum, value) => sum + value, 0) / residuals.length;
  return { mean, max: residuals[at], at: times[at] };
}

/** Sliding and penetration of the contact points of a motion, mm. */
function contactsMeasured(
  figure: Figure,
  motion: Motion,
  contacts: readonly GroundContact[],
): Pick<PhysicalReport, 'sliding' | 'penetration'> {
  const worldAt = worldOf(figure, motion);
  const places = new Map<string, number[]>();
  let [sliding, penetration] = [0, 0];
  for (const time of momentsOf(motion)) {
    const world = worldAt(time);
    contacts.forEach(({ bone, points, over: [from, to], normal, height }, c) => {
      if (time < from || time > to) return;
      const o = 12 * figure.bones.findIndex(({ name }) => name === bone);
      points.forEach((p, k) => {
        const here = [0, 1, 2].map(
          (r) => dot(world.subarray(o + 3 * r, o + 3 * r + 3), p) + world[o + 9 + r],
        );
        const place = places.get(`${c} ${k}`) ?? here;
        places.set(`${c} ${k}`, place);
        const step = here.map((x, r) => x - place[r]);
        const along = dot(step, normal);
        sliding = Math.max(sliding, Math.hypot(...step.map((x, r) => x - along * normal[r])));
        penetration = Math.max(penetration, height - dot(here, normal));
      });
    });
  }
  return { sliding: 1000 * sliding, penetration: 1000 * penetration };
}

/** How far the bones of a motion are from those of another. */
function changesOf(
  figure: Figure,
  before: Motion,
  after: Motion,
): Pick<PhysicalReport, 'rotated' | 'moved' | 'far'> {
  const [own, other] = [worldOf(figure, before), worldOf(figure, after)];
  const sums = { rotated: 0, moved: 0 };
  const worst = {
    rotated: { value: 0, bone: 0, at: before.start },
    moved: { value: 0, bone: 0, at: before.start },
  };
  const times = momentsOf(before);
  const limit = 1000 * FAR * heightOf(figure);
  const far: [from: number, to: number][] = [];
  let wasFar = false;
  for (const at of times) {
    const [a, b] = [own(at), other(at)];
    let isFar = false;
    for (let bone = 0; bone < figure.bones.length; bone++) {
      const o = 12 * bone;
      // |R - S|^2 = 8 sin^2(angle / 2)
      const square = [0, 1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, k) => sum + (a[o + k] - b[o + k]) ** 2, 0);
      const values = {
        rotated: (360 / Math.PI) * Math.asin(Math.min(1, Math.sqrt(square / 8))),
        moved: 1000 * Math.hypot(a[o + 9] - b[o + 9], a[o + 10] - b[o + 10], a[o + 11] - b[o + 11]),
      };
      isFar ||= values.moved > limit;
      for (const what of ['rotated', 'moved'] as const) {
        sums[what] += values[what];
        if (values[what] > worst[what].value) worst[what] = { value: values[what], bone, at };
      }
    }
    if (isFar && wasFar) far[far.length - 1][1] = at;
    else if (isFar) far.push([at, at]);
    wasFar = isFar;
  }
  const change = (what: 'rotated' | 'moved'): Change => ({
    mean: sums[what] / (times.length * figure.bones.length),
    max: worst[what].value,
    bone: figure.bones[worst[what].bone].name,
    at: worst[what].at,
  });
  return { rotated: change('rotated'), moved: change('moved'), far };
}

/** The bones of a motion in the world, 12 numbers each; a new list at each time. */
function worldOf(figure: Figure, motion: Motion): (time: number) => Float64Array {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return state.worldFromBone.slice();
  };
}

function momentsOf({ start, end }: Motion): number[] {
  const count = Math.max(1, Math.round((end - start) * RATE));
  return Array.from({ length: count + 1 }, (_, k) => start + ((end - start) * k) / count);
}
