/** The `poise` command: arguments in, exit status out. */
import { Command, CommanderError } from 'commander';
import { GoalError, PoiseError } from 'poise';
import { type InspectOptions, inspect } from './commands/inspect.js';
import { type OptimizeOptions, optimize } from './commands/optimize.js';
import { type PoseOptions, pose } from './commands/pose.js';
import { type SimulateOptions, simulate } from './commands/simulate.js';
import { inspectHelp, optimizeHelp, poiseHelp, poseHelp, simulateHelp } from './help.js';
import { EXIT } from './io/exit-codes.js';
import { type Io, styled } from './io/io.js';
import { parseNumber } from './io/parse-number.js';
import type { UrdfLimits } from './io/source.js';
import { version } from './version.js';

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
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.badInput;
    if (error instanceof PoiseError) {
      io.err(`${styled(io, 'red', `error[${error.code}]`)} ${error.message}\n`);
      return EXIT.badInput;
    }
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.err(`error[internal] a fault of Poise itself, please report it:\n${trace}\n`);
    return EXIT.internal;
  }
}

function createProgram(io: Io, finish: (status: number) => void): Command {
  const program = new Command('poise')
    .description(
      'Look into articulated figures, pose them, let them fall, and find their best motions: glTF, GLB and VRM rigs, URDF robots, or a built-in human.',
    )
    .version(version())
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) })
    .showHelpAfterError("('poise --help' lists the commands, 'poise COMMAND --help' has examples)")
    .addHelpText('after', poiseHelp);

  program
    .command('inspect')
    .summary('show the bones of a rig, their joints and limits')
    .description(
      'Shows the bones of a rig as a tree: joint, degrees of freedom, limit (degrees), tip; and warnings.',
    )
    .argument('[RIG]', '.glb, .vrm, .gltf, .urdf or figure .json; the built-in human without it')
    .option('--height <metres>', 'height of the built-in human', positive('--height', 0.001, 1000))
    .option('--limits <which>', 'of a URDF: hard (default), soft or none', oneOf('--limits', URDF_LIMITS))
    .option('--json', 'print everything as JSON; a figure file that `poise pose` reads')
    .addHelpText('after', inspectHelp)
    .action(async (rig: string | undefined, options: InspectOptions) => {
      finish(await inspect(rig, options, io));
    });

  program
    .command('pose')
    .summary('bring bones to goals and write the posed file')
    .description('Brings bones of a rig to goals, within its limits, and writes the posed file.')
    .argument('[RIG]', '.glb, .vrm, .gltf, .urdf or figure .json; the built-in human without it')
    .option('--goal <BONE=TARGET>', 'bring a bone to a place (repeatable)', collect)
    .option('--orient <BONE=TURN>', 'give a bone an orientation (repeatable)', collect)
    .option('--aim <BONE:AXIS=TARGET>', 'point an axis of a bone at a place (repeatable)', collect)
    .option(
      '--pin <BONE[:pose]>',
      'hold a bone where it is; with :pose its orientation too (repeatable)',
      collect,
    )
    .option('--lock <BONE>', "keep a bone's joint as it is (repeatable)", collect)
    .option('--from <file>', 'start from a pose: .json of -o or of the studio')
    .option('--free-root', 'let the joints that move the whole body take part')
    .option('--spread', 'let all joints share the movement, instead of the limb first')
    .option('--height <metres>', 'height of the built-in human', positive('--height', 0.001, 1000))
    .option('--limits <which>', 'of a URDF: hard (default), soft or none', oneOf('--limits', URDF_LIMITS))
    .option(
      '--tolerance <metres>',
      'distance that counts as reached (default: 0.0001)',
      positive('--tolerance'),
    )
    .option(
      '--angle-tolerance <degrees>',
      'angle that counts as reached (default: 0.0057)',
      positive('--angle-tolerance'),
    )
    .option('--json', 'print the report as JSON')
    .option('-o, --output <file>', 'write the pose: .glb, .vrm, .gltf, or .json for the coordinates')
    .addHelpText('after', poseHelp)
    .action(async (rig: string | undefined, options: PoseOptions) => {
      finish(await pose(rig, options, io));
    });

  program
    .command('simulate')
    .summary('let a rig fall as a ragdoll and write what it does')
    .description(
      'Makes a ragdoll of a rig, lets it fall and be pushed, writes the motion as an animation, and reports energy and contacts.',
    )
    .argument('[RIG]', '.glb, .vrm, .gltf, .urdf or figure .json; the built-in human without it')
    .option('--push <BONE:x,y,z[@t]>', 'push a bone: N s, at t seconds (repeatable)', collect)
    .option('--seconds <s>', 'how long (default: 5)', positive('--seconds'))
    .option('--from <file>', 'start from a pose: .json of -o or of the studio')
    .option('--drop <metres>', 'start so high above the floor (default: 0)', notNegative('--drop', 1000))
    .option('--tilt <degrees>', 'start leaning ahead, below 0 back', (text) =>
      parseNumber(text, `--tilt ${text}`),
    )
    .option('--floor <friction>', 'friction of the floor (default: 0.8)', notNegative('--floor'))
    .option('--stairs <n>', 'start at the top of so many steps', whole('--stairs', 1, 100))
    .option('--world <file>', 'shapes in place of the floor: a list in a .json')
    .option('--gravity <x,y,z>', 'm/s^2 (default: 9.81 downwards)')
    .option(
      '--damping <factor>',
      'times the damping of the joints (default: 1)',
      notNegative('--damping', 1e6),
    )
    .option('--mass <kg>', 'of the whole (default: by its height)', positive('--mass', 1e-6, 1e9))
    .option('--joints <which>', 'anatomical (default), or given: those of the rig', oneOf('--joints', JOINTS))
    .option('--rate <hertz>', 'steps a second (default: 120)', positive('--rate', 20, 10_000))
    .option('--fps <hertz>', 'poses a second in the animation (default: 30)', positive('--fps'))
    .option('--height <metres>', 'height of the built-in human', positive('--height', 0.001, 1000))
    .option('--limits <which>', 'of a URDF: hard (default), soft or none', oneOf('--limits', URDF_LIMITS))
    .option('--json', 'print the report as JSON')
    .option('-o, --output <file>', 'write the animation: .glb, .vrm, .gltf; .json: the last pose')
    .addHelpText('after', simulateHelp)
    .action(async (rig: string | undefined, options: SimulateOptions) => {
      finish(await simulate(rig, options, io));
    });

  program
    .command('optimize')
    .summary('find the best motion for a scene and write it')
    .description(
      'Finds the motion that costs least of all that do what a scene asks for: goals, contacts, physics, limits.',
    )
    .argument('<SCENE>', 'a scene .json: figure, reference, duration, terms')
    .option('-o, --output <file>', 'write the animation: .glb, .vrm, .gltf; .json: the motion')
    .option('--report <file>', 'write a report with plots and pictures: .html')
    .option(
      '--max-iterations <n>',
      'stop after so many (default: 300)',
      whole('--max-iterations', 0, 1_000_000),
    )
    .option(
      '--tolerance <size>',
      'what counts as held, scaled (default: 1e-8)',
      positive('--tolerance', 1e-14, 1),
    )
    .option('--save <file>', 'write what the solver knows at the end: .json')
    .option('--resume <file>', 'go on from what --save wrote')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', optimizeHelp)
    .action(async (scene: string, options: OptimizeOptions) => {
      finish(await optimize(scene, options, io));
    });

  return program;
}

