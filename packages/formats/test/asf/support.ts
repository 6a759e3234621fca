/** Where bones are: of a figure, and as the format's specification has them. */
import { boneIndex, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';

/** World position of every bone's start at a time. */
export function positionsAt(figure: Figure, motion: Motion, time: number): (bone: string) => number[] {
  const state = createState(figure);
  forwardKinematics(
    state,
    samplePose(createMotionSampler(figure, motion), time, new Float64Array(figure.dof)),
  );
  return (bone) => {
    const o = 12 * boneIndex(figure, bone) + 9;
    return Array.from(state.worldFromBone.slice(o, o + 3));
  };
}

export function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((x, k) => x - b[k]));
}

type Matrix = readonly (readonly number[])[];

/**
 * Forward kinematics as the Acclaim format defines it, from the text itself: rows times columns, R = parent * C M C^-1, where C is the
 * product of the axis angles and M that of the channels, the first innermost; a bone ends at its start + R direction length.
 */
export function specified(asf: string, frame: string): Map<string, readonly number[]> {
  const times = (a: Matrix, b: Matrix): Matrix =>
    a.map((row) => [0, 1, 2].map((j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
  const apply = (a: Matrix, v: readonly number[]) => a.map((row) => row.reduce((s, x, k) => s + x * v[k], 0));
  const turn = (axis: string, degrees: number): Matrix => {
    const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    if (axis === 'x')
      return [
        [1, 0, 0],
        [0, c, -s],
        [0, s, c],
      ]; // prettier-ignore
    if (axis === 'y')
      return [
        [c, 0, s],
        [0, 1, 0],
        [-s, 0, c],
      ]; // prettier-ignore
    return [
      [c, -s, 0],
      [s, c, 0],
      [0, 0, 1],
    ]; // prettier-ignore
  };
  const identity: Matrix = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]; // prettier-ignore
  const values = new Map(
    frame
      .trim()
      .split('\n')
      .map((line) => [line.split(' ')[0], line.trim().split(/\s+/).slice(1).map(Number)]), // prettier-ignore
  );
  const blocks = asf.split(':bonedata')[1].split(':hierarchy')[0].split('begin').slice(1);
  const bones = new Map(
    blocks.map((block) => {
      const words = (key: string) => new RegExp(`\\b${key} (.*)`).exec(block)?.[1].trim().split(/\s+/) ?? [];
      return [words('name')[0], words] as const;
    }),
  );
  const starts = new Map<string, readonly number[]>();
  const visit = (name: string, start: readonly number[], above: Matrix): void => {
    starts.set(name, start);
    const words = bones.get(name) ?? (() => []);
    const dof = name === 'root' ? ['', '', '', 'rx', 'ry', 'rz'] : words('dof');
    const [x, y, z] = name === 'root' ? [0, 0, 0] : words('axis').map(Number);
    const c = times(turn('z', z), times(turn('y', y), turn('x', x)));
    const back = times(turn('x', -x), times(turn('y', -y), turn('z', -z)));
    const m = dof.reduce(
      (product, channel, k) =>
        channel ? times(turn(channel[1], values.get(name)?.[k] ?? 0), product) : product,
      identity,
    );
    const r = times(above, times(c, times(m, back)));
    const length = Number(words('length')[0] ?? 0);
    const step =
      name === 'root'
        ? [0, 0, 0]
        : apply(
            r,
            words('direction').map((d) => Number(d) * length),
          );
    const below = new RegExp(`^\\s*${name} (.*)$`, 'm')
      .exec(asf.split(':hierarchy')[1])?.[1]
      .trim()
      .split(/\s+/);
    for (const child of below ?? [])
      visit(
        child,
        start.map((p, k) => p + step[k]),
        r,
      ); // prettier-ignore
  };
  visit('root', (values.get('root') as number[]).slice(0, 3), identity);
  return starts;
}
