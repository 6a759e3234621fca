import '../shared/needs-webgl.js';
import { quat } from 'poise/math';
import { quatFromRotationVector } from 'poise/rotation';
import * as THREE from 'three';
import { onColor, prefersStillness } from '../shared/page.js';
import { figures } from './model/figures.js';
import { type Parameterization, parameterizations } from './model/parameterizations.js';
import { createMotion, DURATION, type Target, targetAt } from './model/path.js';
import { createPanel } from './panel.js';
import { advanceRunner, createRunner, type Runner } from './runner.js';
import { type ArmView, createArmView, createStage, createTargetView } from './scene.js';

const DT = 1 / 60;
/** Width of a panel's text, px. */
const NUMBERS = 220;
const input = <T extends HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element #${id}`);
  return found as T;
};
const stage = input<HTMLElement>('stage');
const play = input<HTMLButtonElement>('play');
const time = input<HTMLInputElement>('time');
const region = input<HTMLInputElement>('region');
const quaternion = input<HTMLSelectElement>('quaternion');
const seed = input<HTMLInputElement>('seed');
const choice = input<HTMLSelectElement>('figure');

const renderer = new THREE.WebGLRenderer({ canvas: input<HTMLCanvasElement>('view'), antialias: true });
onColor('--paper', (color) => renderer.setClearColor(color));
const { scene, camera } = createStage();
const targetView = createTargetView();
scene.add(targetView.group);

const formOf = (key: string): Parameterization => {
  const parameterization = parameterizations.find((each) => each.key === key);
  if (parameterization === undefined) throw new Error(`no parameterization ${key}`);
  return parameterization;
};
/** Parameterization of each panel; the second follows the selected quaternion parameterization. */
const keys = (): string[] => ['euler', quaternion.value, 'vector', 'regularized'];
const panels = ['euler', 'quaternion', 'vector', 'regularized'].map((key) => {
  const panel = createPanel(key);
  stage.append(panel.element);
  return panel;
});

let dragged = figures[Number(choice.value)];
let views = createViews();
let motion = createMotion(dragged, Number(seed.value));
let runners: Runner[] = [];
let t = 0;
let playing = !prefersStillness();
/** The target while it is dragged. */
let byHand: { position: number[]; rotation: number[] } | undefined;

function createViews(): ArmView[] {
  return panels.map(() => {
    const view = createArmView(dragged);
    scene.add(view.group);
    return view;
  });
}

/** Sets every arm to the motion's pose at a time, in the chart nearest to zero. */
function restart(at: number): void {
  t = at;
  byHand = undefined;
  runners = keys().map((key) => createRunner(dragged, formOf(key), motion, at, 10 ** Number(region.value)));
}

function target(): Target {
  if (byHand === undefined) return targetAt(dragged, motion, t);
  return {
    position: byHand.position,
    rotation: byHand.rotation,
    velocity: [0, 0, 0],
    angularVelocity: [0, 0, 0],
  };
}

function setPlaying(on: boolean): void {
  playing = on;
  play.textContent = on ? 'Pause' : 'Play';
}

function step(): void {
  const moving = playing && byHand === undefined;
  if (moving && t >= DURATION) setPlaying(false);
  if (playing || byHand !== undefined) {
    const wanted = target();
    if (moving) t = Math.min(DURATION, t + DT);
    const shown = target();
    for (const runner of runners) advanceRunner(runner, wanted, shown, DT);
  }
  targetView.show(target());
}

function draw(): void {
  const { clientWidth: width, clientHeight: height } = stage;
  renderer.setSize(width, height, false);
  renderer.setScissorTest(true);
  const columns = width > 700 ? 2 : 1;
  const rows = panels.length / columns;
  const w = width / columns;
  const h = height / rows;
  camera.aspect = w / h;
  // The text is on the left: the arm is centred in the rest.
  camera.setViewOffset(w, h, -Math.min(NUMBERS / 2, w / 8), 0, w, h);
  camera.updateProjectionMatrix();
  panels.forEach((panel, n) => {
    const left = (n % columns) * w;
    const top = Math.floor(n / columns) * h;
    views.forEach((view, k) => {
      view.group.visible = k === n;
      if (k === n) view.show(runners[n].arm);
    });
    renderer.setViewport(left, height - top - h, w, h);
    renderer.setScissor(left, height - top - h, w, h);
    renderer.render(scene, camera);
    panel.place(left, top, w, h);
    panel.show(runners[n]);
  });
  time.value = String(t);
  input<HTMLOutputElement>('time-value').value = `${t.toFixed(2)} s`;
  input<HTMLOutputElement>('region-value').value = (10 ** Number(region.value)).toPrecision(2);
}

let before = performance.now();
let owed = 0;
function frame(now: number): void {
  // Fixed steps of 1/60 s at any frame rate; a hidden page does not catch up.
  owed = Math.min(owed + (now - before) / 1000, 0.5);
  before = now;
  for (; owed >= DT; owed -= DT) step();
  draw();
  document.documentElement.dataset.ready = 'true';
  requestAnimationFrame(frame);
}

play.addEventListener('click', () => {
  if (t >= DURATION) restart(0);
  byHand = undefined;
  setPlaying(!playing);
});
time.addEventListener('input', () => {
  restart(Number(time.value));
  targetView.show(target());
});
quaternion.addEventListener('change', () => restart(t));
region.addEventListener('input', () => restart(t));
choice.addEventListener('change', () => {
  dragged = figures[Number(choice.value)];
  for (const view of views) view.dispose();
  views = createViews();
  newPath();
});
const newPath = (): void => {
  motion = createMotion(dragged, Number(seed.value));
  restart(0);
  setPlaying(true);
};
seed.addEventListener('change', newPath);
input('draw').addEventListener('click', () => {
  seed.value = String(crypto.getRandomValues(new Uint32Array(1))[0]);
  newPath();
});
input('restart').addEventListener('click', () => {
  restart(0);
  setPlaying(true);
});
input('controls').addEventListener('submit', (event) => event.preventDefault());

stage.addEventListener('pointerdown', (event) => {
  const { position, rotation } = targetAt(dragged, motion, t);
  byHand ??= { position: Array.from(position), rotation: Array.from(rotation) };
  stage.setPointerCapture(event.pointerId);
});
stage.addEventListener('pointermove', (event) => {
  if (byHand === undefined || !stage.hasPointerCapture(event.pointerId)) return;
  const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
  const up = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
  if (event.shiftKey) {
    // A rotation about the screen axis perpendicular to the movement, 1/100 rad a pixel.
    const axis = up.multiplyScalar(0.01 * event.movementX).addScaledVector(right, 0.01 * event.movementY);
    byHand.rotation = quat.multiply(quatFromRotationVector(axis.toArray()), byHand.rotation);
    quat.normalize(byHand.rotation, byHand.rotation);
    return;
  }
  const direction = right
    .multiplyScalar(0.002 * event.movementX)
    .addScaledVector(up, -0.002 * event.movementY);
  byHand.position = byHand.position.map((x, k) => x + direction.getComponent(k));
});

restart(0);
setPlaying(playing);
requestAnimationFrame(frame);
