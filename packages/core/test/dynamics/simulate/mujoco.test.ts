import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { beforeAll, describe, expect, test } from 'vitest';
import { computeMomentum, createDynamics } from '../../../src/dynamics/index.js';
import { type ActorOptions, createSimulation, stepSimulation } from '../../../src/dynamics/simulate/index.js';
import { createFigure } from '../../../src/figure/index.js';
import { alone, onFloor } from './support.js';

/*
 * The same scenes in MuJoCo, whose contacts are springs (solref: 20 ms, critically damped) that yield by some mm under an impact and by
 * g (0.02 s)^2 / 2, some 0.1 mm, at rest. Both integrate semi-implicitly with the same step.
 */
const H = 0.001;

let mujoco: MainModule;

beforeAll(async () => {
  mujoco = await loadMujoco();
});

function scene(worldbody: string, friction: number): string {
  return `<mujoco>
    <option timestep="${H}" gravity="0 -9.81 0" cone="elliptic" impratio="10"/>
    <default><geom friction="${friction} 0 0" condim="3"/></default>
    <worldbody><geom type="plane" size="9 9 1" zaxis="0 1 0"/>${worldbody}</worldbody>
  </mujoco>`;
}

/** MuJoCo's positions and velocities after each step. */
function play(xml: string, seconds: number, qpos: readonly number[], qvel: readonly number[]) {
  const model = mujoco.MjModel.from_xml_string(xml);
  const data = new mujoco.MjData(model);
  (data.qpos as Float64Array).set(qpos);
  (data.qvel as Float64Array).set(qvel);
  const states: { qpos: Float64Array; qvel: Float64Array; contacts: number }[] = [];
  for (let n = 0; n < Math.round(seconds / H); n++) {
    mujoco.mj_step(model, data);
    states.push({
      qpos: Float64Array.from(data.qpos as Float64Array),
      qvel: Float64Array.from(data.qvel as Float64Array),
      contacts: data.ncon,
    });
  }
  data.delete();
  model.delete();
  return states;
}

/** Positions and velocities of Poise after each step. */
function playOurs(actor: ActorOptions, friction: number, seconds: number) {
  const simulation = alone(actor, onFloor({ friction }));
  const [{ pose, velocity }] = simulation.actors;
  return Array.from({ length: Math.round(seconds / H) }, () => {
    const { touching } = stepSimulation(simulation, H);
    return { pose: Float64Array.from(pose), velocity: Float64Array.from(velocity), touching };
  });
}

const first = <T>(items: readonly T[], is: (item: T) => boolean): number => items.findIndex(is);

describe('a capsule that falls askew', () => {
  const mass = 2;
  const inertia = [0.06, 0.008, 0.06] as const;
  const tilt = 0.7;
  const xml = scene(
    `<body><freejoint/><inertial pos="0 0 0" mass="${mass}" diaginertia="${inertia.join(' ')}"/>
     <geom type="capsule" fromto="0 -0.3 0 0 0.3 0" size="0.08"/></body>`,
    0.5,
  );
  const figure = createFigure({
    bones: [{ name: 'rod', joint: { type: 'free' }, mass, inertia: [...inertia, 0, 0, 0] }],
  });
  const shapes = [
    { bone: 'rod', type: 'capsule', from: [0, -0.3, 0], to: [0, 0.3, 0], radius: 0.08, friction: 0.5 },
  ] as const;

  test('falls, hits the floor at the same step, bounces and comes to rest alike', () => {
    const theirs = play(
      xml,
      3,
      [0, 0.8, 0, Math.cos(tilt / 2), 0, 0, Math.sin(tilt / 2)],
      new Array(6).fill(0),
    );
    const ours = playOurs({ figure, shapes, pose: [0, 0.8, 0, 0, 0, tilt] }, 0.5, 3);
    const meets = first(theirs, ({ contacts }) => contacts > 0);
    expect(Math.abs(first(ours, ({ touching }) => touching > 0) - meets)).toBeLessThanOrEqual(2);
    for (let n = 0; n < meets - 1; n++) {
      expect(Math.abs(ours[n].pose[1] - theirs[n].qpos[1])).toBeLessThan(1e-12);
    }
    // Some 30 ms after the blow it turns about its lower end: MuJoCo's spring has let it in by up to a cm and given that back.
    const after = meets + 60;
    expect(ours[after].velocity[5] / theirs[after].qvel[5]).toBeCloseTo(1, 0);
    expect(Math.sign(ours[after].velocity[5])).toBe(Math.sign(theirs[after].qvel[5]));
    const [last, theirLast] = [ours[2999], theirs[2999]];
    expect(last.pose[1]).toBeCloseTo(0.08, 5);
    expect(Math.abs(theirLast.qpos[1] - last.pose[1])).toBeLessThan(2e-3);
    expect(Math.abs(Math.abs(last.pose[5]) - Math.PI / 2)).toBeLessThan(1e-3);
    // Where it comes to lie depends on how it slid and rolled meanwhile.
    expect(Math.abs(theirLast.qpos[0] - last.pose[0])).toBeLessThan(0.15);
  });
});

