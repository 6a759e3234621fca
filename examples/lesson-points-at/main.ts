import { createPose } from 'poise/figure';
import { rigid } from 'poise/math';
import { circle, createDrawing, type Pen } from '../shared/drawing.js';
import {
  createPlayer,
  formatDegrees,
  formatNumber,
  formatSmall,
  formatVector,
  say,
  setReady,
} from '../shared/lesson.js';
import { find, onSlider, onSwitch } from '../shared/page.js';
import {
  type Aimed,
  ARM_LENGTH,
  aimHead,
  bothWays,
  createLamp,
  frameOf,
  LOOP_STEPS,
  loopTarget,
  rollOf,
  type Start,
  startPose,
  type Target,
  worldTarget,
} from './model.js';

const RADIANS = Math.PI / 180;
const TABLE_RADIUS = 0.75;
/** Least distance of the target from the head's joint, m. */
const NEAREST = 0.2;
/** Angle at which the light counts as on its target, rad. */
const ON_TARGET = 1e-6;

const start = find<HTMLSelectElement>('#start');
const carried = find<HTMLInputElement>('#carried');
const player = createPlayer();
let figure = createLamp(false);
/** As it was last aimed. */
let aimed: Aimed = { pose: createPose(figure), angle: 0 };
let target: Target = [0.85, 1.05, 0.6];
/** Words about the last loop. */
let finding = '';

const drawing = createDrawing(find('#picture'), {
  label: 'A lamp on a table, its light and its target',
  middle: [0.1, 0.72, 0.2],
  size: [3.1, 2.7],
  yaw: -0.65,
  pitch: 0.3,
  paint,
});
drawing.addHandle({
  label: 'Target',
  at: () => worldTarget(figure, aimed.pose, target),
  move: (to) => {
    const joint = rigid.toPosition(frameOf(figure, aimed.pose, 'head'));
    // At the joint there is no direction to it.
    if (Math.hypot(...to.map((c, k) => c - joint[k])) < NEAREST) return;
    setTarget(to);
    stop();
    update();
  },
});

/** Sets the target in the world; where the table carries it, it is kept in the table's coordinates. */
function setTarget(world: readonly number[]): void {
  const [x, y, z] = carried.checked
    ? rigid.inverseTransformPoint(frameOf(figure, aimed.pose, 'table'), world)
    : world;
  target = carried.checked ? { bone: 'table', point: [x, y, z] } : [x, y, z];
}

function stop(): void {
  player.stop();
  finding = '';
}

const rows = ['Target', 'Joint', 'Wanted light', 'Light before', 'Angle between', 'Frame after'].map(
  (name) => {
    const row = find<HTMLTableSectionElement>('#rows').insertRow();
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    return [row.insertCell(), row.insertCell()];
  },
);

/** The pose that the lamp was aimed from. */
let from: Float64Array;

/** Aims the lamp, from the pose in which it was. */
function update(): void {
  from = startPose(start.value as Start, aimed.pose);
  const { world, object, difference } = bothWays(figure, from, target);
  aimed = aimHead(figure, start.value as Start, aimed.pose, target);
  for (const [k, way] of [world, object].entries()) {
    const texts = [
      formatVector(way.target),
      formatVector(way.joint),
      formatVector(way.desired),
      formatVector(way.current),
      formatDegrees(way.angle, 1),
      k === 0 ? 'R · chain' : 'chain · R',
    ];
    for (const [n, text] of texts.entries()) rows[n][k].textContent = text;
  }
  find('#said').dataset.value = String(difference);
  say(
    '#said',
    `Both give the head the same frame: its 12 numbers differ by ${formatSmall(difference)} at most.`,
    'good',
  );
  const roll = rollOf(frameOf(figure, aimed.pose, 'head'));
  find('#roll-said').dataset.value = String(roll);
  const off =
    aimed.angle > ON_TARGET
      ? ` Its limit keeps the light ${formatDegrees(aimed.angle, 1)} from the target.`
      : '';
  say(
    '#roll-said',
    finding || `The head is rolled by ${formatDegrees(roll, 1)}.${off}`,
    off === '' ? '' : 'warn',
  );
  drawing.redraw();
}

