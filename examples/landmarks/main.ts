import { bindFigure } from '@poise/three';
import { PoiseError } from 'poise';
import { createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  BODY_LANDMARKS,
  bodyLandmarks,
  createLandmarkFit,
  fitLandmarks,
  fromMediaPipe,
  type LandmarkFrame,
  type LandmarkResult,
  solveLandmarks,
} from 'poise/ik';
import { Object3D, Vector3 } from 'three';
import { type Character, createCharacter, statureOf } from '../shared/character.js';
import { find, onSlider, onSwitch, showNumber } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { createCloud } from './cloud.js';
import { readRecording, writeRecording } from './read-recording.js';
import { type Frame, observe, type Recording, synthesise } from './recording.js';

const stage = createStage({ middle: [0.1, 0.95, 0], from: [0.6, 0.5, 4.6] });
const human = createHumanFigure();
/** Number of frames to which the person's size is fitted. */
const SAMPLE = 24;

let noise = 0;
let missing = 0;

/** Landmarks of a frame; undefined without a person. */
function seen(frame: Frame, seed: number, noise: number, missing: number): LandmarkFrame {
  return fromMediaPipe(observe(frame, noise, missing, seed) ?? BODY_LANDMARKS.map(() => null));
}

/** Distance of the back of a heel behind the ankle, and of the tip of the toes in front of their joint, over stature. */
const HEEL = 0.034;
const TIP = 0.042;

/** Corners of the soles: at rest they are on the floor. */
function createSoles(bones: Character['bones'], stature: number): Object3D[] {
  return ['left', 'right'].flatMap((side) =>
    (
      [
        ['Foot', -HEEL * stature],
        ['Toes', 0],
        ['Toes', TIP * stature],
      ] as const
    ).map(([name, ahead]) => {
      const bone = bones[`${side}${name}`];
      const corner = new Object3D();
      corner.position.set(0, -bone.getWorldPosition(new Vector3()).y, ahead);
      bone.add(corner);
      return corner;
    }),
  );
}

const corner = new Vector3();
const lowest = (points: readonly Object3D[]): number =>
  Math.min(...points.map((point) => point.getWorldPosition(corner).y));

/** A character that copies a recording, its size fitted to landmarks with noise and a fraction of missing points. */
function createPlayer(recording: Recording, noiseOfSample: number, missingOfSample: number) {
  const { frames, framesPerSecond } = recording;
  const people = frames.filter((frame) => frame !== null);
  const step = Math.max(1, Math.floor(people.length / SAMPLE));
  const sample = people
    .filter((_, k) => k % step === 0)
    .map((frame, k) => seen(frame, k, noiseOfSample, missingOfSample));
  const { figure } = fitLandmarks(
    human,
    sample.map(({ positions }) => positions),
    { landmarks: bodyLandmarks(human), lengths: 'scale' },
    sample.map(({ confidences }) => confidences),
  );
  const { root, mesh, bones } = createCharacter(figure);
  const binding = bindFigure(figure, root);
  const cloud = createCloud();
  root.add(cloud.object);
  stage.scene.add(root);
  const landmarks = bodyLandmarks(figure);
  // Webcams jitter: nearer to the frame before than by default, which halves the errors of feet and hands with 10 mm of noise.
  const fit = createLandmarkFit(figure, { landmarks, prior: 7e-3 });
  const pose = createPose(figure);
  const soles = createSoles(bones, statureOf(figure));

  return {
    recording,
    cloud,
    /** Fits frame `count` of the looped recording, and shows it. */
    show(count: number) {
      const { positions, confidences } = seen(frames[count % frames.length], count, noise, missing);
      const before = performance.now();
      const result = solveLandmarks(fit, positions, pose, confidences);
      const milliseconds = performance.now() - before;
      binding.writePose(pose);
      cloud.update(positions, confidences);
      // Landmarks are relative to the hips: the lowest point of the feet as they are drawn is on the floor.
      root.updateMatrixWorld(true);
      root.position.y -= lowest(soles);
      return { ...result, milliseconds, size: landmarks.length };
    },
    frameAt: (seconds: number) => Math.floor(seconds * framesPerSecond),
    dispose() {
      root.removeFromParent();
      mesh.geometry.dispose();
    },
  };
}

