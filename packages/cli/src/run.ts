/** The `poise` command: arguments in, exit status out. */

import type { ReadBudget } from '@poise/formats';
import { Command, Option } from 'commander';
import { GoalError } from 'poise';
import type { HumanBoneMap } from 'poise/humanoid';
import { BATCH_COMMANDS, type BatchCommand, FAILURES, type FailureClass } from './batch/job.js';
import type { Shard } from './batch/lock.js';
import {
  type BatchOptions,
  batch,
  batchCancel,
  batchRetry,
  batchStatus,
  type RetryOptions,
} from './commands/batch.js';
import { type ConvertOptions, convert } from './commands/convert.js';
import { type FitOptions, fitMarkers } from './commands/fit.js';
import { type InspectOptions, inspect } from './commands/inspect.js';
import { type LimitsOptions, limits } from './commands/limits.js';
import { type OptimizeOptions, optimize } from './commands/optimize.js';
import { type PoseOptions, pose } from './commands/pose.js';
import { type RetargetOptions, retarget } from './commands/retarget.js';
import { type SimulateOptions, simulate } from './commands/simulate.js';
import { type WorkerOptions, worker } from './commands/worker.js';
import {
  batchHelp,
  convertHelp,
  fitHelp,
  inspectHelp,
  limitsHelp,
  optimizeHelp,
  poiseHelp,
  poseHelp,
  retargetHelp,
  simulateHelp,
  workerHelp,
} from './help.js';
import { parseUnits } from './io/bvh-units.js';
import { EXIT } from './io/exit-codes.js';
import type { Io } from './io/io.js';
import { CLIP_OUTPUTS } from './io/output.js';
import { parseNumber } from './io/parse-number.js';
import { printableLines } from './io/printable.js';
import { reportError } from './io/report-error.js';
import { HUMAN, type UrdfLimits } from './io/source.js';
import { version } from './package-files.js';
import { parseRelation, type RelationSpec } from './retarget/parse-relation.js';

/**
 * Runs a command line.
 *
 * @param argv - Arguments after the program's name.
 * @returns the exit status; never throws.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let status: number = EXIT.done;
  const program = createProgram(io, (code) => {
    status = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return status;
  } catch (error) {
    return reportError(error, isJsonWanted(argv), io, nameOf(program, argv));
  }
}

/** The command as typed: `poise pose`, `poise batch retarget`; undefined where there is none. */
function nameOf(program: Command, argv: readonly string[]): string | undefined {
  const command = program.commands.find((each) => each.name() === argv[0]);
  if (command === undefined) return undefined;
  const part = command.commands.find((each) => each.name() === argv[1]);
  return ['poise', command.name(), ...(part === undefined ? [] : [part.name()])].join(' ');
}

/** The values of the options of a command that a batch runs. @throws as the command does for an option that is wrong. */
function optionsOf(
  name: BatchCommand,
  argv: readonly string[],
  inputs: number,
): Readonly<Record<string, unknown>> {
  const silent: Io = { out: () => {}, err: () => {}, color: false };
  const program = createProgram(silent, () => {});
  const command = program.commands.find((each) => each.name() === name) as Command;
  let values: Readonly<Record<string, unknown>> = {};
  command.action(() => {
    const given = command.args.length - inputs;
    if (given > 0) {
      throw new GoalError('unsupported', 'is no option: a batch has its inputs from --in.', {
        path: command.args[0],
        remedy: `Give --in '${command.args[0]}'.`,
      });
    }
    values = command.opts();
  });
  program.parse([name, ...argv, '--', ...Array<string>(inputs).fill('-')], { from: 'user' });
  return values;
}

/** Whether `--json` stands among the options. */
function isJsonWanted(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).includes('--json');
}

