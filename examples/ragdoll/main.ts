import { FigureSimulation, SimulationHelper } from '@poise/three';
import { PoiseError } from 'poise';
import { type Material, type Mesh, type Object3D, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { createCharacter } from '../shared/character.js';
import { find, onSlider, onSwitch, prefersStillness, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { Cast, fitToStairs } from './cast.js';
import { EnergyPlot } from './plot.js';
import { Pointer } from './pointer.js';
import { createStairs, world } from './stairs.js';

/** Most steps of a frame, and their time budget, ms: a slow machine shows slow motion. */
const MAX_STEPS = 6;
const BUDGET = 30;
/** Opacity of bodies while shapes are shown. */
const FADED = 0.45;
/** Weight of a new frame in the running mean of the cost. */
const FRESH = 0.1;

const stage = createStage({ middle: [0.1, 1.05, 0], from: [2.1, 1.1, 6.3] });
const simulation = new FigureSimulation({ world, maxSubSteps: MAX_STEPS });
const cast = new Cast(simulation, stage.scene, createCharacter().root);
const pointer = new Pointer(stage, simulation, cast);
const helper = new SimulationHelper(simulation);
const plot = new EnergyPlot(find('#plot'));
stage.scene.add(createStairs(), helper);

/** Materials that are transparent by themselves. */
const clear = new WeakSet<Material>();

const seen = new Vector3();
let count = 1;
let speed = 1;
/** Simulation time of the last drop, s. */
let began = 0;
let milliseconds: number | undefined;

function drop(): void {
  pointer.release();
  cast.drop(count);
  began = simulation.simulation?.time ?? 0;
  milliseconds = undefined;
  plot.clear();
}

const changed = (): void => {
  if (cast.members.length !== count) drop();
};
onSlider('#count', (value) => {
  count = value;
  find('#count-value').textContent = String(value);
  changed();
});
onSlider('#gravity', (value) => {
  find('#gravity-value').textContent = `${value.toFixed(1)} m/s²`;
  if (simulation.gravity[1] !== -value) simulation.gravity = [0, -value, 0];
});
onSwitch('#slow', (checked) => {
  speed = checked ? 0.2 : 1;
});
const shapes = onSwitch('#shapes', (checked) => {
  helper.visible = checked;
  for (const { root } of cast.members) fade(root, checked);
});
/** Whether time passes: not before it is asked for, where less motion is wished for. */
let falls = !prefersStillness();
const fall = (): void => {
  falls = true;
};
for (const place of ['#drop', '#push', '#stage']) find(place).addEventListener('pointerdown', fall);
for (const button of ['#drop', '#push']) find(button).addEventListener('click', fall);
find('#drop').addEventListener('click', drop);
find('#push').addEventListener('click', () => {
  // An impulse to each chest, away from the camera.
  const blow = stage.camera.getWorldDirection(new Vector3());
  for (const { ragdoll } of cast.members) {
    const bone =
      ragdoll.ragdoll.humanoid?.bones.chest ?? ragdoll.figure.bones.findIndex(({ dof }) => dof > 0);
    const object = ragdoll.binding.objects[bone];
    if (!object) continue;
    const point = object.getWorldPosition(new Vector3());
    simulation.applyImpulseAt(
      { object, point, distance: 0 },
      blow.clone().multiplyScalar(1.6 * ragdoll.ragdoll.mass),
    );
  }
});

/** Makes the bodies transparent while shapes are shown. */
function fade(root: Object3D, faded: boolean): void {
  root.traverse((object) => {
    if (!('isMesh' in object)) return;
    for (const material of [(object as Mesh).material].flat()) {
      if (faded && material.transparent && material.opacity !== FADED) clear.add(material);
      if (clear.has(material)) continue;
      material.transparent = faded;
      material.opacity = faded ? FADED : 1;
      material.needsUpdate = true;
    }
  });
}

stage.start((seconds) => {
  const before = performance.now();
  const affordable = Math.max(1, Math.floor(BUDGET / (milliseconds ?? 1)));
  const report = simulation.update(Math.min(falls ? speed * seconds : 0, affordable * simulation.timeStep));
  const spent = performance.now() - before;
  pointer.update();
  if (helper.visible) helper.update();
  const now = simulation.simulation;
  if (report === undefined || now === undefined) return;
  const { steps } = simulation;
  if (steps > 0) {
    const each = spent / steps;
    milliseconds = milliseconds === undefined ? each : (1 - FRESH) * milliseconds + FRESH * each;
    plot.add(now.time - began, report);
  }
  const { length } = now.actors;
  const moving = length - report.asleep;
  if (!falls) showWords('waiting', 'far', 'Press Drop again to let it fall', []);
  else if (pointer.holds) showWords('held', 'far', 'Pulled', []);
  else if (moving === 0) showWords('asleep', 'good', length === 1 ? 'At rest' : `All ${length} at rest`, []);
  else showWords('moving', 'idle', length === 1 ? 'Moves' : `${moving} of ${length} move`, []);
  find('#plot').dataset.kinetic = String(report.kinetic);
  showNumber('#depth', report.depth, `${(1000 * report.depth).toFixed(1)} mm`);
  showNumber('#contacts', report.touching, String(report.touching));
  showNumber('#cost', milliseconds ?? 0, `${(milliseconds ?? 0).toFixed(2)} ms`);
  document.documentElement.dataset.time = String(now.time - began);
  showPosition();
});

/** Writes the first body's position on the page, px, for tests. */
function showPosition(): void {
  const [{ ragdoll }] = cast.members;
  const object = ragdoll.binding.objects[ragdoll.ragdoll.humanoid?.bones.hips ?? 0];
  if (object === undefined) return;
  const { x, y } = object.getWorldPosition(seen).project(stage.camera);
  const { left, top, width, height } = stage.renderer.domElement.getBoundingClientRect();
  find('#stage').dataset.body =
    `${(left + (0.5 + 0.5 * x) * width).toFixed(0)} ${(top + (0.5 - 0.5 * y) * height).toFixed(0)}`;
}

async function open(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  const problem = find('#problem');
  problem.textContent = '';
  try {
    const { scene } = await new GLTFLoader().parseAsync(await file.arrayBuffer(), '');
    fitToStairs(scene);
    scene.traverse((object) => {
      object.castShadow = true;
    });
    pointer.release();
    cast.recast(scene);
    drop();
    fade(scene, shapes.checked);
    find('#source').textContent = file.name;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    problem.textContent =
      error instanceof PoiseError ? `${file.name}: ${why}` : `${file.name}: cannot be read as GLB. ${why}`;
  }
}

const input = find<HTMLInputElement>('#file');
input.addEventListener('change', () => {
  void open(input.files?.[0]);
  input.value = '';
});
find('#open').addEventListener('click', () => input.click());
window.addEventListener('dragover', (event) => event.preventDefault());
window.addEventListener('drop', (event) => {
  event.preventDefault();
  void open(event.dataTransfer?.files[0]);
});
