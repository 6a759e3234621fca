import { processorTime } from '../ragdoll/processor-time.js';
import type { Engine } from './engines/engine.js';
import { createJudge, type Verdict } from './judge/judge.js';
import type { Scene } from './scene.js';
import { firstBodies, STRIDE, startStates } from './states.js';

export interface Outcome extends Verdict {
  readonly id: string;
  readonly kind: string;
  readonly engine: string;
  /** Processor time of the steps, s. */
  readonly seconds: number;
  readonly warnings: ReadonlyMap<string, number>;
}

/** Longest processor time of all steps of a scene, s: a pile of thirty takes some engines an hour. What takes longer is cut off, which is a fault. */
const MAX_SECONDS = 90;

/**
 * Plays a scene in an engine and has the judge look at each step.
 *
 * @param look - Called with each recorded state, and once with that of the start.
 */
export function play(
  scene: Scene,
  engine: Engine,
  look?: (time: number, states: Float64Array) => void,
): Outcome {
  const states = startStates(scene);
  const run = engine.open(scene);
  const judge = createJudge(scene, run.jointError);
  judge.start(states);
  look?.(0, states);
  const recorded = new Float64Array(STRIDE * firstBodies(scene)[scene.figures.length]);
  run.read(recorded);
  checkStart(scene, states, recorded);
  let [seconds, time] = [0, 0];
  for (let step = 0; step < scene.steps.length; step++) {
    const before = processorTime();
    const trouble = run.step(step);
    seconds += (processorTime() - before) / 1000;
    run.read(recorded);
    time += scene.steps[step];
    look?.(time, recorded);
    if (!judge.step(step, recorded, trouble)) break;
    if (seconds > MAX_SECONDS) break;
  }
  run.close();
  return {
    ...judge.end(),
    id: scene.id,
    kind: scene.kind,
    engine: engine.name,
    seconds,
    warnings: run.warnings ?? new Map(),
  };
}

/** Single precision, and the angles of joints in another form, leave so much; multiplied by the largest number. */
const START = 1e-5;

/** An engine that does not start where the scene does would be judged for its runner. */
function checkStart({ id }: Scene, states: Float64Array, recorded: Float64Array): void {
  const most = states.reduce((max, x) => Math.max(max, Math.abs(x)), 1);
  for (let i = 0; i < states.length; i += STRIDE) {
    // q and -q are the same rotation.
    const sign = recorded[i + 6] * states[i + 6] + recorded[i + 5] * states[i + 5] < 0 ? -1 : 1;
    for (let k = 0; k < STRIDE; k++) {
      const other = (k >= 3 && k < 7 ? sign : 1) * recorded[i + k];
      if (!(Math.abs(states[i + k] - other) <= START * most)) {
        throw new Error(
          `torture: ${id} starts elsewhere: body ${i / STRIDE}, number ${k}: ${other} for ${states[i + k]}`,
        );
      }
    }
  }
}