describe('a box that slides', () => {
  test("stops where MuJoCo's does, and v^2 / (2 mu g) away", () => {
    for (const friction of [0.2, 0.6]) {
      const xml = scene(
        `<body><freejoint/><inertial pos="0 0 0" mass="3" diaginertia="0.05 0.05 0.05"/>
         <geom type="box" size="0.2 0.1 0.2"/></body>`,
        friction,
      );
      const figure = createFigure({
        bones: [{ name: 'box', joint: { type: 'free' }, mass: 3, inertia: [0.05, 0.05, 0.05, 0, 0, 0] }],
      });
      const shapes = [{ bone: 'box', type: 'box', halfSizes: [0.2, 0.1, 0.2], friction }] as const;
      const theirs = play(xml, 2, [0, 0.1, 0, 1, 0, 0, 0], [2, 0, 0, 0, 0, 0]);
      const ours = playOurs(
        { figure, shapes, pose: [0, 0.1, 0, 0, 0, 0], velocity: [2, 0, 0, 0, 0, 0] },
        friction,
        2,
      );
      const sign = 4 / (2 * friction * 9.81);
      expect(ours[1999].pose[0] / sign).toBeCloseTo(1, 2);
      expect(Math.abs(theirs[1999].qpos[0] - ours[1999].pose[0])).toBeLessThan(0.03 * sign);
    }
  });
});

describe('a chain of capsules that drops flat and bent', () => {
  const links = [0, 1, 2];
  const half = 0.15;
  const body = (k: number): string =>
    k === links.length
      ? ''
      : `<body pos="${k === 0 ? 0 : 2 * half} 0 0">
          ${k === 0 ? '<freejoint/>' : '<joint type="hinge" axis="0 1 0" damping="0.05"/>'}
          <inertial pos="${half} 0 0" mass="1" diaginertia="0.002 0.01 0.01"/>
          <geom type="capsule" fromto="0 0 0 ${2 * half} 0 0" size="0.05"/>${body(k + 1)}</body>`;
  const figure = createFigure({
    bones: links.map((k) => ({
      name: `link${k}`,
      parent: k === 0 ? null : `link${k - 1}`,
      rest: { position: [k === 0 ? 0 : 2 * half, 0, 0] as const },
      joint: k === 0 ? ({ type: 'free' } as const) : ({ type: 'hinge', axis: [0, 1, 0] } as const),
      mass: 1,
      centerOfMass: [half, 0, 0] as const,
      inertia: [0.002, 0.01, 0.01, 0, 0, 0] as const,
    })),
  });
  const shapes = links.map(
    (k) =>
      ({
        bone: `link${k}`,
        type: 'capsule',
        from: [0, 0, 0],
        to: [2 * half, 0, 0],
        radius: 0.05,
        friction: 0.7,
      }) as const,
  );

  test('moves alike in the air, lands at the same step and lies at the same angles', () => {
    const bent = [0.9, -1.2];
    const rotations = [1.5, -2];
    const theirs = play(
      scene(body(0), 0.7),
      2,
      [0, 0.3, 0, 1, 0, 0, 0, ...bent],
      [0, 0, 0, 0, 0.5, 0, ...rotations],
    );
    const damping = new Float64Array(figure.dof).fill(0.05, 6);
    const velocity = [0, 0, 0, 0, 0.5, 0, ...rotations];
    const ours = playOurs({ figure, shapes, damping, pose: [0, 0.3, 0, 0, 0, 0, ...bent], velocity }, 0.7, 2);
    const lands = first(theirs, ({ contacts }) => contacts > 0);
    expect(Math.abs(first(ours, ({ touching }) => touching > 0) - lands)).toBeLessThanOrEqual(2);
    const before = lands - 2;
    // Joint velocities, both of first order: h times accelerations of some 10 /s^2.
    for (const i of [6, 7]) {
      expect(Math.abs(ours[before].velocity[i] - theirs[before].qvel[i])).toBeLessThan(0.02);
      expect(Math.abs(ours[before].pose[i] - theirs[before].qpos[i + 1])).toBeLessThan(0.005);
    }
    expect(Math.abs(ours[before].pose[1] - theirs[before].qpos[1])).toBeLessThan(1e-9);
    // Flat on the floor friction stops all within some 10 ms of the blow; MuJoCo's springs take 20 ms.
    const [last, theirLast] = [ours[1999], theirs[1999]];
    for (const i of [6, 7]) expect(Math.abs(last.pose[i] - theirLast.qpos[i + 1])).toBeLessThan(0.1);
    expect(last.pose[1]).toBeCloseTo(0.05, 5);
    const dynamics = createDynamics(figure);
    const { linear, mass } = computeMomentum(dynamics, last.pose, last.velocity);
    expect(Math.hypot(...linear)).toBeLessThan(1e-3 * mass);
  });
});

