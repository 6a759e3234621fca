import { readUrdf } from '@poise/formats/urdf';
import { bindFigure, FigureSolver, LimitHelper, type SceneGoal } from '@poise/three';
import { Euler, MathUtils } from 'three';
import { createHandle } from '../shared/handle.js';
import { find, onSlider, onSwitch, showNumber, showResult } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { createArm } from './arm-model.js';
import { armUrdf } from './arm-urdf.js';

const stage = createStage({ middle: [0.16, 0.46, 0.1], from: [-0.75, 0.5, 2.1] });
const { figure, joints } = readUrdf(armUrdf, { upAxis: 'y' });
const arm = createArm(figure);
stage.scene.add(arm);

const tool = createHandle(stage, 'Tool', [0.35, 0.45, 0.35], {
  min: [-1.2, 0, -1.2],
  max: [1.2, 1.4, 1.2],
});
const reach: SceneGoal<'position'> = { type: 'position', bone: 'tool', target: tool };
// The rotation about its own z is free.
const aim: SceneGoal<'orientation'> = { type: 'orientation', bone: 'tool', target: tool, mask: [1, 1, 0] };
// An arm has no animation to return to: each solve starts from the last pose.
const solver = new FigureSolver(bindFigure(figure, arm), [reach, aim], {
  memory: Number.POSITIVE_INFINITY,
  restarts: 8,
});
const limits = new LimitHelper(solver, { show: 'touched', radius: 0.16 });
stage.scene.add(limits);

/** The tool points along its own +z: down, leaning by a slider. */
onSlider('#lean', (degrees) => {
  tool.quaternion.setFromEuler(new Euler(Math.PI / 2 + MathUtils.degToRad(degrees), 0, 0));
  find('#lean-value').textContent = `${degrees}°`;
});
onSwitch('#aim', (checked) => {
  aim.blend = checked ? 1 : 0;
});
onSwitch('#limits', (checked) => {
  limits.show = checked ? 'all' : 'touched';
});

const list = find('#angles');
const outputs = [...joints.values()]
  .filter(({ dof }) => dof > 0)
  .map(({ name, coordinate }) => {
    const term = document.createElement('dt');
    term.textContent = name;
    const output = document.createElement('dd');
    list.append(term, output);
    return { output, coordinate };
  });

stage.start((seconds) => {
  const result = solver.update(seconds);
  showResult(result);
  const [{ value }] = result.residuals;
  showNumber('#gap', value, `${(1000 * value).toFixed(1)} mm`);
  for (const { output, coordinate } of outputs) {
    // Avoids -0.
    output.textContent = `${Math.round(MathUtils.radToDeg(solver.pose[coordinate])) || 0}°`;
  }
  limits.update();
});
