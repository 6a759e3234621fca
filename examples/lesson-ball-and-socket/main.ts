import { createState, forwardKinematics } from 'poise/figure';
import { rigid } from 'poise/math';
import { quatFromSwing } from 'poise/rotation';
import { arc, createDrawing, type Pen } from '../shared/drawing.js';
import { createPlayer, formatDegrees, formatNumber, say, setReady } from '../shared/lesson.js';
import { find, onSlider, showNumber } from '../shared/page.js';
import {
  AXES,
  createArm,
  type Limits,
  numbersOf,
  onRim,
  spinAround,
  swingTowards,
  withinLimits,
} from './model.js';

const RADIANS = Math.PI / 180;
/** Length of the arm and distance of the collar from the shoulder, m. */
const LENGTH = 1;
const COLLAR = 0.42;
const COLLAR_RADIUS = 0.12;
const RIM_POINTS = 96;

const twist = find<HTMLInputElement>('#twist');
const inputs = {
  a: find<HTMLInputElement>('#a'),
  b: find<HTMLInputElement>('#b'),
  twist: find<HTMLInputElement>('#limit'),
};
let limits = readLimits();
let arm = createArm(limits);
/** Swing that is asked for, rad. */
let asked = [-55 * RADIANS, 20 * RADIANS];
let pose = withinLimits(arm, [...asked, 0]);
/** Spin since the hand was led around, rad. */
let spin = 0;
const player = createPlayer();

function readLimits(): Limits {
  return {
    a: inputs.a.valueAsNumber * RADIANS,
    b: inputs.b.valueAsNumber * RADIANS,
    twist: inputs.twist.valueAsNumber * RADIANS,
  };
}

/** Frame of the arm with coordinates, 12 numbers. */
function frameAt(coordinates: ArrayLike<number>): Float64Array {
  const state = createState(arm);
  forwardKinematics(state, Float64Array.from(coordinates));
  return state.worldFromBone.slice(0, 12);
}

const handAt = (coordinates: ArrayLike<number>): number[] =>
  rigid.transformPoint(frameAt(coordinates), [0, -LENGTH, 0]);

const drawing = createDrawing(find('#picture'), {
  label: 'An arm, the cone of its limits, and a loose collar with a mark',
  middle: [0, -0.08, 0],
  size: [2.6, 2.5],
  yaw: 0.6,
  pitch: 0.22,
  paint,
});
drawing.addHandle({
  label: 'Hand',
  at: () => handAt(pose),
  move: (to) => {
    if (Math.hypot(...to) > 0.05) ask(swingTowards(to));
  },
});
const plane = createDrawing(find('#plane'), {
  label: 'The plane of swing vectors with the ellipse of the limits',
  middle: [0, 0, 0],
  size: [7, 7],
  orbit: false,
  paint: paintPlane,
});
plane.addHandle({
  label: 'Swing',
  at: () => [pose[0], pose[1], 0],
  move: ([s, t]) => ask([s, t]),
  step: 0.05,
});

/** Asks for a swing by hand, which ends the way around the rim. */
function ask(swing: readonly number[]): void {
  player.stop();
  spin = 0;
  asked = [...swing];
  update();
}

function update(): void {
  pose = withinLimits(arm, [...asked, twist.valueAsNumber * RADIANS]);
  twist.value = String(Math.round(pose[2] / RADIANS));
  find('#twist-value').textContent = formatDegrees(pose[2]);
  const { swing, ellipse, determinant } = numbersOf(pose, limits);
  find('#vector').textContent = `(${formatDegrees(pose[0])}, ${formatDegrees(pose[1])})`;
  showNumber('#swing', swing, formatDegrees(swing, 1));
  showNumber('#ellipse', ellipse, ellipse.toFixed(6));
  showNumber('#determinant', determinant, formatNumber(determinant, 3));
  showNumber('#spin', spin, formatDegrees(spin, 1));
  const beyond = Math.hypot(asked[0] - pose[0], asked[1] - pose[1]);
  if (beyond > 1e-9) {
    say('#said', `Held by its limit: ${formatDegrees(beyond, 1)} of the swing asked for is outside.`, 'warn');
  } else say('#said', ellipse > 1 - 1e-9 ? 'On the rim of its limit.' : 'Within its limit.', 'good');
  drawing.redraw();
  plane.redraw();
}