function paint(pen: Pen): void {
  const { pose } = aimed;
  const table = frameOf(figure, pose, 'table');
  const [u, w] = [rigid.transformVector(table, [1, 0, 0]), rigid.transformVector(table, [0, 0, 1])];
  pen.face(circle([0, 0, 0], u, w, TABLE_RADIUS), 'top');
  pen.line([[0, 0.005, 0], w.map((c) => TABLE_RADIUS * c)], 'thin');
  pen.box(table, [-0.12, 0, -0.12], [0.12, 0.1, 0.12]);
  pen.box(frameOf(figure, pose, 'arm'), [-0.035, 0, -0.035], [0.035, ARM_LENGTH - 0.06, 0.035]);
  const head = frameOf(figure, pose, 'head');
  pen.box(head, [-0.1, -0.1, -0.12], [0.1, 0.1, 0.16], 'lamp');
  const fin = [
    [0, 0.1, -0.1],
    [0, 0.27, -0.06],
    [0, 0.1, 0.12],
  ].map((p) => rigid.transformPoint(head, p));
  pen.face(fin, 'lamp');
  pen.axes(head, 0.42);
  const at = worldTarget(figure, pose, target);
  const light = rigid.transformPoint(head, [0, 0, 0.16]);
  const reach = Math.hypot(...at.map((c, k) => c - light[k]));
  const end = rigid.transformPoint(head, [0, 0, 0.16 + reach]);
  pen.line([light, end], aimed.angle > ON_TARGET ? 'mark' : 'accent');
  // Where the light pointed before.
  const before = frameOf(figure, from, 'head');
  pen.line(
    [0.1, 0.8].map((z) => rigid.transformPoint(before, [0, 0, z])),
    'ghost',
  );
  // Where the target is above the ground.
  pen.line([at, [at[0], 0, at[2]]], 'ghost thin');
  pen.dot([at[0], 0, at[2]], 3, 'hollow');
  const frame = [1, 0, 0, 0, 1, 0, 0, 0, 1, -1.05, 0, -0.45];
  pen.axes(frame, 0.35);
  pen.label([-1.05, 0, -0.45], 'world', 'soft', [-14, 18]);
  for (const [k, name] of ['x', 'y', 'z'].entries()) {
    const end = rigid.transformPoint(
      frame,
      [0, 1, 2].map((n) => (n === k ? 0.35 : 0)),
    );
    pen.label(end, name, 'soft', [5, 4]);
  }
}

onSlider('#table', (degrees) => {
  stop();
  find('#table-value').textContent = `${formatNumber(degrees, 0)}°`;
  aimed.pose[0] = degrees * RADIANS;
  update();
});
onSlider('#arm', (degrees) => {
  stop();
  find('#arm-value').textContent = `${formatNumber(degrees, 0)}°`;
  aimed.pose[1] = degrees * RADIANS;
  update();
});
carried.addEventListener('change', () => {
  stop();
  setTarget(worldTarget(figure, aimed.pose, target));
  update();
});
start.addEventListener('change', () => {
  stop();
  update();
});
onSwitch('#limit', (checked) => {
  stop();
  figure = createLamp(checked);
  update();
});
find('#loop').addEventListener('click', () => {
  stop();
  carried.checked = false;
  let done = 0;
  target = loopTarget(figure, aimed.pose, 0);
  // From rest: what the loop leaves is its own.
  aimed.pose.fill(0, 2);
  update();
  const before = rollOf(frameOf(figure, aimed.pose, 'head'));
  player.start(4, (share) => {
    for (; done < Math.round(share * LOOP_STEPS); ) {
      target = loopTarget(figure, aimed.pose, ++done);
      if (done < LOOP_STEPS) aimed = aimHead(figure, start.value as Start, aimed.pose, target);
    }
    update();
    if (share < 1) return;
    const change = rollOf(frameOf(figure, aimed.pose, 'head')) - before;
    const wrapped = change - 2 * Math.PI * Math.round(change / (2 * Math.PI));
    finding = `Back where it began, the light has the same direction, and the roll has changed by ${formatDegrees(wrapped, 1)}.`;
    update();
  });
});
setReady();
