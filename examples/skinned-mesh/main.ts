import { bindFigure, FigureSolver, figureFromObject3D } from '@poise/three';
import { createCharacter } from '../shared/character.js';
import { createHandle } from '../shared/handle.js';
import { showResult } from '../shared/page.js';
import { createStage } from '../shared/stage.js';

const stage = createStage();
const { root } = createCharacter(); // any object with a skinned mesh under it
stage.scene.add(root);

const { figure } = figureFromObject3D(root, {
  joints: { leftLowerArm: { type: 'hinge', axis: [0, -1, 0] } },
  limits: { leftLowerArm: { type: 'interval', min: 0, max: 2.6 } },
});
const hand = createHandle(stage, 'Left hand', [0.5, 1.2, 0.35]);
const solver = new FigureSolver(
  bindFigure(figure, root),
  [{ type: 'position', bone: 'leftHand', target: hand }],
  { locked: ['hips', 'spine', 'chest', 'upperChest'] },
);
stage.start((seconds) => showResult(solver.update(seconds)));
