/** A motion as stick figures: poses side by side, and overlaid in the world. */
import { standardGravity } from 'poise/dynamics';
import type { Figure } from 'poise/figure';
import { type Vec3, vec3 } from 'poise/math';
import type { SpacetimeProblem } from 'poise/spacetime';
import type { Frame } from '../optimize/sample.js';
import { CURVES, label, polyline, px } from './markup.js';

/** Camera axes: right, up, and towards the viewer. Unit vectors of the world. */
export interface View {
  readonly right: Vec3;
  readonly up: Vec3;
  readonly near: Vec3;
}

/** Perpendicular to the main horizontal direction of motion; up is against gravity. */
export function viewOf({ data, figure }: SpacetimeProblem, frames: readonly Frame[]): View {
  const gravity = data.gravity ?? standardGravity(figure.up);
  const up = vec3.norm(gravity) > 0 ? vec3.normalize(vec3.scale(gravity, -1)) : figure.up;
  const first = vec3.normalize(vec3.cross(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1]));
  const second = vec3.cross(up, first);
  // Horizontal covariance of the bone positions over time: its major axis.
  let [a, b, c] = [0, 0, 0];
  figure.bones.forEach((_, bone) => {
    const projections = frames.map(({ origins }) => [
      vec3.dot(origins[bone], first),
      vec3.dot(origins[bone], second),
    ]);
    const mean = [0, 1].map(
      (k) => projections.reduce((sum, projection) => sum + projection[k], 0) / projections.length,
    );
    for (const projection of projections) {
      const [u, v] = [projection[0] - mean[0], projection[1] - mean[1]];
      a += u * u;
      b += u * v;
      c += v * v;
    }
  });
  const angle = a + c > 1e-12 ? 0.5 * Math.atan2(2 * b, a - c) : 0;
  let right = vec3.add(vec3.scale(first, Math.cos(angle)), vec3.scale(second, Math.sin(angle)));
  // The mean displacement points to the right.
  const projections = frames[frames.length - 1].origins.map((end, bone) =>
    vec3.dot(vec3.subtract(end, frames[0].origins[bone]), right),
  );
  if (projections.reduce((sum, projection) => sum + projection, 0) < 0) right = vec3.scale(right, -1);
  return { right, up, near: vec3.cross(right, up) };
}

/** A line of a stick figure, from a bone's parent or to its tip, in the picture plane, m. */
interface Stick {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** Whether it is the diameter of a head. */
  readonly isHead?: boolean;
  /** Depth relative to the middle of the figure in the first frame. */
  readonly side: 'near' | 'middle' | 'far';
}

function sticksOf(
  figure: Figure,
  { origins, tips }: Frame,
  view: View,
  sides: readonly Stick['side'][],
  head: number | undefined,
): Stick[] {
  const parents = new Set(figure.bones.map(({ parent }) => parent));
  return figure.bones.flatMap(({ index, parent, tip }) => {
    const side = sides[index];
    const sticks: Stick[] = [];
    if (parent >= 0)
      sticks.push({ from: project(origins[parent], view), to: project(origins[index], view), side });
    if (tip !== undefined && !parents.has(index)) {
      const isHead = index === head;
      sticks.push({ from: project(origins[index], view), to: project(tips[index], view), side, isHead });
    }
    return sticks;
  });
}

function depthClasses({ origins, tips }: Frame, { near }: View): Stick['side'][] {
  const depths = origins.map((origin, b) => 0.5 * (vec3.dot(origin, near) + vec3.dot(tips[b], near)));
  const min = Math.min(...depths);
  const max = Math.max(...depths);
  const band = 0.02 + 0.05 * (max - min);
  const middle = 0.5 * (min + max);
  return depths.map((depth) => (depth > middle + band ? 'near' : depth < middle - band ? 'far' : 'middle'));
}

interface Bounds {
  readonly min: readonly [number, number];
  readonly max: readonly [number, number];
}

function boundsOf(points: readonly (readonly [number, number])[]): Bounds {
  const at = (k: number, pick: (...values: number[]) => number): number =>
    points.reduce((found, point) => pick(found, point[k]), points[0][k]);
  return { min: [at(0, Math.min), at(1, Math.min)], max: [at(0, Math.max), at(1, Math.max)] };
}