function createProgram(io: Io, finish: (status: number) => void): Command {
  const program = new Command('poise')
    .description(
      'Inspect, pose, convert, retarget, simulate and optimize characters, robots and motion capture: glTF, VRM, URDF, MJCF, OpenSim, BVH, ASF and AMC files, or a built-in human.',
    )
    .version(version())
    .exitOverride()
    // Errors are reported in one form, by reportError.
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(printableLines(text)),
      outputError: () => {},
    })
    .addHelpText('after', poiseHelp);

  const inspectCommand = program
    .command('inspect')
    .summary('show the bones and clips of files, their joints and limits')
    .description(
      'Shows the bones of a rig as a tree with joint, degrees of freedom, limit (degrees) and tip, its clips, and warnings.',
    )
    .argument(
      '[FILES...]',
      '.glb, .vrm, .gltf, .bvh, .asf, .urdf, MJCF .xml, .osim, .trc, .c3d, a .json of Poise, .amc or .mot with --rig, - for stdin; folders, patterns; the built-in human without them',
    )
    .option('--rig <file>', 'the .asf of an .amc, the .osim of a .mot')
    .option('--json', 'print everything as JSON; a figure file that `poise pose` reads')
    .option(
      '--report <file>',
      'write a report: .html with a player, human bones, contacts and curves; of several files a folder',
    )
    .addHelpText('after', inspectHelp)
    .action(async (files: string[], options: InspectOptions) => {
      finish(await inspect(files, options, io));
    });

  const limitsCommand = program
    .command('limits')
    .summary('show the limits that the joints of a human give a rig')
    .description(
      "Shows which bones of a rig are those of a human, and how far each moves with the limits of a human's joints, in degrees from its rest pose.",
    )
    .argument(
      '[RIGS...]',
      '.glb, .vrm, .gltf, .bvh, .asf, .urdf, MJCF .xml, figure .json or - for stdin; folders, patterns; human, or none, for the built-in one',
    )
    .option('--json', 'print the report as JSON')
    .option(
      '--picture <file>',
      'draw the figure with its limits, from the front and from its right: an .svg; of several rigs a folder',
    )
    .option(
      '-o, --output <file>',
      'the figure with these limits: a .json that all commands read as a rig; of several rigs a folder',
    )
    .option(
      '--report <file>',
      'write a report: .html with the range of each joint and where the clips of the rig leave it; of several rigs a folder',
    )
    .addHelpText('after', limitsHelp)
    .action(async (rigs: string[], options: LimitsOptions) => {
      finish(await limits(rigs, options, io));
    });

  const poseCommand = program
    .command('pose')
    .summary('solve goals with inverse kinematics and write the posed file')
    .description(
      'Solves goals for bones of a rig with inverse kinematics, within its joint limits, and writes the posed file.',
    )
    .argument(
      '[RIG]',
      '.glb, .vrm, .gltf, .bvh, .asf, .urdf, MJCF .xml, .osim, figure .json or - for stdin; human, or none, for the built-in one',
      rigArgument,
    )
    .option('--goal <BONE=TARGET>', 'move a bone to a position (repeatable)', collect)
    .option('--orient <BONE=ROTATION>', 'set the orientation of a bone (repeatable)', collect)
    .option('--aim <BONE:AXIS=TARGET>', 'point an axis of a bone at a position (repeatable)', collect)
    .option(
      '--pin <BONE[:pose]>',
      'keep the position of a bone; with :pose also its orientation (repeatable)',
      collect,
    )
    .option('--lock <BONE>', 'lock the joint of a bone (repeatable)', collect)
    .option('--from <file>', 'start from a pose file: .json written by -o or the studio')
    .option('--free-root', 'unlock the joints that move the whole body')
    .option('--spread', 'use all joints from the start, instead of the limb first')
    .option('--tolerance <metres>', 'position tolerance (default: 0.0001)', positive('--tolerance'))
    .option('--angle-tolerance <degrees>', 'angle tolerance (default: 0.0057)', positive('--angle-tolerance'))
    .option('--json', 'print the report as JSON')
    .option(
      '-o, --output <file>',
      'output file: .glb, .vrm, .gltf, or .json or .csv for the joint coordinates',
    )
    .addHelpText('after', poseHelp)
    .action(async (rig: string | undefined, options: PoseOptions) => {
      finish(await pose(rig, options, io));
    });

  const convertCommand = program
    .command('convert')
    .summary('write a clip as an animation, a motion, or samples for a controller')
    .description(
      'Writes a clip of a .bvh, .amc, .mot, .glb or motion .json as an animation, a BVH, an AMC, a motion, or samples of coordinates, velocities, accelerations and joint forces.',
    )
    .argument(
      '<FILES...>',
      '.bvh, .amc, .mot, .glb, .vrm, .gltf, .vrma, a motion .json, or - for stdin; folders, patterns',
    )
    .option(
      '--rig <file>',
      'the rig of a motion .json (default: the built-in human), the .asf of an .amc, the .osim of a .mot',
    )
    .option('--animation <name>', 'name or index of an animation of a glTF (default: the first)')
    .option(
      '--rate <hertz>',
      'samples per second (default: 100; of a .bvh those of its file, else 60; of an .amc 120); a .json then has samples too',
      positive('--rate', 1e-3, 1e6),
    )
    .option('--json', 'print the report as JSON')
    .option(
      '-o, --output <file>',
      'output file: .glb, .vrm, .gltf, .vrma, .bvh, .amc with its .asf, .npz of a robot, .json for the motion, .csv for samples (default: samples to stdout); of several clips a folder',
    )
    .option(...formatOption([...CLIP_FORMATS, 'amc'], 'glb'))
    .option(
      '--report <file>',
      'write a report: .html with a player, differences and curves; of several clips a folder',
    )
    .addHelpText('after', convertHelp)
    .action(async (files: string[], options: ConvertOptions) => {
      finish(await convert(files, options, io));
    });

  const retargetCommand = program
    .command('retarget')
    .summary('put clips of other characters on a rig')
    .description(
      'Puts clips of one humanoid on another: feet stay where they stand, no joint leaves its limits, and a report says what changed.',
    )
    .argument(
      '<FILES...>',
      'clips (.bvh, .amc, .glb, .vrma, a motion .json, - for stdin; folders, patterns), then the rig: .glb, .vrm, .gltf, .bvh, .asf, .urdf, MJCF .xml, or human',
    )
    .option(
      '--rig <file>',
      'the rig of a motion .json (default: the built-in human), the .asf of an .amc, the .osim of a .mot',
    )
    .option('--animation <name>', 'name or index of an animation of a glTF (default: the first)')
    .option(
      '--contacts <which>',
      'contacts of feet and hands: found (default), none: both as the clip has them, or a .json as --report FILE.json writes it',
      parseContacts,
    )
    .option(
      '--physical',
      'then the nearest motion that obeys physics: its root is moved by gravity and contacts alone',
    )
    .option(
      '--relation <HAND=PART[@from,to]>',
      'a hand keeps its place on a part of the body or the other hand, or is at a point x,y,z (repeatable)',
      (text, previous: readonly RelationSpec[] = []) => [...previous, parseRelation(text)],
    )
    .option(
      '--rate <hertz>',
      'samples per second of a .csv or .bvh (default: frames of the clip); a .json then has samples too',
      positive('--rate', 1e-3, 1e6),
    )
    .option(
      '--report <file>',
      'write a report: .html with a player and curves, .svg with poses and feet close up, .json with all frames; of several clips a folder',
    )
    .option('--json', 'print the report as JSON')
    .option(
      '-o, --output <file>',
      'output file: .glb, .vrm, .gltf, .vrma, .bvh, .npz of a robot, .json for the motion, .csv for samples; of several clips a folder',
    )
    .option(...formatOption(CLIP_FORMATS, "that of the rig's own file"))
    .addHelpText('after', retargetHelp)
    .action(async (files: string[], options: RetargetOptions) => {
      finish(await retarget(files, options, io));
    });

  const fitCommand = program
    .command('fit')
    .summary('fit a model to measured markers and write its motion')
    .description(
      'Finds the motion of a model whose markers are nearest to the measured ones in every frame, within its joint limits, and writes it.',
    )
    .argument(
      '<FILES...>',
      'measured markers (.trc, .c3d, - for stdin; folders, patterns), then the model: .osim with its markers, or a rig with --markers; human, or none, for the built-in one',
    )
    .option('--markers <file>', 'where the markers sit on a rig: a .json of name, bone and point')
    .option('--tasks <file>', 'weights of markers and coordinates: an IKTaskSet or setup .xml of OpenSim')
    .option('--start <s>', 'first time of the markers that is fitted', (text) =>
      parseNumber(text, `--start ${text}`),
    )
    .option('--end <s>', 'last time of the markers that is fitted', (text) =>
      parseNumber(text, `--end ${text}`),
    )
    .option(
      '--marker-up <axis>',
      'axis of the marker file that points up: x, y or z (default: what a .c3d says, else that of the model)',
      oneOf('--marker-up', MARKER_AXES),
    )
    .option(
      '--prior <weight>',
      'weight of a prior towards the frame before, m^2 per rad^2 (default: 0)',
      notNegative('--prior'),
    )
    .option(
      '--rate <hertz>',
      'samples per second (default: those of the markers); a .json then has samples too',
      positive('--rate', 1e-3, 1e6),
    )
    .option('--json', 'print the report as JSON')
    .option(
      '-o, --output <file>',
      'output file: .mot of an .osim; .glb, .gltf, .vrma, .bvh, .json for the motion, .csv for samples; of several recordings a folder',
    )
    .option(
      '--report <file>',
      'write a report: .html with a player, errors, gaps and limits; of several recordings a folder',
    )
    .option(...formatOption([...CLIP_FORMATS, 'mot'], "mot of an .osim, else that of the rig's own file"))
    .addHelpText('after', fitHelp)
    .action(async (files: string[], options: FitOptions) => {
      finish(await fitMarkers(files, options, io));
    });

  const simulateCommand = program
    .command('simulate')
    .summary('simulate a rig as a ragdoll and write the animation')
    .description(
      'Simulates a rig as a ragdoll with pushes, writes the motion as an animation, and reports energy and contacts.',
    )
    .argument(
      '[RIG]',
      '.glb, .vrm, .gltf, .bvh, .asf, .urdf, MJCF .xml, .osim, figure .json or - for stdin; human, or none, for the built-in one',
      rigArgument,
    )
    .option('--push <BONE:x,y,z[@t]>', 'apply an impulse (N s) to a bone, at t seconds (repeatable)', collect)
    .option('--seconds <s>', 'duration (default: 5)', positive('--seconds'))
    .option('--from <file>', 'start from a pose file: .json written by -o or the studio')
    .option('--drop <metres>', 'start height above the floor (default: 0)', notNegative('--drop', 1000))
    .option('--tilt <degrees>', 'forward tilt at the start, negative: backward', (text) =>
      parseNumber(text, `--tilt ${text}`),
    )
    .option('--floor <friction>', 'friction of the floor (default: 0.8)', notNegative('--floor'))
    .option('--stairs <n>', 'start at the top of a staircase of n steps', whole('--stairs', 1, 100))
    .option('--world <file>', 'collision shapes instead of the floor: a list in a .json')
    .option('--gravity <x,y,z>', 'gravity, m/s^2 (default: 9.81 against the up of the figure)')
    .option(
      '--damping <factor>',
      'factor on the damping of the joints (default: 1)',
      notNegative('--damping', 1e6),
    )
    .option('--mass <kg>', 'total mass (default: by height)', positive('--mass', 1e-6, 1e9))
    .option('--rate <hertz>', 'simulation steps per second (default: 120)', positive('--rate', 20, 10_000))
    .option('--fps <hertz>', 'poses per second in the animation (default: 30)', positive('--fps'))
    .option('--json', 'print the report as JSON')
    .option(
      '-o, --output <file>',
      'output file: .glb, .vrm, .gltf for the animation; .json for the last pose',
    )
    .addHelpText('after', simulateHelp)
    .action(async (rig: string | undefined, options: SimulateOptions) => {
      finish(await simulate(rig, options, io));
    });

  program
    .command('optimize')
    .summary('optimize the motion of a scene and write the animation')
    .description(
      'Finds the motion of least cost that satisfies the constraints of a scene: goals, contacts, physics, limits.',
    )
    .argument('<SCENE>', 'a scene .json: figure, reference, duration, terms')
    .option(
      '-o, --output <file>',
      'output file: .glb, .vrm, .gltf for the animation; .json for the motion; .csv for samples',
    )
    .option(
      '--rate <hertz>',
      'samples per second of a .csv (default: 100); a .json then has samples too',
      positive('--rate', 1e-3, 1e6),
    )
    .option('--report <file>', 'write a report with plots and pictures: .html')
    .option('--max-iterations <n>', 'iteration limit (default: 300)', whole('--max-iterations', 0, 1_000_000))
    .option(
      '--tolerance <size>',
      'largest scaled constraint violation (default: 1e-6)',
      positive('--tolerance', 1e-14, 1),
    )
    .option('--save <file>', 'write the solver state at the end: .json')
    .option('--resume <file>', 'continue from a state written by --save')
    .option('--allow-outside', 'let the scene name files outside its folder')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', optimizeHelp)
    .action(async (scene: string, options: OptimizeOptions) => {
      finish(await optimize(scene, options, io));
    });

  const workerCommand = program
    .command('worker')
    .summary('serve the jobs of a queue')
    .description(
      'Takes jobs of batches from a queue on Redis and runs them in threads, until it is asked to end.',
    );
  addLimitOptions(addQueueOptions(workerCommand))
    .option(
      '--lease <s>',
      'time after which the jobs of a worker that is gone are given to others',
      positive('--lease', 1, 3600),
      30,
    )
    .option('--json', 'print events, one object a line')
    .addHelpText('after', workerHelp)
    .action(async (options: WorkerOptions) => {
      finish(await worker(options, io));
    });
  addBatch(program, io, finish);

  for (const command of [
    inspectCommand,
    limitsCommand,
    poseCommand,
    convertCommand,
    retargetCommand,
    fitCommand,
    simulateCommand,
  ])
    addRigOptions(command);
  const given = 'given (default): those of the file, or anatomical: with the limits of a human';
  const anatomical = 'anatomical (default), or given: the joints of the rig';
  addFileOption(inspectCommand, '--joints <which>', given, oneOf('--joints', JOINTS));
  addFileOption(poseCommand, '--joints <which>', given, oneOf('--joints', JOINTS));
  addFileOption(simulateCommand, '--joints <which>', anatomical, oneOf('--joints', JOINTS));
  addFileOption(retargetCommand, '--joints <which>', given, oneOf('--joints', JOINTS));
  for (const command of [
    inspectCommand,
    limitsCommand,
    poseCommand,
    retargetCommand,
    fitCommand,
    simulateCommand,
  ]) {
    addFileOption(
      command,
      '--human <BONE=NAME>',
      "the bone of the rig that is this of a human's, or none (repeatable)",
      humanBone('--human'),
    );
  }
  addFileOption(
    retargetCommand,
    '--clip-human <BONE=NAME>',
    "the bone of the clip's figure that is this of a human's, or none (repeatable)",
    humanBone('--clip-human'),
  );
  for (const command of program.commands.filter((each) => !['batch', 'worker'].includes(each.name()))) {
    addFileOption(command, '--budget <NAME=N>', 'how much a file may ask for (repeatable)', budget);
  }
  return program;
}

