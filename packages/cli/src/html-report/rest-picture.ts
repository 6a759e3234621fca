/** A rig at rest from the front, with its human bones, as an SVG. */
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import type { HumanBone, Humanoid } from 'poise/humanoid';
import { type Vec3, vec3 } from 'poise/math';
import { decimals } from '../io/parse-number.js';
import { bonesOf, type End, headOf, type Stick, sticksOf } from './body.js';
import { CURVES, escaped, polyline, px } from './markup.js';

const WIDTH = 320;
const HEIGHT = 360;
const MARGIN = 14;

/** Below this a bone is marked. */
export const SURE = 0.6;

type Point = readonly [number, number];

export function restPicture(figure: Figure, humanoid: Humanoid, drawn: readonly boolean[]): string {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const flat = ({ bone, tip = [0, 0, 0] }: End): Point => {
    const w = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
    const at: Vec3 = [0, 1, 2].map((r) => w[9 + r] + vec3.dot(w.subarray(3 * r, 3 * r + 3), tip));
    return [vec3.dot(humanoid.left, at), -vec3.dot(humanoid.up, at)];
  };
  const all = bonesOf(figure, drawn);
  const human = sticksOf(figure, humanoid.bones);
  const head = headOf(figure, humanoid);
  const shown = [...human.ends, ...(head ? [head] : [])].map(flat);
  const [min, max] = [Math.min, Math.max].map((pick) => [0, 1].map((k) => pick(...shown.map((p) => p[k]))));
  const scale = Math.min(
    (WIDTH - 2 * MARGIN) / Math.max(1e-6, max[0] - min[0]),
    (HEIGHT - 2 * MARGIN) / Math.max(1e-6, max[1] - min[1]),
  );
  const height = scale * (max[1] - min[1]) + 2 * MARGIN;
  const at = (end: End): Point => {
    const [x, y] = flat(end);
    return [WIDTH / 2 + scale * (x - (min[0] + max[0]) / 2), MARGIN + scale * (y - min[1])];
  };
  const path = (ends: readonly End[], sticks: readonly Stick[]): string =>
    sticks.map(({ from, to }) => polyline([at(ends[from]), at(ends[to])])).join('');
  const dots = (Object.entries(humanoid.bones) as [HumanBone, number][]).map(([name, bone]) => {
    const [x, y] = at({ bone });
    const sure = humanoid.confidence[name] ?? 0;
    const color = sure < SURE ? CURVES[1] : CURVES[2];
    const words = `${name}: ${figure.bones[bone].name}, sure ${decimals(sure, 2)}`;
    return `<circle cx="${px(x)}" cy="${px(y)}" r="${/Thumb|Index|Middle|Ring|Little/.test(name) ? 1.5 : 4}" style="fill:${color}"><title>${escaped(words)}</title></circle>`;
  });
  const round = head && [at({ bone: head.bone }), at(head)];
  const skull = round
    ? `<circle class="stick head" cx="${px((round[0][0] + round[1][0]) / 2)}" cy="${px((round[0][1] + round[1][1]) / 2)}" r="${px(Math.hypot(round[0][0] - round[1][0], round[0][1] - round[1][1]) / 2)}"/>`
    : '';
  return (
    `<svg class="picture" viewBox="0 0 ${WIDTH} ${px(height)}" width="${WIDTH}" role="img" aria-label="The rig at rest, from the front">` +
    `<path class="grid" stroke-width="2" d="${path(all.ends, all.sticks)}"/>${skull}` +
    `<path class="stick" d="${path(human.ends, human.sticks)}"/>${dots.join('')}</svg>`
  );
}
