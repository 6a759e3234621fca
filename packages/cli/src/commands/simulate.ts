/** `poise simulate`: simulates a ragdoll and writes its motion. */
import { type PoseData, poseFromData, readPose } from '@poise/formats';
import { motionFromPoses } from 'poise';
import { type Ragdoll, standardGravity } from 'poise/dynamics';
import {
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  poseFromLocalTransforms,
  type Triple,
} from 'poise/figure';
import { boneNamesOf, findBone } from '../io/bone-names.js';
import { EXIT } from '../io/exit-codes.js';
import { checkOutput, reportIo, writeOutputs } from '../io/files-written.js';
import { type Io, json, warn } from '../io/io.js';
import { animationBytes, outputBytes, outputKind, RIG_OUTPUTS, requireOutput } from '../io/output.js';
import { parseNumbers } from '../io/parse-number.js';
import { loadSource, readText, type SourceOptions } from '../io/source.js';
import { type MakeOptions, makeRagdoll } from '../simulate/make-ragdoll.js';
import { parsePush } from '../simulate/parse-push.js';
import { printSummary, summaryOf } from '../simulate/report.js';
import { type Outcome, runSimulation, type Scenario } from '../simulate/run-simulation.js';
import { extentOf, floatingBones, placeOnLevel, ragdollPose, requireFloating } from '../simulate/start.js';
import { checkPushTimes, type TimingOptions, timingOf } from '../simulate/timing.js';
import {
  bodyAxesOf,
  checkWorldOptions,
  floorAndStairs,
  readWorld,
  topOfStairs,
  type WorldOptions,
  withWorldPath,
} from '../simulate/world.js';

export interface SimulateOptions extends SourceOptions, MakeOptions, TimingOptions, WorldOptions {
  readonly push?: readonly string[];
  /** A pose file to start from. */
  readonly from?: string;
  /** Drop height, m. */
  readonly drop?: number;
  /** Forward tilt, degrees. */
  readonly tilt?: number;
  /** `x,y,z`, m/s^2. */
  readonly gravity?: string;
  /** Factor on the ragdoll's damping. */
  readonly damping?: number;
  readonly json?: boolean;
  readonly output?: string;
}

const ANIMATION = 'simulation';

/** Runs the command. The output is built in memory and written last. @returns the exit status. */
export async function simulate(path: string | undefined, options: SimulateOptions, io: Io): Promise<number> {
  const given = (options.push ?? []).map(parsePush);
  const timing = timingOf(options);
  checkPushTimes(given, timing);
  checkWorldOptions(options);
  const { output } = options;
  await checkOutput(options, RIG_OUTPUTS, [path, options.from, options.world]);
  const from = options.from === undefined ? undefined : await readStart(options.from, io);
  const height = path === undefined ? (options.height ?? from?.height) : options.height;
  const sourceOptions = { ...options, ...(height !== undefined && { height }) };
  const source = await loadSource(path, sourceOptions, io);
  if (output !== undefined) requireOutput(source, output, 'pose');
  const names = boneNamesOf(source);
  const pushes = given.map((push) => {
    const { name } = source.figure.bones[findBone(names, push.bone, push.text)];
    return { ...push, bone: name };
  });

  const { ragdoll, notes } = makeRagdoll(source, options);
  const startPose = from
    ? poseFromData(source.figure, from, { source: options.from as string })
    : createPose(source.figure);
  const start = ragdollPose(source.figure, startPose, ragdoll.figure, options.from ?? source.figure.name);
  const world = await placeFigure(ragdoll, start.pose, options);
  const scenario: Scenario = {
    ragdoll,
    pose: start.pose,
    world,
    gravity: gravityOf(options, source.figure),
    damping: options.damping ?? 1,
    pushes,
    ...timing,
  };
  const outcome = runScenario(scenario, options);

  const pose = sourcePose(source.figure, ragdoll.figure, outcome.pose);
  const animation = output === undefined || outputKind(output) === 'json' ? undefined : ANIMATION;
  if (output !== undefined) {
    const bytes =
      animation === undefined
        ? outputBytes(source, pose, output)
        : animationBytes(
            source,
            ragdoll.figure,
            motionFromPoses(ragdoll.figure, outcome.recorder.times, outcome.recorder.poses, {
              name: animation,
              interpolation: 'linear',
            }),
            output,
          );
    await writeOutputs([[output, bytes]], io);
  }
  const summary = summaryOf({
    source,
    scenario,
    outcome,
    pose,
    ...(output !== undefined && { output }),
    ...(animation !== undefined && { animation }),
    warnings: [...source.warnings, ...notes, ...start.notes],
  });
  warn(io, summary.warnings);
  if (options.json) json(io, summary);
  else printSummary(summary, reportIo(io, output));
  return EXIT.done;
}

async function readStart(path: string, io: Io): Promise<PoseData> {
  return readPose(await readText(path, io), { source: path });
}

/** Writes the starting placement to `pose`. @returns the shapes of the world. */
async function placeFigure(
  ragdoll: Ragdoll,
  pose: Float64Array,
  options: SimulateOptions,
): Promise<Scenario['world']> {
  const { figure, shapes, height } = ragdoll;
  const { stairs = 0, tilt = 0 } = options;
  const axes = bodyAxesOf(figure);
  const floats = floatingBones(figure).length > 0;
  for (const option of ['drop', 'tilt', 'stairs'] as const) {
    if (options[option] !== undefined) requireFloating(figure, `--${option}`);
  }
  if (floats) {
    const level = topOfStairs(stairs, height) + (options.drop ?? 0);
    placeOnLevel(ragdoll, pose, axes, { level, tilt: (tilt * Math.PI) / 180 });
  }
  if (options.world !== undefined) return readWorld(options.world);
  const state = createState(figure);
  forwardKinematics(state, pose);
  const { min, max } = extentOf(state, shapes, axes);
  const level = floats ? 0 : Math.min(0, min[1]);
  return floorAndStairs(options, axes, level, height, max[2]);
}

function gravityOf({ gravity }: SimulateOptions, figure: Figure): Triple {
  if (gravity === undefined) return standardGravity(figure.up);
  const [x, y, z] = parseNumbers(gravity, [3], `--gravity ${gravity}`);
  return [x, y, z];
}

function runScenario(scenario: Scenario, { world }: SimulateOptions): Outcome {
  try {
    return runSimulation(scenario);
  } catch (error) {
    throw withWorldPath(error, world);
  }
}

/** Converts a pose of the ragdoll to one of the figure it was made from. */
function sourcePose(figure: Figure, ragdoll: Figure, pose: Float64Array): Float64Array {
  const state = createState(ragdoll);
  forwardKinematics(state, pose);
  return poseFromLocalTransforms(createState(figure), state.parentFromBone, createPose(figure));
}