/** Arrow length of a force equal to the weight, relative to the figure's size. */
export const WEIGHT_ARROW = 0.35;

/** With less travel, relative to the figure's size, all poses are drawn from one centre. */
const MIN_TRAVEL = 0.5;

/** Largest size of the strip, px. */
const HEIGHT = 200;
const MAX_WIDTH = 1040;

export interface StripOptions {
  readonly problem: SpacetimeProblem;
  /** The bone that is a head, drawn round. */
  readonly head?: number | undefined;
  readonly view: View;
  /** Frames to draw. */
  readonly frames: readonly Frame[];
}

/** Poses side by side, each centred in its cell, with contact forces. */
export function strip({ problem, head, view, frames }: StripOptions): string {
  const { figure } = problem;
  const sides = depthClasses(frames[0], view);
  const cells = frames.map((frame) => {
    const sticks = sticksOf(figure, frame, view, sides, head);
    const middle = frame.origins.reduce((sum, o) => sum + vec3.dot(o, view.right), 0) / frame.origins.length;
    return { frame, sticks, middle };
  });
  // With little travel all poses share one centre, so that feet or attachment points do not jump.
  const middles = cells.map(({ middle }) => middle);
  const travel = Math.max(...middles) - Math.min(...middles);
  if (travel < MIN_TRAVEL * heightOf(cells[0].sticks)) {
    const center = 0.5 * (Math.min(...middles) + Math.max(...middles));
    for (const cell of cells) cell.middle = center;
  }
  const ends = cells.flatMap(({ sticks, middle }) =>
    sticks.flatMap(({ from, to }) => [from, to].map(([x, y]) => [x - middle, y] as const)),
  );
  const { min, max } = boundsOf(ends.length > 0 ? ends : [[0, 0]]);
  const half = Math.max(Math.abs(min[0]), Math.abs(max[0]), 0.05) * 1.08;
  const floor = floorOf(problem, view);
  const low = Math.min(min[1], floor ?? min[1]);
  const tall = Math.max(max[1] - low, half, 0.05) * 1.1;
  const scale = Math.min((HEIGHT - 30) / tall, MAX_WIDTH / frames.length / (2 * half));
  const cell = 2 * half * scale;
  const width = Math.max(cell * frames.length, 120);
  const height = Math.max(60, scale * tall + 30);
  const bottom = height - 26;
  const weight = weightOf(problem);
  const elements: string[] = [];
  if (floor !== undefined) elements.push(floorLine(0, width, bottom - scale * (floor - low)));
  cells.forEach(({ frame, sticks, middle }, k) => {
    const toPicture = ([x, y]: readonly [number, number]): [number, number] => [
      (k + 0.5) * cell + scale * (x - middle),
      bottom - scale * (y - low),
    ];
    elements.push(sticksMarkup(sticks, toPicture));
    const arrow = (weight > 0 ? WEIGHT_ARROW / weight : 0) * (max[1] - min[1]);
    frame.forces.forEach((force, c) => {
      if (!(vec3.norm(force) > 0) || !(arrow > 0)) return;
      const tail = frame.points[c];
      const head = vec3.add(tail, vec3.scale(force, arrow));
      elements.push(arrowMarkup(toPicture(project(tail, view)), toPicture(project(head, view))));
    });
    elements.push(
      `<text class="tick" x="${px((k + 0.5) * cell)}" y="${px(height - 6)}" text-anchor="middle">${label(Number(frame.time.toFixed(3)))} s</text>`,
    );
  });
  return `<svg class="strip" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" role="img" aria-label="Poses of the motion side by side">${elements.join('')}</svg>`;
}