test('a pile of balls in a bowl of boxes rests no deeper than in MuJoCo and as high', () => {
  // A pyramid of four balls held by four walls.
  const balls = [
    [-0.1, 0.1, -0.1],
    [0.1, 0.1, -0.1],
    [-0.1, 0.1, 0.1],
    [0.1, 0.1, 0.1],
    [0, 0.3, 0],
  ];
  const walls = [
    [0.25, 0.2, 0, 0.05, 0.2, 0.2],
    [-0.25, 0.2, 0, 0.05, 0.2, 0.2],
    [0, 0.2, 0.25, 0.2, 0.2, 0.05],
    [0, 0.2, -0.25, 0.2, 0.2, 0.05],
  ];
  const xml = scene(
    walls
      .map((w) => `<geom type="box" pos="${w.slice(0, 3).join(' ')}" size="${w.slice(3).join(' ')}"/>`)
      .join('') +
      balls
        .map((p) => `<body pos="${p.join(' ')}"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>`)
        .join(''),
    0.5,
  );
  const theirs = play(
    xml,
    2,
    balls.flatMap((p) => [...p, 1, 0, 0, 0]),
    new Array(30).fill(0),
  );
  const figure = createFigure({
    bones: [{ name: 'ball', joint: { type: 'free' }, mass: 1, inertia: [0.004, 0.004, 0.004, 0, 0, 0] }],
  });
  const shapes = [{ bone: 'ball', type: 'sphere', radius: 0.1, friction: 0.5 }] as const;
  const simulation = createSimulation(
    balls.map((p) => ({ figure, shapes, pose: [...p, 0, 0, 0] })),
    {
      world: [
        { type: 'plane', friction: 0.5 },
        ...walls.map(
          (w) =>
            ({
              type: 'box',
              halfSizes: [w[3], w[4], w[5]],
              placement: { position: [w[0], w[1], w[2]] },
              friction: 0.5,
            }) as const,
        ),
      ],
      sleep: false,
    },
  );
  for (let n = 0; n < 240; n++) stepSimulation(simulation, 1 / 120);
  // At rest on four balls a side of 0.2 apart: 0.1 + 0.1 sqrt 2 above the floor.
  expect(simulation.actors[4].pose[1]).toBeCloseTo(0.1 + 0.1 * Math.SQRT2, 4);
  expect(Math.abs(theirs[1999].qpos[29] - simulation.actors[4].pose[1])).toBeLessThan(5e-3);
  expect(simulation.report.depth).toBeLessThan(1e-5);
});
