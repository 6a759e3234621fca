/** A motion as stick figures: moment beside moment, and all in one place of the world. */
import type { Figure } from 'poise/figure';
import { type Vec3, vec3 } from 'poise/math';
import type { SpacetimeProblem } from 'poise/spacetime';
import type { Frame } from '../optimize/sample.js';
import { COLORS, label, polyline, px } from './markup.js';

/** Where the picture is taken from: what goes to the right, up, and towards the eye. Unit vectors of the world. */
export interface View {
  readonly right: Vec3;
  readonly up: Vec3;
  readonly near: Vec3;
}

/** Across the direction in which the motion moves most; upright against gravity. */
export function viewOf({ data, figure }: SpacetimeProblem, frames: readonly Frame[]): View {
  const gravity = data.gravity ?? [0, -9.81, 0];
  const up = vec3.norm(gravity) > 0 ? vec3.normalize(vec3.scale(gravity, -1)) : [0, 1, 0];
  const first = vec3.normalize(vec3.cross(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1]));
  const second = vec3.cross(up, first);
  // Spread of the bones over time on the level: the larger axis of its ellipse.
  let [a, b, c] = [0, 0, 0];
  figure.bones.forEach((_, bone) => {
    const ways = frames.map(({ origins }) => [
      vec3.dot(origins[bone], first),
      vec3.dot(origins[bone], second),
    ]);
    const mean = [0, 1].map((k) => ways.reduce((sum, way) => sum + way[k], 0) / ways.length);
    for (const way of ways) {
      const [u, v] = [way[0] - mean[0], way[1] - mean[1]];
      a += u * u;
      b += u * v;
      c += v * v;
    }
  });
  const turn = a + c > 1e-12 ? 0.5 * Math.atan2(2 * b, a - c) : 0;
  let right = vec3.add(vec3.scale(first, Math.cos(turn)), vec3.scale(second, Math.sin(turn)));
  // What moves on moves to the right.
  const ways = frames[frames.length - 1].origins.map((end, bone) =>
    vec3.dot(vec3.subtract(end, frames[0].origins[bone]), right),
  );
  if (ways.reduce((sum, way) => sum + way, 0) < 0) right = vec3.scale(right, -1);
  return { right, up, near: vec3.cross(right, up) };
}

/** A line of a stick figure, from a bone's parent or to its tip: m, on the picture. */
interface Stick {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** Nearer to the eye than the middle of the figure, as it first stands. */
  readonly side: 'near' | 'middle' | 'far';
}

function sticksOf(
  figure: Figure,
  { origins, tips }: Frame,
  view: View,
  sides: readonly Stick['side'][],
): Stick[] {
  const parents = new Set(figure.bones.map(({ parent }) => parent));
  return figure.bones.flatMap(({ index, parent, tip }) => {
    const side = sides[index];
    const sticks: Stick[] = [];
    if (parent >= 0) sticks.push({ from: flat(origins[parent], view), to: flat(origins[index], view), side });
    if (tip !== undefined && !parents.has(index)) {
      sticks.push({ from: flat(origins[index], view), to: flat(tips[index], view), side });
    }
    return sticks;
  });
}