/** All poses in the world, later ones darker, with the path of the mean of the joints. */
export function overlay({ problem, head, view, frames }: StripOptions, path: readonly Frame[]): string {
  const { figure } = problem;
  const sides = depthClasses(frames[0], view);
  const drawn = frames.map((frame) => sticksOf(figure, frame, view, sides, head));
  const middles = path.map(({ origins }): [number, number] => {
    const sum = origins.reduce<Vec3>((so, o) => vec3.add(so, o), [0, 0, 0]);
    return project(vec3.scale(sum, 1 / origins.length), view);
  });
  const { min, max } = boundsOf([...drawn.flat().flatMap(({ from, to }) => [from, to]), ...middles]);
  const floor = floorOf(problem, view);
  const low = Math.min(min[1], floor ?? min[1]);
  const spanX = Math.max(max[0] - min[0], 0.1) * 1.06;
  const spanY = Math.max(max[1] - low, 0.1) * 1.06;
  const scale = Math.min(260 / spanY, MAX_WIDTH / spanX);
  const [width, height] = [Math.max(scale * spanX, 160), scale * spanY + 8];
  const shift = 0.5 * (width - scale * (max[0] - min[0]));
  const toPicture = ([x, y]: readonly [number, number]): [number, number] => [
    shift + scale * (x - min[0]),
    height - 6 - scale * (y - low),
  ];
  const elements = floor === undefined ? [] : [floorLine(0, width, height - 6 - scale * (floor - low))];
  drawn.forEach((sticks, k) => {
    const opacity = drawn.length > 1 ? 0.2 + (0.8 * k) / (drawn.length - 1) : 1;
    elements.push(`<g opacity="${px(opacity)}">${sticksMarkup(sticks, toPicture)}</g>`);
  });
  elements.push(`<path class="curve" style="stroke:${CURVES[3]}" d="${polyline(middles.map(toPicture))}"/>`);
  return `<svg class="strip" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" role="img" aria-label="The motion in the world">${elements.join('')}</svg>`;
}

function heightOf(sticks: readonly Stick[]): number {
  const ends = sticks.flatMap(({ from, to }) => [from, to]);
  if (ends.length === 0) return 0;
  const { min, max } = boundsOf(ends);
  return Math.hypot(max[0] - min[0], max[1] - min[1]);
}

function project(point: Vec3, view: View): [number, number] {
  return [vec3.dot(point, view.right), vec3.dot(point, view.up)];
}

type ToPicture = (point: readonly [number, number]) => [number, number];

function sticksMarkup(sticks: readonly Stick[], toPicture: ToPicture): string {
  return (['far', 'middle', 'near'] as const)
    .map((side) => {
      const lines = sticks.filter((stick) => stick.side === side);
      const path = lines
        .filter(({ isHead }) => !isHead)
        .map(({ from, to }) => polyline([toPicture(from), toPicture(to)]))
        .join('');
      const heads = lines
        .filter(({ isHead }) => isHead)
        .map((line) => headMarkup(toPicture(line.from), toPicture(line.to), side));
      return (path === '' ? '' : `<path class="stick ${side}" d="${path}"/>`) + heads.join('');
    })
    .join('');
}

function headMarkup(
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
  side: Stick['side'],
): string {
  const radius = 0.5 * Math.hypot(x1 - x0, y1 - y0);
  return `<circle class="stick head ${side}" cx="${px((x0 + x1) / 2)}" cy="${px((y0 + y1) / 2)}" r="${px(radius)}"/>`;
}

function arrowMarkup([x0, y0]: readonly [number, number], [x1, y1]: readonly [number, number]): string {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 0.5) return '';
  const [u, v] = [(x1 - x0) / length, (y1 - y0) / length];
  const h = Math.min(4, 0.4 * length);
  const barb = (side: number): [number, number] => [
    x1 - h * (u + 0.6 * side * v),
    y1 - h * (v - 0.6 * side * u),
  ];
  return `<path class="force" d="${polyline([
    [x0, y0],
    [x1, y1],
  ])}${polyline([barb(1), [x1, y1], barb(-1)])}"/>`;
}

function floorLine(from: number, to: number, y: number): string {
  return `<path class="floor" d="M${px(from)} ${px(y)}H${px(to)}"/>`;
}

/** Height of the contact plane along up; undefined without contacts, or for steep planes. */
function floorOf({ contacts }: SpacetimeProblem, { up }: View): number | undefined {
  const level = contacts.filter(({ normal }) => vec3.dot(normal, up) > 0.99);
  return level.length === 0 ? undefined : Math.min(...level.map(({ height }) => height));
}

/** Weight, N; without gravity, that on Earth. */
export function weightOf({ figure, data }: SpacetimeProblem): number {
  const mass = figure.bones.reduce((sum, { mass: own = 0 }) => sum + own, 0);
  return mass * (vec3.norm(data.gravity ?? standardGravity(figure.up)) || 9.81);
}
