import { describe, expect, test } from 'vitest';
import { createJudge, type Fault, type Verdict } from '../../src/torture/judge/judge.js';
import type { Connection, Figure, Scene, Triple } from '../../src/torture/scene.js';
import { rotationBy } from '../../src/torture/scenes/draw.js';
import {
  body,
  boxForm,
  floor,
  human,
  humanBone,
  NONE,
  ROUGH,
  standing,
  steps,
} from '../../src/torture/scenes/parts.js';
import { STRIDE, startStates } from '../../src/torture/states.js';

const DT = 1 / 60;
const HALF: Triple = [0.2, 0.2, 0.2];

function scene(
  figures: readonly Figure[],
  more: Partial<Scene> = {},
  wanted: Partial<Scene['expect']> = {},
): Scene {
  return {
    id: 'test-1-0',
    kind: 'test',
    gravity: 9.81,
    world: [floor()],
    figures,
    connections: [],
    events: [],
    drags: [],
    steps: steps(DT, 2),
    ...more,
    expect: { rest: true, energy: 'any', released: 0, walls: [], mayStayInside: false, ...wanted },
  };
}

const crate = (position: Triple, more = {}): Figure => body([boxForm(HALF)], 10, position, more);

/** A recording: what is written over the start in each step. */
function judged(
  of: Scene,
  record: (states: Float64Array, step: number) => void = () => {},
  trouble?: string,
): Verdict {
  const judge = createJudge(of);
  const start = startStates(of);
  judge.start(start);
  for (let step = 0; step < of.steps.length; step++) {
    const states = Float64Array.from(start);
    record(states, step);
    if (!judge.step(step, states, step === 50 ? trouble : undefined)) break;
  }
  return judge.end();
}

const faultsOf = (verdict: Verdict): Fault[] => [...verdict.faults.keys()];

describe('clean recordings pass', () => {
  test('a crate that lies on the floor', () => {
    expect(faultsOf(judged(scene([crate([0, 0.2, 0])])))).toEqual([]);
  });

  test('a human that stands', () => {
    expect(faultsOf(judged(scene([human(standing(0, 0))])))).toEqual([]);
  });

  test('a crate in free fall gains no energy', () => {
    const falling = scene([crate([0, 30, 0])], {}, { rest: false, energy: 'kept' });
    const verdict = judged(falling, (states, step) => {
      const t = (step + 1) * DT;
      states[1] = 30 - 4.905 * t * t;
      states[8] = -9.81 * t;
    });
    expect(faultsOf(verdict)).toEqual([]);
    expect(verdict.worst.rise).toBeLessThan(1e-12);
  });

  test('a body that turns about an axis of its own keeps its energy', () => {
    const spinning = crate([0, 5, 0], { spin: [0, 9, 0] });
    const verdict = judged(
      scene([spinning], { gravity: 0 }, { rest: false, energy: 'kept' }),
      (states, step) => {
        states.set(rotationBy([0, 1, 0], 9 * (step + 1) * DT), 3);
      },
    );
    expect(faultsOf(verdict)).toEqual([]);
  });

  test('energy that a blow, a teleport and a drag put in is no explosion', () => {
    const blow = { step: 10, type: 'impulse', figure: 0, bone: 0, impulse: [300, 0, 0] } as const;
    const struck = scene([crate([0, 0.2, 0])], { events: [blow] }, { rest: false });
    const sliding = judged(struck, (states, step) => {
      if (step < 10) return;
      states[0] = 30 * DT * (step - 9);
      states[7] = 30;
    });
    expect(faultsOf(sliding)).toEqual([]);

    const up = {
      step: 10,
      type: 'teleport',
      figure: 0,
      position: [0, 40, 0],
      rotation: [0, 0, 0, 1],
    } as const;
    const lifted = judged(scene([crate([0, 0.2, 0])], { events: [up] }, { rest: false }), (states, step) => {
      if (step < 10) return;
      const t = (step - 9) * DT;
      states[1] = 40 - 4.905 * t * t;
      states[8] = -9.81 * t;
    });
    expect(faultsOf(lifted)).toEqual([]);

    const at = { figure: 0, bone: 0, point: NONE };
    const path: Triple[] = [[0, 100, 0]];
    const drag = {
      at,
      from: 0,
      until: 120,
      path,
      stiffness: 1e4,
      damping: 0,
      maxForce: 200,
      by: 'force',
    } as const;
    const pulled = judged(scene([crate([0, 0.2, 0])], { drags: [drag] }, { rest: false }), (states, step) => {
      const t = (step + 1) * DT;
      states[1] = 0.2 + 0.5 * (20 - 9.81) * t * t;
      states[8] = (20 - 9.81) * t;
    });
    expect(faultsOf(pulled)).toEqual([]);
  });
});

