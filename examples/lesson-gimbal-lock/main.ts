import { circle, createDrawing, type Pen } from '../shared/drawing.js';
import { createPlayer, formatDegrees, formatNumber, formatVector, say, setReady } from '../shared/lesson.js';
import { find, onSlider, showNumber } from '../shared/page.js';
import { angleBetween, gimbalAt, ORDERS, type Order, oppose, vectorForm } from './model.js';

const RADIANS = Math.PI / 180;
/** Radii of the fixed ring and the two others, m. */
const RADII = [1.5, 1.25, 1];
const KINDS = ['y', 'x', 'z'];
/** Half the size of the box, m. */
const BOX = [0.5, 0.24, 0.36];
/** How far the rings are rotated against each other, rad. */
const OPPOSED = Math.PI / 3;
/** Determinant below which the lock is called one: within about one degree of it. */
const NEAR = 0.02;
const ORIGIN = [0, 0, 0];

const sliders = ['#first', '#middle', '#last'].map((id) => find<HTMLInputElement>(id));
const order = find<HTMLSelectElement>('#order');
const player = createPlayer();
/** rad */
let angles = sliders.map((slider) => slider.valueAsNumber * RADIANS);
/** Words about the last experiment. */
let finding = '';

const drawing = createDrawing(find('#picture'), {
  label: 'A box in three rings, with the axis of each',
  middle: ORIGIN,
  size: [3.7, 3.5],
  yaw: 0.55,
  pitch: 0.3,
  paint,
});

/** Within half a turn, and shown by the sliders to a degree. */
function setAngles(to: readonly number[]): void {
  angles = to.map((angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI)));
  for (const [n, slider] of sliders.entries()) slider.value = String(Math.round(angles[n] / RADIANS));
}

function paint(pen: Pen): void {
  const { axes, rotation, lost, determinant } = gimbalAt(order.value as Order, angles);
  // A ring lies in the plane of the axis that it rotates about and of the one that it carries.
  pen.line(circle(ORIGIN, axes[0], [1, 0, 0], RADII[0], 72), 'cradle');
  pen.line(circle(ORIGIN, axes[0], axes[1], RADII[1], 72), `ring ${KINDS[0]}`);
  pen.line(circle(ORIGIN, axes[1], axes[2], RADII[2], 72), `ring ${KINDS[1]}`);
  for (const [n, axis] of axes.entries()) {
    const inner = n < 2 ? RADII[n + 1] : 0.3;
    for (const sign of [-1, 1]) {
      const at = (r: number) => axis.map((c) => sign * r * c);
      pen.line([at(inner), at(RADII[n])], `wide ${KINDS[n]}`);
      pen.dot(at(RADII[n]), 5, KINDS[n]);
    }
  }
  const frame = [...rotation, 0, 0, 0];
  pen.box(
    frame,
    BOX.map((c) => -c),
    BOX,
  );
  const reach = 1.72;
  const ends = [-reach, reach].map((r) => lost.map((c) => r * c));
  const steps = Array.from({ length: 23 }, (_, n) => ends[0].map((c, k) => c + ((ends[1][k] - c) * n) / 22));
  for (let n = 0; n < 22; n += 2) pen.line([steps[n], steps[n + 1]], 'mark');
  if (determinant < NEAR) pen.label(ends[1], 'lost axis', '', [6, -6]);
}

function update(): void {
  const name = order.value as Order;
  const { rotation, lost, determinant, singularValue, rate } = gimbalAt(name, angles);
  const form = vectorForm(rotation, lost);
  for (const [n, slider] of sliders.entries())
    find(`#${slider.id}-value`).textContent = `${formatDegrees(angles[n])}`;
  find('#angles').textContent = angles.map((x) => formatDegrees(x)).join(', ');
  find('#vector').textContent = formatVector(form.vector);
  showNumber('#determinant', determinant, formatNumber(determinant, 3));
  showNumber('#vector-determinant', form.determinant, formatNumber(form.determinant, 3));
  showNumber('#singular', singularValue, formatNumber(singularValue, 3));
  showNumber('#vector-singular', form.singularValue, formatNumber(form.singularValue, 3));
  showNumber(
    '#rate',
    rate ?? Number.POSITIVE_INFINITY,
    rate === undefined ? 'none' : `× ${formatNumber(rate, 1)}`,
  );
  showNumber('#vector-rate', form.rate, `× ${formatNumber(form.rate, 1)}`);
  if (finding !== '') say('#said', finding);
  else if (rate === undefined)
    say(
      '#said',
      'Gimbal lock: the green and the blue axis are one line. No rates of the angles rotate the box about the dashed axis.',
      'warn',
    );
  else if (determinant < 0.2)
    say(
      '#said',
      `Close to the lock: the angles must be ${formatNumber(rate, 1)} times as fast as the box about the dashed axis.`,
      'warn',
    );
  else say('#said', 'Away from the lock: the three axes point in three directions.', 'good');
  drawing.redraw();
}

find('#lock').addEventListener('click', () => {
  finding = '';
  const from = angles;
  const to = ORDERS[order.value as Order];
  player.start(0.8, (share) => {
    setAngles([from[0], from[1] + share * (to - from[1]), from[2]]);
    update();
  });
});
find('#oppose').addEventListener('click', () => {
  const name = order.value as Order;
  const from = angles;
  const before = gimbalAt(name, from).rotation;
  let largest = 0;
  player.start(1.6, (share) => {
    setAngles(oppose(name, from, OPPOSED * share));
    largest = Math.max(largest, angleBetween(before, gimbalAt(name, angles).rotation));
    finding = `The two rings have rotated by ${formatDegrees(share * OPPOSED)} against each other, and the box by ${formatDegrees(largest, 1)}.`;
    find('#said').dataset.value = String(largest);
    update();
  });
});
for (const [n, slider] of sliders.entries()) {
  onSlider(`#${slider.id}`, (degrees) => {
    finding = '';
    player.stop();
    angles = angles.map((angle, k) => (k === n ? degrees * RADIANS : angle));
    update();
  });
}
order.addEventListener('change', () => {
  finding = '';
  update();
});
setReady();
