import { rigid } from 'poise/math';
import { circle, createDrawing, type Pen } from '../shared/drawing.js';
import { formatNumber, say, setReady } from '../shared/lesson.js';
import { find, onSlider } from '../shared/page.js';
import {
  CAFE,
  carryBy,
  chainBetween,
  changeOfBasis,
  createScene,
  FRAMES,
  type Frame,
  moveFrame,
  movePoint,
  pointIn,
  rotateFrame,
} from './model.js';

/** Names of the frames in words. */
const NAMES: Readonly<Record<Frame, string>> = {
  door: 'the front door',
  office: 'the office',
  desk: 'the desk',
  lamp: 'the lamp',
  chair: 'the chair',
};
/** Half the width and depth of what stands in a frame, m: larger than it is, to be seen on a plan of the building. */
const SIZES: Partial<Record<Frame, readonly [number, number]>> = { office: [7.5, 7], desk: [3.6, 1.8] };
/** Numbers that differ by less count as the same, m. */
const SAME = 1e-9;
const MOVABLE = ['office', 'desk', 'lamp', 'chair'] as const;

const angle = find<HTMLInputElement>('#angle');
const rotated = find<HTMLSelectElement>('#frame');
const carrier = find<HTMLSelectElement>('#carrier');
const [from, to] = ['#from', '#to'].map((id) => find<HTMLSelectElement>(id));
let scene = createScene();
let angles: Record<string, number> = {};
/** Numbers before the last change. */
let before = numbers();
let shown = before;

const drawing = createDrawing(find('#picture'), {
  label: 'A plan of the building with five frames and a point',
  middle: [4, 0, 16.6],
  size: [44, 26],
  // From above: z to the right and x up.
  yaw: -Math.PI / 2,
  pitch: Math.PI / 2,
  orbit: false,
  paint,
});
const handles: [string, () => number[], (p: number[]) => void][] = MOVABLE.map((frame) => [
  NAMES[frame].replace('the ', ''),
  () => rigid.toPosition(changeOfBasis(scene, 'door', frame)),
  (p) => {
    moveFrame(scene, frame, p);
    from.value = frame;
  },
]);
handles.push([
  'point',
  () => pointIn(scene, 'door'),
  (p) => movePoint(scene, [p[0], pointIn(scene, 'door')[1], p[2]]),
]);
for (const [name, at, move] of handles) {
  const label = name[0].toUpperCase() + name.slice(1);
  const button = drawing.addHandle({
    label,
    at,
    step: 0.5,
    move: (p) => {
      move(p);
      update(name === 'point' ? 'the point' : `the ${name}`, 'moved');
    },
  });
  // What changes is told of a whole drag, and of each key.
  button.addEventListener('pointerdown', remember);
  button.addEventListener('keydown', remember, { capture: true });
}

function numbers(): number[][] {
  return FRAMES.map((frame) => pointIn(scene, frame));
}

function remember(): void {
  before = shown;
}

const rows = FRAMES.map((frame) => {
  const row = find<HTMLTableSectionElement>('#rows').insertRow();
  row.dataset.frame = frame;
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = NAMES[frame];
  row.append(head);
  return { row, cells: [row.insertCell(), row.insertCell(), row.insertCell()] };
});
for (const select of [from, to]) {
  for (const frame of FRAMES) select.add(new Option(NAMES[frame], frame));
}
from.value = 'office';
to.value = 'door';

/** Shows the numbers, and which of them a change has changed. */
function update(what?: string, how?: string): void {
  shown = numbers();
  const changed: string[] = [];
  const unchanged: string[] = [];
  rows.forEach(({ row, cells }, n) => {
    cells.forEach((cell, k) => {
      cell.textContent = formatNumber(shown[n][k], 2);
    });
    const differs = shown[n].some((x, k) => Math.abs(x - before[n][k]) > SAME);
    row.toggleAttribute('data-changed', differs);
    row.dataset.point = shown[n].join(' ');
    (differs ? changed : unchanged).push(NAMES[FRAMES[n]]);
  });
  if (what === undefined) say('#said', 'Drag the office, the desk, the lamp, the chair or the point.');
  else if (changed.length === 0) say('#said', `You have ${how} ${what}: no number of the point changes.`);
  else if (unchanged.length === 0)
    say('#said', `You have ${how} ${what}: the numbers change in every frame.`);
  else
    say(
      '#said',
      `You have ${how} ${what}: the numbers change as seen from ${list(changed)}, and not from ${list(unchanged)}.`,
    );
  showChain();
  drawing.redraw();
}