/** `poise batch COMMAND`: the options of a batch; all others are those of the command, which {@link optionsOf} reads. */
function addBatch(program: Command, io: Io, finish: (status: number) => void): void {
  const batchCommand = program
    .command('batch')
    .summary('run a command over many files, in threads, on one machine or several')
    .description(
      'Runs a command over many files: what is done is skipped on a rerun, whatever died before; a report at the end.',
    )
    .addHelpText('after', batchHelp);
  for (const name of BATCH_COMMANDS) {
    const command = batchCommand
      .command(name)
      .summary(`poise ${name}, a job for each file`)
      .description(`Runs 'poise ${name}' for each file of --in; takes all its options.`)
      .argument('[OPTIONS...]', `options of 'poise ${name}'`)
      .allowUnknownOption()
      .requiredOption('--in <pattern>', 'files, folders and quoted patterns (repeatable)', collect)
      .option('--target <file>', 'the rig of retarget, the model of fit; human for the built-in one')
      .requiredOption(
        '--out <folder>',
        'folder of the outputs, and of batch/ with manifest, journals and report',
      )
      .option('--format <extension>', 'extension of the outputs, without the dot')
      .option('--replace', 'go on in a folder that has another batch')
      .option('--dry-run', 'make the manifest and say what is to do');
    addRunOptions(command).action(async (argv: string[], options: BatchOptions) => {
      finish(await batch(name, argv, options, optionsOf, io));
    });
  }
  batchCommand
    .command('status')
    .summary('how far a batch is, and why jobs failed')
    .description('Counts the jobs of a batch, and writes batch/failed.jsonl.')
    .argument('<DIR>', 'the --out of the batch')
    .option('--json', 'print the counts as JSON')
    .action(async (folder: string, options: { json?: boolean }) => {
      finish(await batchStatus(folder, options, io));
    });
  const retry = batchCommand
    .command('retry')
    .summary('try jobs again that failed, and go on')
    .description('Has jobs tried again that failed, other than by bad input, lifts a cancel, and continues.')
    .argument('<DIR>', 'the --out of the batch')
    .option(
      '--class <class>',
      `jobs that failed this way alone: ${FAILURES.join(', ')} (repeatable)`,
      (text, previous: readonly FailureClass[] = []) => [...previous, oneOf('--class', FAILURES)(text)],
    );
  addRunOptions(retry).action(async (folder: string, options: RetryOptions) => {
    finish(await batchRetry(folder, options, io));
  });
  batchCommand
    .command('cancel')
    .summary('end a batch, wherever it runs')
    .description('Ends all processes that work at a batch, on whatever machine, after the jobs at work.')
    .argument('<DIR>', 'the --out of the batch')
    .action(async (folder: string) => {
      finish(await batchCancel(folder, io));
    });
}

