import { bindFigure, FigureSolver, LimitHelper, type SceneGoal } from '@poise/three';
import { type BoneData, createFigure, figureToData } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  BufferAttribute,
  BufferGeometry,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  SphereGeometry,
  Vector3,
} from 'three';
import { standAtEase } from '../shared/at-ease.js';
import { createCharacter } from '../shared/character.js';
import { createHandle } from '../shared/handle.js';
import { find, onSlider, onSwitch, showNumber, showResult } from '../shared/page.js';
import { createStage } from '../shared/stage.js';

/** Radius of an eye, m. */
const EYE = 0.0165;

const stage = createStage({ middle: [0, 1.42, 0.05], from: [0.8, 0.2, 2.6] });

/** An eye rotates about its centre, up to 30 degrees, without roll. */
function eye(name: string, x: number): BoneData {
  return {
    name,
    parent: 'head',
    rest: { position: [x, 0.066, 0.09] },
    joint: { type: 'swing', axis: [0, 0, 1] },
    limit: { type: 'cone', halfAngle: Math.PI / 6 },
    tip: [0, 0, 0.03],
  };
}
const human = figureToData(createHumanFigure());
const figure = createFigure({
  ...human,
  bones: [...human.bones, eye('leftEye', 0.031), eye('rightEye', -0.031)],
});
const { root, bones } = createCharacter(figure);
for (const name of ['leftEye', 'rightEye']) addEyeball(bones[name]);
standAtEase(bones);
stage.scene.add(root);

const ball = createHandle(stage, 'Target', [0.5, 1.6, 0.9], {
  min: [-2, 0.1, -1.2],
  max: [2, 2.6, 2],
});
const goal: SceneGoal<'look-at'> = {
  type: 'look-at',
  bone: ['leftEye', 'rightEye'],
  axis: [0, 0, 1],
  target: ball,
  tolerance: 0.01,
  chain: [
    { bone: 'leftEye', share: 1 },
    { bone: 'rightEye', share: 1 },
    { bone: 'head', share: 3 },
    { bone: 'neck', share: 2 },
    { bone: 'upperChest', share: 0.7 },
    { bone: 'chest', share: 0.5 },
  ],
};
const solver = new FigureSolver(bindFigure(figure, root), [goal], { locked: ['hips', 'spine'] });
const eyes = [bones.leftEye, bones.rightEye];
const sights = new BufferAttribute(new Float32Array(6 * eyes.length), 3);
const lines = new LineSegments(
  new BufferGeometry().setAttribute('position', sights),
  new LineBasicMaterial({ color: '#0f7d74' }),
);
lines.frustumCulled = false;
const limits = new LimitHelper(solver, {
  bones: ['leftEye', 'rightEye', 'head', 'neck', 'upperChest', 'chest'],
});
stage.scene.add(lines, limits);

onSlider('#weight', (weight) => {
  solver.weight = weight;
  find('#weight-value').textContent = `${Math.round(100 * weight)} %`;
});
onSwitch('#limits', (checked) => {
  limits.show = checked ? 'all' : 'touched';
});
let goesAround = true;
const around = onSwitch('#around', (checked) => {
  goesAround = checked;
});
find('[data-handle=Target]').addEventListener('pointerdown', stay);
find('[data-handle=Target]').addEventListener('keydown', stay);

/** Once the user drags the target, it no longer moves by itself. */
function stay(): void {
  goesAround = around.checked = false;
}

const from = new Vector3();
let time = 0;
stage.start((seconds) => {
  if (goesAround) {
    time += seconds;
    ball.position.set(0.55 * Math.sin(0.7 * time), 1.55 + 0.25 * Math.sin(1.1 * time), 0.75);
  }
  const result = solver.update(seconds);
  showResult(result);
  const aims = result.residuals.filter(({ component }) => component === 'aim');
  const worst = Math.max(0, ...aims.map(({ value }) => value));
  showNumber('#gap', worst, `${((180 * worst) / Math.PI).toFixed(1)}°`);
  eyes.forEach((eye, n) => {
    // From the pupil.
    eye.localToWorld(from.set(0, 0, EYE)).toArray(sights.array, 6 * n);
    ball.position.toArray(sights.array, 6 * n + 3);
  });
  sights.needsUpdate = true;
  limits.update();
});

function addEyeball(bone: Object3D): void {
  const white = new Mesh(
    new SphereGeometry(EYE, 32, 20),
    new MeshStandardMaterial({ color: '#f7f9fa', roughness: 0.25 }),
  );
  const pupil = new Mesh(
    new SphereGeometry(0.0168, 32, 20, 0, 2 * Math.PI, 0, 0.46).rotateX(Math.PI / 2),
    new MeshStandardMaterial({ color: '#22303f', roughness: 0.2 }),
  );
  bone.add(white, pupil);
}
