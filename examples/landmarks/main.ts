import { bindFigure } from '@poise/three';
import { createPose, humanFigure } from 'poise/figure';
import {
  BODY_LANDMARKS,
  bodyLandmarks,
  createLandmarkFit,
  fitLandmarks,
  fromMediaPipe,
  solveLandmarks,
} from 'poise/ik';
import { createCharacter } from '../shared/character.js';
import { find, onSlider, onSwitch, showNumber } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { createCloud } from './cloud.js';
import { FRAMES_PER_SECOND, observe, record } from './recording.js';

const stage = createStage({ middle: [0.15, 0.95, 0], from: [0.6, 0.5, 4.6] });
const { frames } = record();

// Once: how tall the person is, from one frame in ten.
const human = humanFigure();
const sample = frames
  .filter((_, k) => k % 10 === 0)
  .map((frame, k) => fromMediaPipe(observe(frame, 0.01, 0.1, k)));
const { figure } = fitLandmarks(
  human,
  sample.map(({ positions }) => positions),
  { landmarks: bodyLandmarks(human), lengths: 'scale' },
  sample.map(({ confidences }) => confidences),
);

const { root } = createCharacter(figure);
const binding = bindFigure(figure, root);
const cloud = createCloud();
root.add(cloud.object);
stage.scene.add(root);

const landmarks = bodyLandmarks(figure);
const fit = createLandmarkFit(figure, { landmarks });
const pose = createPose(figure);
const left = BODY_LANDMARKS.indexOf('left_foot_index');

let noise = 0;
let missing = 0;
let plays = true;
onSlider('#noise', (millimetres) => {
  noise = millimetres / 1000;
  find('#noise-value').textContent = `${millimetres} mm`;
});
onSlider('#missing', (percent) => {
  missing = percent / 100;
  find('#missing-value').textContent = `${percent} %`;
});
onSwitch('#play', (checked) => {
  plays = checked;
});
onSwitch('#points', (checked) => {
  cloud.object.visible = checked;
});

let time = 0;
let shown = -1;
let milliseconds = 0;
stage.start((seconds) => {
  if (plays) time += seconds;
  const count = Math.floor(time * FRAMES_PER_SECOND);
  if (count === shown) return;
  shown = count;
  const seen = fromMediaPipe(observe(frames[count % frames.length], noise, missing, count));
  const before = performance.now();
  const { status, observed, rms } = solveLandmarks(fit, seen.positions, pose, seen.confidences);
  milliseconds += 0.1 * (performance.now() - before - milliseconds);
  binding.writePose(pose);
  cloud.update(seen.positions, seen.confidences);
  // Landmarks are seen from the hips: the floor is where the lower foot is.
  const feet = [left, left + 1].map((m) => seen.positions[3 * m + 1]);
  root.position.y += 0.3 * (0.022 - Math.min(...feet) - root.position.y);

  const words =
    status === 'unobserved' ? 'Nothing to be seen' : `Fitted to ${observed} of ${landmarks.length} points`;
  const element = find('#status');
  element.dataset.status = status;
  element.dataset.tone = status === 'unobserved' ? 'far' : 'good';
  element.textContent = words;
  showNumber('#rms', rms, `${(1000 * rms).toFixed(1)} mm`);
  showNumber('#cost', milliseconds, `${milliseconds.toFixed(2)} ms`);
});