/** How jobs are run. */
function addLimitOptions(command: Command): Command {
  return command
    .option('--jobs <n>', 'jobs at a time, a thread each (default: the cores)', whole('--jobs', 1, 1024))
    .option('--time-limit <s>', 'time of a job', positive('--time-limit', 1e-3, 1e6), 3600)
    .option('--memory-limit <MB>', 'heap of a job', whole('--memory-limit', 16, 1_000_000), 2048)
    .option('--output-limit <MB>', 'size of an output', positive('--output-limit', 1e-6, 1e6), 1024)
    .option(
      '--grace <s>',
      'time that jobs have to end after SIGTERM, SIGHUP or Ctrl-C',
      notNegative('--grace', 1e6),
      10,
    );
}

/** How a batch is run. */
function addRunOptions(command: Command): Command {
  return addQueueOptions(addLimitOptions(command))
    .option('--shard <i/n>', 'the part i of n, from 0: parts need no server', shardOf)
    .option(
      '--strips <n>',
      'worst cases of retarget with pictures in the report',
      whole('--strips', 0, 100),
      3,
    )
    .option('--verify', 'compare inputs and outputs by their content, not by size and time')
    .option('--json', 'print events as JSON, one a line');
}

/** Parser of `--shard`. */
function shardOf(text: string): Shard {
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (count >= 1 && count <= 1e6 && index < count) return { index, count };
  throw new GoalError('out-of-range', 'is no part of a whole.', {
    path: `--shard ${text}`,
    remedy: 'Write --shard i/n with i from 0 to n - 1, such as --shard 0/4.',
  });
}