let player = createPlayer(synthesise(), 0.01, 0.1);
let plays = true;
let showsPoints = true;
let time = 0;
/** The frame shown; undefined after a change until it is drawn. */
let shown = -1;
/** Mean over the last frames, without the first of a recording, which needs a global search. */
let milliseconds: number | undefined;
let isFirst = true;

onSlider('#noise', (value) => {
  noise = value / 1000;
  find('#noise-value').textContent = `${value} mm`;
  shown = -1;
});
onSlider('#missing', (percent) => {
  missing = percent / 100;
  find('#missing-value').textContent = `${percent} %`;
  shown = -1;
});
onSwitch('#play', (checked) => {
  plays = checked;
});
onSwitch('#points', (checked) => {
  showsPoints = checked;
  shown = -1;
});

stage.start((seconds) => {
  if (plays) time += seconds;
  const count = player.frameAt(time);
  if (count === shown) return;
  shown = count;
  const result = player.show(count);
  player.cloud.object.visible = showsPoints;
  if (!isFirst) milliseconds = 0.9 * (milliseconds ?? result.milliseconds) + 0.1 * result.milliseconds;
  isFirst = false;
  const isSeen = result.status !== 'unobserved';
  const element = find('#status');
  element.dataset.status = result.status;
  const isFitted = result.status === 'fitted' || result.status === 'converged';
  element.dataset.tone = isFitted ? 'good' : isSeen ? 'warn' : 'far';
  const points = `${result.observed} of ${result.size} points`;
  element.textContent = isFitted
    ? `Fitted to ${points}`
    : isSeen
      ? `Not fitted to all of ${points}${inWords(result.missed)}`
      : 'Nobody in view';
  showNumber('#rms', result.rms, isSeen ? `${(1000 * result.rms).toFixed(1)} mm` : '–');
  showNumber(
    '#found-noise',
    result.noise,
    result.noise >= 0 ? `${(1000 * result.noise).toFixed(1)} mm` : '–',
  );
  if (milliseconds !== undefined) showNumber('#cost', milliseconds, `${milliseconds.toFixed(2)} ms`);
});

/** The points missed by more than their noise: ': left ankle 83 mm off'. */
function inWords(missed: LandmarkResult['missed']): string {
  const words = missed
    .slice(0, 3)
    .map(({ name, distance }) => `${name.replaceAll('_', ' ')} ${(1000 * distance).toFixed(0)} mm off`);
  return words.length === 0 ? '' : `: ${words.join(', ')}`;
}

/** Shows another recording, with noise and dropouts set to zero. */
function play(recording: Recording): void {
  const next = createPlayer(recording, 0, 0);
  for (const id of ['#noise', '#missing']) {
    const slider = find<HTMLInputElement>(id);
    slider.value = '0';
    slider.dispatchEvent(new Event('input'));
  }
  player.dispose();
  player = next;
  time = 0;
  shown = -1;
  milliseconds = undefined;
  isFirst = true;
  const { name, frames, framesPerSecond } = recording;
  find('#source').textContent =
    `${name}: ${frames.length} frames, ${(frames.length / framesPerSecond).toFixed(1)} s`;
}

async function open(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  const problem = find('#problem');
  problem.textContent = '';
  try {
    play(readRecording(await file.text(), file.name));
  } catch (error) {
    if (!(error instanceof PoiseError)) throw error;
    problem.textContent = error.message;
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
find('#save').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([writeRecording(player.recording)], { type: 'application/json' }));
  link.download = 'landmarks.json';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