const JOINTS: readonly NonNullable<SimulateOptions['joints']>[] = ['anatomical', 'given'];

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

const URDF_LIMITS: readonly UrdfLimits[] = ['hard', 'soft', 'none'];

/** Parser of an option that is one of some words. */
function oneOf<T extends string>(option: string, words: readonly T[]): (value: string) => T {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw new GoalError('unsupported', 'is none of them.', {
      path: `${option} ${value}`,
      remedy: `Give ${words.join(', ')}.`,
    });
  };
}

/** Parser of an option that is a positive number, `least` to `greatest`. */
function positive(option: string, least = 0, greatest = Number.MAX_VALUE): (value: string) => number {
  return (value) => {
    const number = parseNumber(value, `${option} ${value}`);
    if (number > 0 && number >= least && number <= greatest) return number;
    throw new GoalError('out-of-range', number > 0 ? 'is out of all proportion.' : 'is not positive.', {
      path: `${option} ${value}`,
      remedy: least > 0 ? `Give a number from ${least} to ${greatest}.` : 'Give a positive number.',
    });
  };
}

/** Parser of an option that is a number from 0 to `greatest`. */
function notNegative(option: string, greatest = Number.MAX_VALUE): (value: string) => number {
  return (value) => {
    const number = parseNumber(value, `${option} ${value}`);
    if (number >= 0 && number <= greatest) return number;
    throw new GoalError('out-of-range', number < 0 ? 'is below zero.' : 'is out of all proportion.', {
      path: `${option} ${value}`,
      remedy:
        greatest < Number.MAX_VALUE ? `Give a number from 0 to ${greatest}.` : 'Give a number of 0 or more.',
    });
  };
}

/** Parser of an option that is a whole number. */
function whole(option: string, least: number, greatest: number): (value: string) => number {
  return (value) => {
    const number = parseNumber(value, `${option} ${value}`);
    if (Number.isInteger(number) && number >= least && number <= greatest) return number;
    throw new GoalError('out-of-range', 'is none of them.', {
      path: `${option} ${value}`,
      remedy: `Give a whole number from ${least} to ${greatest}.`,
    });
  };
}