/** Extensions of clips. */
const CLIP_FORMATS = CLIP_OUTPUTS.map((extension) => extension.slice(1));

/** The option of the files of a folder. */
function formatOption(
  extensions: readonly string[],
  standard: string,
): [flags: string, description: string, parse: (value: string) => string] {
  const description = `extension of the files in a folder, without the dot (default: ${standard})`;
  return ['--format <extension>', description, oneOf('--format', extensions)];
}

/** Adds the options that say where a queue is. */
function addQueueOptions(command: Command): Command {
  return command
    .option('--queue [address]', 'redis://HOST:PORT; alone: the address in the variable POISE_QUEUE')
    .option('--queue-file <file>', 'a file whose first line is the address, with its password')
    .option('--queue-ca <file>', 'certificate of the authority of a rediss:// server: .pem')
    .option('--name <queue>', 'name of the queue (default: poise)');
}

/** Adds the options that say how a rig is read. */
function addRigOptions(command: Command): void {
  const height = 'height of the built-in human';
  const limits = 'joint limits of a URDF: hard (default), soft or none';
  const units = 'unit of a .bvh: m, dm, cm, mm, ft, in, cmu, or metres (default: found)';
  const up = 'up axis of a .bvh: y or z (default: found)';
  addFileOption(command, '--height <metres>', height, positive('--height', 0.001, 1000));
  addFileOption(command, '--limits <which>', limits, oneOf('--limits', URDF_LIMITS));
  addFileOption(command, '--units <unit>', units, parseUnits);
  addFileOption(command, '--up <axis>', up, oneOf('--up', UP_AXES));
  const frame =
    'frame of a .bvh that is its rest pose, from 1 (default: OFFSETs; a frame where these do not stand)';
  addFileOption(command, '--rest-frame <n>', frame, whole('--rest-frame', 1, 1e9));
}