function paint(pen: Pen): void {
  // Shoulder and its axes.
  pen.arrow([0, 0, 0], [0.45, 0, 0], 'x');
  pen.label([0.45, 0, 0], 's');
  pen.arrow([0, 0, 0], [0, 0, 0.45], 'z');
  pen.label([0, 0, 0.45], 't');
  pen.line(
    [
      [0, -0.1, 0],
      [0, -1.15, 0],
    ],
    'ghost',
  );
  const rim = Array.from({ length: RIM_POINTS + 1 }, (_, n) => handAt([...onRim(limits, n / RIM_POINTS), 0]));
  for (let n = 1; n < rim.length; n++) pen.face([[0, 0, 0], rim[n - 1], rim[n]], 'glass');
  const beyond = Math.hypot(asked[0] - pose[0], asked[1] - pose[1]) > 1e-9;
  pen.line(rim, beyond ? 'wide mark' : 'accent');
  // Upper arm, forearm and a flat hand, so that the twist is seen.
  const frame = frameAt(pose);
  pen.box(frame, [-0.06, -0.5, -0.06], [0.06, -0.02, 0.06]);
  pen.box(frame, [-0.05, -0.84, -0.05], [0.05, -0.5, 0.05]);
  pen.box(frame, [-0.08, -1.02, -0.018], [0.08, -0.84, 0.018]);
  pen.dot([0, 0, 0], 7);
  paintCollar(pen);
}

/** A ring about the arm that does not spin with it: as far from the arm's own rotation as its spin. */
function paintCollar(pen: Pen): void {
  const frame = rigid.fromQuatPosition(quatFromSwing([pose[0], pose[1]], AXES), [0, 0, 0]);
  const point = (angle: number): number[] =>
    rigid.transformPoint(frame, [COLLAR_RADIUS * Math.sin(angle), -COLLAR, COLLAR_RADIUS * Math.cos(angle)]);
  pen.line(
    Array.from({ length: 33 }, (_, n) => point((2 * Math.PI * n) / 32)),
    'wide',
  );
  // A rotation about the arm, -y, by -spin.
  pen.dot(point(spin), 6, 'mark');
  pen.dot(point(0), 4, 'accent');
}

function paintPlane(pen: Pen): void {
  pen.line(
    [
      [-3.3, 0, 0],
      [3.3, 0, 0],
    ],
    'thin x',
  );
  pen.line(
    [
      [0, -3.3, 0],
      [0, 3.3, 0],
    ],
    'thin z',
  );
  pen.label([2.75, 0, 0], 's', '', [4, -5]);
  pen.label([0, 2.75, 0], 't', '', [5, -4]);
  const rim = Array.from({ length: RIM_POINTS + 1 }, (_, n) => [...onRim(limits, n / RIM_POINTS), 0]);
  pen.face(rim, 'glass');
  pen.line(rim, 'accent');
  pen.line(arc([0, 0, 0], [1, 0, 0], [0, 1, 0], Math.PI, 2 * Math.PI), 'ghost thin');
  const [point, goal] = [
    [pose[0], pose[1], 0],
    [asked[0], asked[1], 0],
  ];
  pen.line([point, goal], 'mark');
  pen.dot(goal, 4, 'hollow');
}

find('#around').addEventListener('click', () => {
  player.start(5, (share) => {
    asked = onRim(limits, share);
    spin = spinAround(limits, share);
    update();
  });
});
find('#rest').addEventListener('click', () => {
  twist.value = '0';
  ask([0, 0]);
});
for (const [name, input] of Object.entries(inputs)) {
  onSlider(`#${input.id}`, (degrees) => {
    find(`#${name === 'twist' ? 'limit' : name}-value`).textContent =
      `${name === 'twist' ? '±' : ''}${degrees}°`;
    player.stop();
    limits = readLimits();
    arm = createArm(limits);
    spin = 0;
    update();
  });
}
onSlider('#twist', update);
setReady();
