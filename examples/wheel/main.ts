import { bindFigure, FigureSolver, LimitHelper, type SceneGoal } from '@poise/three';
import type { IkResult } from 'poise/ik';
import { CylinderGeometry, Group, Mesh, MeshStandardMaterial, Object3D, TorusGeometry, Vector3 } from 'three';
import { standAtEase } from '../shared/at-ease.js';
import { createCharacter } from '../shared/character.js';
import { find, inWords, onSlider, onSwitch, showNumber, showResult, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';

const stage = createStage({ middle: [0, 0.96, 0.15], from: [2.15, 1.0, 2.8] });
const { figure, root, bones } = createCharacter();
standAtEase(bones);
stage.scene.add(root);

const RADIUS = 0.21;
/** Distance from its grip up to which a hand holds it, m. */
const AT_GRIP = 1e-3;
/** Distance of a wrist from the rim's centre line, m. */
const WRIST = 0.075;
/** Distance of the middle of a hand from that line, m: half the rim and half a palm. */
const BESIDE = 0.04;

/** A steering wheel on a stand; its own z axis is the axle, towards the driver. */
function createWheel(): Group {
  const dark = new MeshStandardMaterial({ color: '#33404f', roughness: 0.5 });
  const light = new MeshStandardMaterial({ color: '#8c99a8', roughness: 0.4, metalness: 0.3 });
  const wheel = new Group();
  wheel.add(new Mesh(new TorusGeometry(RADIUS, 0.017, 18, 64), dark));
  wheel.add(new Mesh(new CylinderGeometry(0.045, 0.045, 0.03, 32).rotateX(Math.PI / 2), dark));
  for (const angle of [0, Math.PI, -Math.PI / 2]) {
    const spoke = new Mesh(new CylinderGeometry(0.011, 0.011, RADIUS, 12).translate(0, RADIUS / 2, 0), light);
    spoke.rotation.z = angle - Math.PI / 2;
    wheel.add(spoke);
  }
  return wheel;
}

const column = new Group();
column.position.set(0, 1.17, 0.44);
column.rotation.set(-0.42, Math.PI, 0, 'YXZ');
const wheel = createWheel();
column.add(wheel);
const post = new Mesh(
  new CylinderGeometry(0.02, 0.02, 1.3, 20).translate(0, -0.65, 0),
  new MeshStandardMaterial({ color: '#8c99a8', roughness: 0.4, metalness: 0.3 }),
);
post.rotation.x = -0.1;
const stand = new Group();
stand.add(post);
stage.scene.add(column, stand);
for (const part of [wheel, stand]) {
  part.traverse((object) => {
    object.castShadow = true;
  });
}

/** Grip frame on the rim: fingers ahead, palm to the wheel's centre, thumb along the rim. */
function createGrip(side: 'left' | 'right'): Object3D {
  const grip = new Object3D();
  // Seen from the driver the column is turned about, so the left hand is at -x of the wheel.
  const out = side === 'left' ? -1 : 1;
  grip.position.set(out * (RADIUS + BESIDE), 0.02, WRIST);
  // Frames of the hands at rest: fingers along +-x, back of the hand +y, thumb +z.
  grip.quaternion.set(-0.5, -0.5 * out, -0.5 * out, 0.5);
  wheel.add(grip);
  return grip;
}

const grips = { left: createGrip('left'), right: createGrip('right') };
const goals: SceneGoal[] = (['left', 'right'] as const).flatMap((side): SceneGoal[] => [
  { type: 'position', bone: `${side}Hand`, target: grips[side], tolerance: 5e-4 },
  // Lower priority than the position: the hand has the orientation of its grip within the wrist's limits, free about the rim, its z.
  {
    type: 'orientation',
    bone: `${side}Hand`,
    target: grips[side],
    mask: [1, 1, 0],
    priority: 1,
    tolerance: 0.02,
  },
]);
// Lowest priority: the trunk stays upright.
const trunk = ['spine', 'chest', 'upperChest', 'leftShoulder', 'rightShoulder'];
goals.push({ type: 'posture', bones: trunk, stiffness: [4, 4, 4, 1, 1], priority: 2 });
const solver = new FigureSolver(bindFigure(figure, root), goals, { locked: ['hips'] });
const arms = figure.bones.map(({ name }) => name).filter((name) => /Shoulder|Arm|Hand/.test(name));
const limits = new LimitHelper(solver, { bones: arms });
stage.scene.add(limits);

let time = 0;
let rotatesAlone = true;
const angle = onSlider('#angle', turnTo);
const height = onSlider('#height', (metres) => {
  column.position.y = metres;
  find('#height-value').textContent = `${metres.toFixed(2)} m`;
  stand.position.set(0, metres, 0.47);
});
onSwitch('#alone', (checked) => {
  rotatesAlone = checked;
  time = Math.asin(Math.min(1, Math.max(-1, angle.valueAsNumber / 75))) / 0.9;
});
onSwitch('#limits', (checked) => {
  limits.visible = checked;
});
for (const input of [angle, height]) {
  input.addEventListener('input', () => {
    if (input === angle) rotatesAlone = find<HTMLInputElement>('#alone').checked = false;
  });
}

function turnTo(degrees: number): void {
  wheel.rotation.z = (degrees * Math.PI) / 180;
  find('#turned').textContent = `${Math.round(degrees)}°`;
}

/** @param gap - Of the hand that is farther from its grip, m. */
function showHands(result: IkResult, gap: number): void {
  if (gap > AT_GRIP || result.status === 'converged') showResult(result);
  else {
    // The positions go first: where they are met, a limit holds an orientation at most.
    const ends = result.activeLimits.map(({ bone }) => inWords(bone));
    showWords(result.status, 'good', 'Both hands hold it; at their end', ends);
  }
}

const hand = new Vector3();
const position = new Vector3();
stage.start((seconds) => {
  time += seconds;
  if (rotatesAlone) {
    angle.value = String(75 * Math.sin(0.9 * time));
    turnTo(angle.valueAsNumber);
  }
  const result = solver.update(seconds);
  root.updateMatrixWorld(true);
  let max = 0;
  for (const side of ['left', 'right'] as const) {
    bones[`${side}Hand`].getWorldPosition(hand);
    max = Math.max(max, hand.distanceTo(grips[side].getWorldPosition(position)));
  }
  showHands(result, max);
  showNumber('#gap', max, `${(1000 * max).toFixed(1)} mm`);
  if (limits.visible) limits.update();
});