/** Adds an option under the heading of those about rigs and files. */
function addFileOption<T>(
  command: Command,
  flags: string,
  description: string,
  parse: (text: string, previous: T) => T,
): void {
  const option = new Option(flags, description).argParser(parse);
  command.addOption(option.helpGroup('Options of rigs and files:'));
}

const JOINTS: readonly NonNullable<SimulateOptions['joints']>[] = ['anatomical', 'given'];

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** Parser of `--contacts`. */
function parseContacts(value: string): string {
  if (value === 'found' || value === 'none' || value.toLowerCase().endsWith('.json')) return value;
  throw new GoalError('unsupported', 'is not a valid choice.', {
    path: `--contacts ${value}`,
    remedy: 'Use one of found, none, or a .json as --report FILE.json writes it.',
  });
}

const MARKER_AXES = ['x', 'y', 'z'] as const;

const UP_AXES: readonly NonNullable<InspectOptions['up']>[] = ['y', 'z'];

const URDF_LIMITS: readonly UrdfLimits[] = ['hard', 'soft', 'none'];

const BUDGET: Readonly<Record<keyof ReadBudget, true>> = {
  bones: true,
  keys: true,
  samples: true,
  vertices: true,
  unknowns: true,
};

/** Parser of `--human`: an entry of the map, as `leftHand=wrist.l`, or `leftToes=none`. */
function humanBone(option: string): (text: string, previous?: BoneNames) => BoneNames {
  return (text, previous = {}) => {
    const at = text.indexOf('=');
    if (at > 0) {
      const name = text.slice(at + 1);
      return { ...previous, [text.slice(0, at)]: name === 'none' ? null : name };
    }
    throw new GoalError('unsupported', "has no '='.", {
      path: `${option} ${text}`,
      remedy: `Write ${option} leftHand=NAME, or leftHand=none.`,
    });
  };
}

