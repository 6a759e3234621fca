import { type FieldsOf, requireFields, requireWhole } from '../checks.js';
import { FigureError, WorkerError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose } from '../figure/model/pose.js';
import type { Goal } from '../ik/goals/types/goal.js';
import { type ClipSolver, copyGoals, createClipSolver, type RemoteIkHost } from './connect.js';
import type { ClipRequest, RemoteIkOptions, SolvedClip } from './protocol/messages.js';

/** Approximate frames of a batch: enough that messages cost little compared with solving. */
const BATCH_FRAMES = 32;
/** Batches in flight for each worker: it solves one while the next is on its way. */
const BATCHES_IN_FLIGHT = 2;

/** Input of {@link solveMany}. */
export interface SolveManyOptions {
  readonly figure: Figure;
  readonly goals: readonly Goal[];
  /** As for `createIk`. */
  readonly options?: RemoteIkOptions;
  /** Start pose of each clip, `figure.dof` long. They are copied. */
  readonly starts: readonly Float64Array[];
  /** Number of frames of each clip, each solved from the one before; a number for all. Default 1: single poses. */
  readonly frames?: number | readonly number[];
  /**
   * Sets the goals for a frame: moves targets, weights. Called once for each, clip by clip, frame by frame, in order.
   */
  readonly setGoals?: (clip: number, frame: number) => void;
}

const OPTIONS: FieldsOf<SolveManyOptions> = {
  figure: true,
  goals: true,
  options: true,
  starts: true,
  frames: true,
  setGoals: true,
};

/**
 * Solves many poses or clips on several workers in parallel. A clip depends only on its start and its goals, and results are
 * stored by clip: equal bit for bit for any number of workers and any order of completion.
 *
 * @param hosts - From {@link connectIk}, at least one.
 * @throws (rejects) the errors of `createIk` and `solveIk`; WorkerError `worker-lost`; FigureError for invalid starts and frame
 *   counts. Of several errors, that of the first clip.
 */
export async function solveMany(
  hosts: readonly RemoteIkHost[],
  options: SolveManyOptions,
): Promise<readonly SolvedClip[]> {
  requireFields(options, OPTIONS, 'options', WorkerError);
  const { figure, goals, options: ikOptions = {}, starts, frames = 1, setGoals } = options;
  if (hosts.length === 0) {
    throw new WorkerError('worker-lost', 'is empty.', {
      path: 'hosts',
      remedy: 'Connect to at least one worker.',
    });
  }
  const counts = starts.map((start, clip) => {
    checkPose(figure, start, `starts[${clip}]`);
    return countOf(frames, clip);
  });
  const created = await Promise.allSettled(
    hosts.map((host) => createClipSolver(host, figure, goals, ikOptions)),
  );
  const solvers = created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const dispose = () => Promise.allSettled(solvers.map((solver) => solver.dispose()));
  const rejection = created.find((one) => one.status === 'rejected');
  if (rejection !== undefined) {
    await dispose();
    throw rejection.reason;
  }
  const solved: SolvedClip[] = new Array(starts.length);
  const failed: { readonly clip: number; readonly error: unknown }[] = [];
  let next = 0;

  /** The next batch of clips, with the goals of each frame. */
  const nextBatch = (): ClipRequest[] => {
    const clips: ClipRequest[] = [];
    for (let sum = 0; next < starts.length && sum < BATCH_FRAMES; next++) {
      const clip = next;
      clips.push({
        start: starts[clip],
        goals: Array.from({ length: counts[clip] }, (_, frame) => {
          setGoals?.(clip, frame);
          return copyGoals(goals);
        }),
      });
      sum += counts[clip];
    }
    return clips;
  };
  const work = async ({ solveClips }: ClipSolver): Promise<void> => {
    while (next < starts.length && failed.length === 0) {
      const first = next;
      try {
        const answers = await solveClips(nextBatch());
        for (let k = 0; k < answers.length; k++) solved[first + k] = answers[k];
      } catch (error) {
        failed.push({ clip: first, error });
      }
    }
  };
  await Promise.all(
    solvers.flatMap((solver) => Array.from({ length: BATCHES_IN_FLIGHT }, () => work(solver))),
  );
  await dispose();
  failed.sort((a, b) => a.clip - b.clip);
  if (failed.length > 0) throw failed[0].error;
  return solved;
}

function countOf(frames: number | readonly number[], clip: number): number {
  const count = typeof frames === 'number' ? frames : frames[clip];
  requireWhole(count, typeof frames === 'number' ? 'frames' : `frames[${clip}]`, FigureError);
  return count;
}
