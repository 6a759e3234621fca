import { bindFigure, LimitHelper } from '@poise/three';
import type { DifferentialResult } from 'poise/ik';
import { standAtEase } from '../shared/at-ease.js';
import { createCharacter } from '../shared/character.js';
import { createHandle } from '../shared/handle.js';
import { find, inWords, onSlider, onSwitch, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { createChart } from './chart.js';
import { Puppet } from './puppet.js';

/** Steps of 1/60 s in which the body takes its posture. */
const SETTLING = 180;

const stage = createStage({ middle: [0.1, 0.95, 0.15], from: [1.7, 0.55, 3.3] });
const { figure, root, bones } = createCharacter();
standAtEase(bones);
stage.scene.add(root);

const binding = bindFigure(figure, root);
binding.readPose(binding.pose);
const settings = { rate: 4, posture: 2 };
const puppet = new Puppet(figure, binding.pose, settings);
// In its posture before it is seen: from straight legs it would be busy with that first.
for (let k = 0; k < SETTLING; k++) puppet.step(1 / 60);
const wide = { min: [-1.6, -0.4, -1.2], max: [1.6, 2.4, 1.6] } as const;
const [lx, ly, lz] = puppet.hands.left;
const [rx, ry, rz] = puppet.hands.right;
const left = createHandle(stage, 'Left hand', [lx, ly, lz], wide);
const right = createHandle(stage, 'Right hand', [rx, ry, rz], wide);

const limits = new LimitHelper(binding);
stage.scene.add(limits);
onSwitch('#limits', (checked) => {
  limits.visible = checked;
});
onSlider('#rate', (rate) => {
  settings.rate = rate;
  find('#rate-value').textContent = `${rate.toFixed(1)} rad/s`;
  puppet.set(settings);
});
onSlider('#posture', (rate) => {
  settings.posture = rate;
  find('#posture-value').textContent = rate === 0 ? 'off' : `${rate.toFixed(1)} /s`;
  puppet.set(settings);
});
let movesAlone = true;
const alone = onSwitch('#alone', (checked) => {
  movesAlone = checked;
});
for (const event of ['pointerdown', 'keydown']) {
  // Once the user drags the hand, it no longer moves by itself.
  find('[data-handle="Left hand"]').addEventListener(event, () => {
    movesAlone = alone.checked = false;
  });
}

/** Last priority that is not the posture's. */
const HANDS = 3;

const WORDS: Readonly<Record<DifferentialResult['status'], readonly [tone: string, text: string]>> = {
  converged: ['good', 'At rest: every goal is met'],
  tracking: ['good', 'Follows'],
  'limit-blocked': ['warn', 'Held by a limit'],
  'rate-limited': ['far', 'As fast as allowed'],
  conflicting: ['far', 'As near as it can be'],
};

/** Distance from a handle that moves up to which a hand is there, m: it is a frame late. */
const THERE = 0.02;

/** @param gap - Of the hand that is farther from its handle, m. */
function showStatus({ status, limits: joints, rates, goals }: DifferentialResult, gap: number): void {
  // Where the hands are at their handles, limits hold the posture and the balance at most.
  const [tone, text] = WORDS[gap <= THERE && status !== 'converged' ? 'tracking' : status];
  const limited =
    gap <= THERE
      ? []
      : status === 'limit-blocked'
        ? [
            ...joints.filter(({ active, priority }) => active && priority <= HANDS).map(({ bone }) => bone),
            ...goals.filter(({ multiplier }) => multiplier > 0).map(({ bone }) => `${bone} on the floor`),
          ]
        : status === 'rate-limited'
          ? rates.filter(({ saturated, priority }) => saturated && priority <= HANDS).map(({ bone }) => bone)
          : [];
  showWords(status, tone, text, limited.map(inWords));
}

const chart = createChart(find<HTMLCanvasElement>('#chart'));
let time = 0;
stage.start((seconds) => {
  if (movesAlone) {
    time += seconds;
    // A loop in front of the body, from where the hand is at first.
    left.position.set(
      lx + 0.12 * Math.sin(0.9 * time),
      ly + 0.32 * (1 - Math.cos(0.7 * time)),
      lz + 0.2 * (1 - Math.cos(0.5 * time)),
    );
  }
  left.position.toArray(puppet.hands.left);
  right.position.toArray(puppet.hands.right);
  const result = puppet.step(seconds);
  binding.update();
  const angular = result.rates.filter(({ kind }) => kind === 'angular');
  const fastest = Math.max(...angular.map(({ speed }) => speed));
  showNumber('#speed', fastest, fastest.toFixed(1));
  const gap = Math.max(
    ...result.goals
      .filter(({ bone, type }) => type === 'position' && /Hand$/.test(bone))
      .map(({ error }) => error),
  );
  showStatus(result, gap);
  showNumber('#gap', gap, `${(1000 * gap).toFixed(0)} mm`);
  if (seconds > 0) chart.add(seconds, fastest, settings.rate);
  if (limits.visible) limits.update();
});