type BoneNames = Readonly<HumanBoneMap<string | null>>;

/** Parser of `--budget`: an entry, as `bones=20000`. */
function budget(text: string, previous: ReadBudget = {}): ReadBudget {
  const path = `--budget ${text}`;
  const [name, number] = text.split('=');
  if (!Object.hasOwn(BUDGET, name)) {
    throw new GoalError('unknown-name', 'is not an entry of the budget.', {
      path,
      remedy: `Use one of ${Object.keys(BUDGET).join(', ')}.`,
    });
  }
  if (number === undefined) {
    throw new GoalError('unsupported', "has no '='.", { path, remedy: `Write --budget ${name}=N.` });
  }
  const value = parseNumber(number, path);
  if (value >= 0) return { ...previous, [name]: value };
  throw new GoalError('out-of-range', 'is negative.', { path, remedy: 'Give a number of 0 or more.' });
}

/** Parser of a rig: undefined for the built-in human. */
function rigArgument(path: string): string | undefined {
  return path === HUMAN ? undefined : path;
}

/** Parser of an option with a fixed set of words. */
function oneOf<T extends string>(option: string, words: readonly T[]): (value: string) => T {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw new GoalError('unsupported', 'is not a valid choice.', {
      path: `${option} ${value}`,
      remedy: `Use one of ${words.join(', ')}.`,
    });
  };
}

/** Parser of an option that is a positive number, `min` to `max`. */
function positive(option: string, min = 0, max = Number.MAX_VALUE): (value: string) => number {
  return (value) => {
    const number = parseNumber(value, `${option} ${value}`);
    if (number > 0 && number >= min && number <= max) return number;
    throw new GoalError('out-of-range', number > 0 ? 'is out of range.' : 'is not positive.', {
      path: `${option} ${value}`,
      remedy: min > 0 ? `Give a number from ${min} to ${max}.` : 'Give a positive number.',
    });
  };
}

/** Parser of an option that is a number from 0 to `max`. */
function notNegative(option: string, max = Number.MAX_VALUE): (value: string) => number {
  return (value) => {
    const number = parseNumber(value, `${option} ${value}`);
    if (number >= 0 && number <= max) return number;
    throw new GoalError('out-of-range', number < 0 ? 'is negative.' : 'is out of range.', {
      path: `${option} ${value}`,
      remedy: max < Number.MAX_VALUE ? `Give a number from 0 to ${max}.` : 'Give a number of 0 or more.',
    });
  };
}

/** Parser of an integer option. */
function whole(option: string, min: number, max: number): (value: string) => number {
  return (value) => {
    const number = parseNumber(value, `${option} ${value}`);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new GoalError('out-of-range', 'is not a valid count.', {
      path: `${option} ${value}`,
      remedy: `Give an integer from ${min} to ${max}.`,
    });
  };
}