function sidesOf({ origins, tips }: Frame, { near }: View): Stick['side'][] {
  const depths = origins.map((origin, b) => 0.5 * (vec3.dot(origin, near) + vec3.dot(tips[b], near)));
  const least = Math.min(...depths);
  const most = Math.max(...depths);
  const band = 0.02 + 0.05 * (most - least);
  const middle = 0.5 * (least + most);
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

/** Length of the arrow of a force as large as the weight, of the figure's size. */
const WEIGHT_ARROW = 0.35;

/** A figure that goes less far, of its size, stays where it is. */
const STILL = 0.5;

/** Of the strip, px, at most. */
const HEIGHT = 200;
const MOST_WIDTH = 1040;

export interface StripOptions {
  readonly problem: SpacetimeProblem;
  readonly view: View;
  /** Moments to draw. */
  readonly frames: readonly Frame[];
}

/** Moments side by side, each figure in the middle of its cell, with the forces that push it. */
export function strip({ problem, view, frames }: StripOptions): string {
  const { figure } = problem;
  const sides = sidesOf(frames[0], view);
  const cells = frames.map((frame) => {
    const sticks = sticksOf(figure, frame, view, sides);
    const middle = frame.origins.reduce((sum, o) => sum + vec3.dot(o, view.right), 0) / frame.origins.length;
    return { frame, sticks, middle };
  });
  // What hardly moves on is drawn from one place, so that its feet, or what it hangs from, stay.
  const middles = cells.map(({ middle }) => middle);
  const [least, most] = [Math.min(...middles), Math.max(...middles)];
  if (most - least < STILL * heightOf(cells[0].sticks)) {
    for (const cell of cells) cell.middle = 0.5 * (least + most);
  }
  const ends = cells.flatMap(({ sticks, middle }) =>
    sticks.flatMap(({ from, to }) => [from, to].map(([x, y]) => [x - middle, y] as const)),
  );
  const { min, max } = boundsOf(ends.length > 0 ? ends : [[0, 0]]);
  const half = Math.max(Math.abs(min[0]), Math.abs(max[0]), 0.05) * 1.08;
  const floor = floorOf(problem, view);
  const low = Math.min(min[1], floor ?? min[1]);
  const tall = Math.max(max[1] - low, half, 0.05) * 1.1;
  const scale = Math.min((HEIGHT - 30) / tall, MOST_WIDTH / frames.length / (2 * half));
  const cell = 2 * half * scale;
  const width = Math.max(cell * frames.length, 120);
  const height = Math.max(60, scale * tall + 30);
  const bottom = height - 26;
  const weight = weightOf(problem);
  const parts: string[] = [];
  if (floor !== undefined) parts.push(floorLine(0, width, bottom - scale * (floor - low)));
  cells.forEach(({ frame, sticks, middle }, k) => {
    const place = ([x, y]: readonly [number, number]): [number, number] => [
      (k + 0.5) * cell + scale * (x - middle),
      bottom - scale * (y - low),
    ];
    parts.push(sticksMarkup(sticks, place));
    const arrow = (weight > 0 ? WEIGHT_ARROW / weight : 0) * (max[1] - min[1]);
    frame.forces.forEach((force, c) => {
      if (!(vec3.norm(force) > 0) || !(arrow > 0)) return;
      const tail = frame.points[c];
      const head = vec3.add(tail, vec3.scale(force, arrow));
      parts.push(arrowMarkup(place(flat(tail, view)), place(flat(head, view))));
    });
    parts.push(
      `<text class="tick" x="${px((k + 0.5) * cell)}" y="${px(height - 6)}" text-anchor="middle">${label(Number(frame.time.toFixed(3)))} s</text>`,
    );
  });
  return `<svg class="strip" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" role="img" aria-label="The motion, moment by moment">${parts.join('')}</svg>`;
}

/** All moments where they are in the world, later ones darker, with the way of the middle of the figure. */
export function overlay({ problem, view, frames }: StripOptions, way: readonly Frame[]): string {
  const { figure } = problem;
  const sides = sidesOf(frames[0], view);
  const drawn = frames.map((frame) => sticksOf(figure, frame, view, sides));
  const middles = way.map(({ origins }): [number, number] => {
    const sum = origins.reduce<Vec3>((so, o) => vec3.add(so, o), [0, 0, 0]);
    return flat(vec3.scale(sum, 1 / origins.length), view);
  });
  const { min, max } = boundsOf([...drawn.flat().flatMap(({ from, to }) => [from, to]), ...middles]);
  const floor = floorOf(problem, view);
  const low = Math.min(min[1], floor ?? min[1]);
  const spanX = Math.max(max[0] - min[0], 0.1) * 1.06;
  const spanY = Math.max(max[1] - low, 0.1) * 1.06;
  const scale = Math.min(260 / spanY, MOST_WIDTH / spanX);
  const [width, height] = [Math.max(scale * spanX, 160), scale * spanY + 8];
  const shift = 0.5 * (width - scale * (max[0] - min[0]));
  const place = ([x, y]: readonly [number, number]): [number, number] => [
    shift + scale * (x - min[0]),
    height - 6 - scale * (y - low),
  ];
  const parts = floor === undefined ? [] : [floorLine(0, width, height - 6 - scale * (floor - low))];
  drawn.forEach((sticks, k) => {
    const opacity = drawn.length > 1 ? 0.2 + (0.8 * k) / (drawn.length - 1) : 1;
    parts.push(`<g opacity="${px(opacity)}">${sticksMarkup(sticks, place)}</g>`);
  });
  parts.push(`<path class="curve" stroke="${COLORS[3]}" d="${polyline(middles.map(place))}"/>`);
  return `<svg class="strip" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" role="img" aria-label="The motion in the world">${parts.join('')}</svg>`;
}

function heightOf(sticks: readonly Stick[]): number {
  const ends = sticks.flatMap(({ from, to }) => [from, to]);
  if (ends.length === 0) return 0;
  const { min, max } = boundsOf(ends);
  return Math.hypot(max[0] - min[0], max[1] - min[1]);
}

function flat(point: Vec3, view: View): [number, number] {
  return [vec3.dot(point, view.right), vec3.dot(point, view.up)];
}

type Place = (point: readonly [number, number]) => [number, number];

function sticksMarkup(sticks: readonly Stick[], place: Place): string {
  return (['far', 'middle', 'near'] as const)
    .map((side) => {
      const lines = sticks.filter((stick) => stick.side === side);
      const path = lines.map(({ from, to }) => polyline([place(from), place(to)])).join('');
      return path === '' ? '' : `<path class="stick ${side}" d="${path}"/>`;
    })
    .join('');
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

/** Height of the plane that contacts stand on, along up; undefined where there is none, or where it is steep. */
function floorOf({ contacts }: SpacetimeProblem, { up }: View): number | undefined {
  const level = contacts.filter(({ normal }) => vec3.dot(normal, up) > 0.99);
  return level.length === 0 ? undefined : Math.min(...level.map(({ height }) => height));
}

/** N, against gravity; with none, as on the ground. */
function weightOf({ figure, data }: SpacetimeProblem): number {
  const mass = figure.bones.reduce((sum, { mass: own = 0 }) => sum + own, 0);
  return mass * (vec3.norm(data.gravity ?? [0, -9.81, 0]) || 9.81);
}