describe('each fault is found', () => {
  const lying = scene([crate([0, 0.2, 0])]);

  test('not finite', () => {
    const verdict = judged(lying, (states, step) => {
      if (step === 30) states[4] = Number.NaN;
    });
    expect(faultsOf(verdict)).toEqual(['not finite']);
    expect(verdict.faults.get('not finite')).toBe('at 0.52 s');
  });

  test('failed', () => {
    const verdict = judged(lying, undefined, 'not-finite');
    expect(faultsOf(verdict)).toEqual(['failed']);
  });

  test('cut: a run that ends before its last half second, for which nothing else is judged', () => {
    const deep = scene([crate([0, 0.16, 0])]);
    const until = (last: number): Verdict => {
      const judge = createJudge(deep);
      const start = startStates(deep);
      judge.start(start);
      for (let step = 0; step <= last; step++) judge.step(step, start);
      return judge.end();
    };
    expect([...until(59).faults]).toEqual([['cut', 'after 1.00 s of 2.00']]);
    expect(faultsOf(until(119))).toEqual(['deep']);
  });

  test('exploded: energy from nowhere', () => {
    const verdict = judged(scene([crate([0, 3, 0])], {}, { rest: false }), (states, step) => {
      if (step >= 30) states[7] = 4;
    });
    expect(faultsOf(verdict)).toEqual(['exploded']);
  });

  test('exploded: a light body much too fast, with little energy', () => {
    const light = body([boxForm(HALF)], 1e-4, [1, 0.2, 0]);
    const verdict = judged(scene([crate([0, 30, 0]), light], {}, { rest: false }), (states, step) => {
      if (step >= 30) states[STRIDE + 7] = 900;
    });
    expect(faultsOf(verdict)).toEqual(['exploded']);
  });

  test('separated: a connection and a joint, for a moment and at the end', () => {
    const pin: Connection = { a: { figure: 0, bone: 0, point: NONE }, b: { point: [0, 0.2, 0] } };
    const pinned = scene([crate([0, 0.2, 0])], { connections: [pin] }, { rest: false });
    const moment = judged(pinned, (states, step) => {
      if (step === 30) states[0] = 0.06;
    });
    expect(moment.faults.get('separated')).toBe('60 mm');
    const end = judged(pinned, (states, step) => {
      if (step > 30) states[0] = 0.006;
    });
    expect(end.faults.get('separated')).toBe('6.0 mm at the end');
    const hand = humanBone('leftHand');
    const joint = judged(scene([human(standing(0, 0))], {}, { rest: false }), (states) => {
      states[STRIDE * hand] += 0.06;
    });
    expect(faultsOf(joint)).toContain('separated');
  });

  test('a connection that was released may part', () => {
    const pin: Connection = { a: { figure: 0, bone: 0, point: NONE }, b: { point: [0, 0.2, 0] } };
    const events = [{ step: 10, type: 'release', connection: 0 }] as const;
    const verdict = judged(
      scene([crate([0, 0.2, 0])], { connections: [pin], events }, { rest: false }),
      (states, step) => {
        if (step >= 10) states[0] = 0.3;
      },
    );
    expect(faultsOf(verdict)).toEqual([]);
  });

  test.each([
    ['leftLowerLeg', [1, 0, 0], -0.2],
    ['leftLowerArm', [0, 0, 1], 0.2],
    ['leftHand', [1, 0, 0], 1.6],
    ['leftFoot', [0, 1, 0], 0.2],
    ['head', [0, 1, 0], 0.75],
    ['leftUpperArm', [0, 0, 1], 2.2],
  ] as const)('limit: %s turned about %j by %f', (name, axis, angle) => {
    const jointRotations = human(NONE).bones.map((_, b): Triple => {
      return b === humanBone(name) ? [axis[0] * angle, axis[1] * angle, axis[2] * angle] : NONE;
    });
    const bent = scene([human([0, 5, 0], { jointRotations })], { gravity: 0, world: [] }, { rest: false });
    expect(faultsOf(judged(bent))).toContain('limit');
  });

  test('deep: in the floor, in each other', () => {
    expect(faultsOf(judged(scene([crate([0, 0.16, 0])])))).toEqual(['deep']);
    expect(faultsOf(judged(scene([crate([0, 0.2, 0]), crate([0.35, 0.2, 0])])))).toEqual(['deep']);
  });

  const walls = [{ normal: [-1, 0, 0], offset: -1, center: [1, 0, 0], reach: 5 }] as const;

  test('tunnelled: below the floor, beyond a wall', () => {
    expect(faultsOf(judged(scene([crate([0, -3, 0])])))).toContain('tunnelled');
    const verdict = judged(scene([crate([0, 0.2, 0])], {}, { rest: false, walls }), (states, step) => {
      if (step >= 60) states[0] = 1.5;
    });
    expect(faultsOf(verdict)).toEqual(['tunnelled']);
  });

  test('a body that flies around the end of a wall has not passed it', () => {
    const around = judged(scene([crate([0, 0.2, 0])], {}, { rest: false, walls }), (states, step) => {
      if (step >= 60) states[2] = 5.5;
      if (step >= 70) states[0] = 1.5;
      if (step >= 80) states[2] = 0;
    });
    expect(faultsOf(around)).not.toContain('tunnelled');
  });

  test('moving: creeping, twitching, spinning', () => {
    const creeping = judged(lying, (states, step) => {
      states[0] = 0.03 * (step + 1) * DT;
    });
    const twitching = judged(lying, (states, step) => {
      states[7] = step % 2 ? 0.14 : -0.14;
    });
    const spinning = judged(lying, (states) => {
      states[11] = 1;
    });
    for (const verdict of [creeping, twitching, spinning]) expect(faultsOf(verdict)).toEqual(['moving']);
  });

  test('moving: not what the damping of the scene stops at its own pace, and nothing else does', () => {
    const DRAG = 0.8;
    const glide = (rate: number, drag: number, fall = 0): Fault[] =>
      faultsOf(
        judged(scene([crate([0, 5, 0], { velocity: [0.5, 0, 0], drag })]), (states, step) => {
          const t = (step + 1) * DT;
          states[0] = rate > 0 ? (0.5 * (1 - Math.exp(-rate * t))) / rate : 0.5 * t;
          states[1] = 5 - fall * t;
          states[7] = 0.5 * Math.exp(-rate * t);
          states[8] = -fall;
        }),
      );
    expect(glide(DRAG, DRAG)).toEqual([]);
    // No drag in the scene; none in the recording; half; something else that takes energy too.
    expect(glide(DRAG, 0)).toEqual(['moving']);
    expect(glide(0, DRAG)).toEqual(['moving']);
    expect(glide(0.5 * DRAG, DRAG)).toEqual(['moving']);
    expect(glide(DRAG, DRAG, 0.03)).toEqual(['moving']);
  });

  test('gained and lost, by a pendulum as by a crate that flies', () => {
    const flying = scene(
      [crate([0, 1, 0], { velocity: [3, 0, 0], surface: ROUGH })],
      { gravity: 0, steps: steps(1 / 120, 2) },
      { rest: false, energy: 'kept' },
    );
    const at = (factor: number) => (states: Float64Array, step: number) => {
      states[7] = 3 * (1 + (factor * (step + 1)) / 240);
    };
    expect(faultsOf(judged(flying, at(0.02)))).toEqual(['gained']);
    expect(faultsOf(judged(flying, at(-0.02)))).toEqual(['lost']);
    expect(faultsOf(judged(flying, at(0.002)))).toEqual([]);
    const may = { ...flying, expect: { ...flying.expect, energy: 'not gained' } } as const;
    expect(faultsOf(judged(may, at(-0.02)))).toEqual([]);
  });
});