function list(all: readonly string[]): string {
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all[all.length - 1]}`;
}

/** The transform between the two chosen frames, and the chain that makes it. */
function showChain(): void {
  const [source, goal] = [from.value as Frame, to.value as Frame];
  const { up, down } = chainBetween(goal, source);
  const factors: string[] = [];
  for (let n = 1; n < up.length; n++) factors.unshift(`${up[n]}From${capital(up[n - 1])}`);
  let above = up[up.length - 1];
  for (const below of down) {
    factors.unshift(`(${above}From${capital(below)})⁻¹`);
    above = below;
  }
  const name = `${goal}From${capital(source)}`;
  const product = factors.join(' · ') || 'identity';
  find('#product').textContent = product === name ? name : `${name} = ${product}`;
  const m = changeOfBasis(scene, goal, source);
  find('#matrix').textContent = [0, 1, 2]
    .map((r) =>
      [m[3 * r], m[3 * r + 1], m[3 * r + 2], m[9 + r]]
        .map((x) => formatNumber(x, 2).padStart(7, '\u2007'))
        .join(''),
    )
    .join('\n');
  const common = up[up.length - 1];
  find('#chain').textContent =
    source === goal
      ? 'The two frames are the same.'
      : `The chain goes ${[...up, ...down].map((frame) => NAMES[frame]).join(' → ')}. ${common === 'door' ? '' : `It stops at ${NAMES[common]}: where that stands in the building does not matter.`}`;
}

const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);

function paint(pen: Pen): void {
  for (let x = -10; x <= 20; x += 5)
    pen.line(
      [
        [x, -9, -5],
        [x, -9, 40],
      ],
      'grid',
    );
  for (let z = -5; z <= 40; z += 5)
    pen.line(
      [
        [-10, -9, z],
        [20, -9, z],
      ],
      'grid',
    );
  const { up, down } = chainBetween(to.value as Frame, from.value as Frame);
  const lit = new Set<Frame>([...up, ...down]);
  for (const frame of FRAMES) {
    const world = changeOfBasis(scene, 'door', frame);
    const size = SIZES[frame];
    const flat = (x: number, z: number) => {
      const p = rigid.transformPoint(world, [x, 0, z]);
      return [p[0], frame === 'office' ? -8 : -7, p[2]];
    };
    if (size) {
      const [a, b] = size;
      pen.face([flat(-a, -b), flat(a, -b), flat(a, b), flat(-a, b)], frame === 'office' ? 'room' : 'left');
    }
    if (frame === 'chair' || frame === 'lamp') {
      pen.face(
        circle(flat(0, 0), [1, 0, 0], [0, 0, 1], frame === 'chair' ? 1.1 : 0.8, 32),
        frame === 'chair' ? 'left' : 'top',
      );
    }
  }
  // The chain, from origin to origin.
  const path = [...up, ...down].map((frame) => lift(changeOfBasis(scene, 'door', frame)));
  for (let n = 1; n < path.length; n++) pen.arrow(path[n - 1], path[n], 'wide mark');
  const point = pointIn(scene, 'door');
  for (const frame of FRAMES) {
    const world = changeOfBasis(scene, 'door', frame);
    const origin = lift(world);
    if (lit.has(frame)) pen.line([origin, [point[0], origin[1], point[2]]], 'ghost thin');
    pen.axes([...world.slice(0, 9), ...origin], 3);
    pen.label(origin, NAMES[frame].replace('the ', ''), lit.has(frame) ? '' : 'soft', [8, 20]);
  }
  pen.dot([point[0], 9, point[2]], 6, 'accent');
  pen.label([point[0], 9, point[2]], scene.carrier === 'door' ? 'café' : 'point', '', [12, -10]);
}

/** The origin of a frame, above the floor of the plan. */
function lift(frame: readonly number[]): number[] {
  return [frame[9], 8, frame[11]];
}

carrier.addEventListener('change', () => {
  before = shown;
  carryBy(scene, carrier.value as Frame);
  if (carrier.value === 'door') movePoint(scene, CAFE);
  else scene.point = [0, 0, -2.5];
  update('the point', 'changed');
  drawing.redraw();
});
rotated.addEventListener('change', () => {
  angle.value = String(angles[rotated.value] ?? 0);
  find('#angle-value').textContent = `${formatNumber(angle.valueAsNumber, 0)}°`;
});
angle.addEventListener('pointerdown', remember);
angle.addEventListener('keydown', remember);
onSlider('#angle', (degrees) => {
  find('#angle-value').textContent = `${formatNumber(degrees, 0)}°`;
  const frame = rotated.value as (typeof MOVABLE)[number];
  const first = angles[frame] === undefined && degrees === 0;
  angles[frame] = degrees;
  rotateFrame(scene, frame, (degrees * Math.PI) / 180);
  if (first) update();
  else update(NAMES[frame], 'rotated');
});
for (const select of [from, to]) {
  select.addEventListener('change', () => {
    showChain();
    drawing.redraw();
  });
}
find('#reset').addEventListener('click', () => {
  scene = createScene();
  angles = {};
  angle.value = '0';
  carrier.value = 'door';
  from.value = 'office';
  to.value = 'door';
  find('#angle-value').textContent = '0°';
  before = numbers();
  update();
});
update();
setReady();
