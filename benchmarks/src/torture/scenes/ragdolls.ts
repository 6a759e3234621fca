/** What a page does to humans with the mouse: hung, pinned, dragged, dropped, piled. */
import type { Connection, Drag, Event, Figure, Scene, Triple } from '../scene.js';
import { type Draw, rotationBy } from './draw.js';
import {
  block,
  body,
  boxForm,
  type Draft,
  floor,
  human,
  humanBone,
  NONE,
  pit,
  restPlace,
  stairs,
  standing,
  steps,
  triple,
} from './parts.js';

/** Up to thirty fall into a pit, one lying above the other. */
export function pile(draw: Draw, short: boolean): Draft {
  const count = short ? draw.whole(3, 5) : draw.pick([10, 20, 30, 30]);
  const figures = Array.from({ length: count }, (_, k) => {
    const lying = rotationBy([1, 0, 0], draw.pick([-1, 1]) * (Math.PI / 2));
    const yaw = rotationBy([0, 1, 0], draw.between(-0.6, 0.6));
    return human([0, 0.5 + 0.45 * k, draw.between(-0.1, 0.1)], {
      rotation: multiply(yaw, lying),
      velocity: [0, -2, 0],
    });
  });
  return {
    world: [floor(), ...pit(1.6, 3)],
    figures,
    steps: steps(1 / 60, short ? 8 : 15),
    expect: { rest: true },
  };
}

function multiply(a: Figure['rotation'], b: Figure['rotation']): Figure['rotation'] {
  const [ax, ay, az, aw] = a;
  const [bx, by, bz, bw] = b;
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by + ay * bw + az * bx - ax * bz,
    aw * bz + az * bw + ax * by - ay * bx,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

const HANDS = ['leftHand', 'rightHand'] as const;
/** Hips of a human in the air, and the air's drag per kg, by which it stops swinging: 1/s. */
const HIGH: Triple = [0, 3, 0];
const DRAG = 2.5;

/** Hung by a hand, a crate of up to 300 kg on a foot or the other hand. */
export function hang(draw: Draw, short: boolean): Draft {
  const [hand, other] = draw.chance(0.5) ? HANDS : [HANDS[1], HANDS[0]];
  const bone = draw.pick([other, 'leftFoot', 'rightFoot', 'rightToes']);
  const rotation = rotationBy([0, 0, 1], (hand === 'leftHand' ? 1 : -1) * draw.between(0, 1.2));
  const mass = draw.pick([5, 20, 40, 100, 100, 300]);
  const place = restPlace(bone, HIGH, rotation);
  const drop = 0.35;
  const crate = body([boxForm([0.2, 0.2, 0.2])], mass, [place[0], place[1] - drop, place[2]], { drag: DRAG });
  const connections: Connection[] = [pinned(0, hand, restPlace(hand, HIGH, rotation))];
  const isLoaded = draw.chance(0.85);
  if (isLoaded) {
    connections.push({
      a: { figure: 1, bone: 0, point: [0, drop, 0] },
      b: { figure: 0, bone: humanBone(bone), point: NONE },
    });
  }
  return {
    figures: [human(HIGH, { rotation, drag: DRAG }), ...(isLoaded ? [crate] : [])],
    connections,
    steps: steps(draw.pick([1 / 60, 1 / 60, 1 / 120, 1 / 30]), short ? 10 : 16),
    expect: { rest: true },
  };
}

function pinned(figure: number, bone: string, point: Triple): Connection {
  return { a: { figure, bone: humanBone(bone), point: NONE }, b: { point } };
}

/** Pinned at both hands, pulled at another bone by up to 2,000 N, let go, at times with one of the hands. */
export function pull(draw: Draw, short: boolean): Draft {
  const dt = draw.pick([1 / 60, 1 / 60, 1 / 120]);
  const seconds = short ? 12 : 18;
  const bone = draw.pick(['hips', 'leftFoot', 'head', 'upperChest', 'rightLowerLeg']);
  const path = [0, 1, 2, 3].map((): Triple => {
    const way = draw.direction();
    return triple(way.map((x, k) => HIGH[k] + 2.5 * x));
  });
  const isReleased = draw.chance(0.3);
  const released: Event = { step: Math.round((0.4 * seconds) / dt), type: 'release', connection: 0 };
  return {
    figures: [human(HIGH, { drag: DRAG })],
    connections: HANDS.map((hand) => pinned(0, hand, restPlace(hand, HIGH))),
    events: isReleased ? [released] : [],
    drags: [mouse(draw, 0, bone, path, 0.5, 0.4 * seconds, dt, draw.log(200, 2000))],
    steps: steps(dt, seconds),
    expect: { rest: true },
  };
}

/**
 * A mouse on a bone, from a time until another: a spring that a page would write, with stiffness and damping that an explicit force on the
 * bone's mass stays stable with.
 */
export function mouse(
  draw: Draw,
  figure: number,
  bone: string,
  path: readonly Triple[],
  from: number,
  until: number,
  dt: number,
  maxForce: number,
): Drag {
  const index = humanBone(bone);
  const mass = human(NONE).bones[index].mass;
  return {
    at: { figure, bone: index, point: NONE },
    from: Math.round(from / dt),
    until: Math.round(until / dt),
    path,
    stiffness: Math.min(5000, (0.25 * mass) / dt ** 2),
    damping: (0.25 * mass) / dt,
    maxForce,
    by: draw.chance(0.5) ? 'force' : 'connection',
  };
}

/** Dragged by a hand or a toe over stairs and crates, and through them as far as a thousand newtons go. */
export function drag(draw: Draw, short: boolean): Draft {
  const dt = draw.pick([1 / 60, 1 / 60, 1 / 120, 1 / 30]);
  const seconds = short ? 12 : 16;
  const bone = draw.pick(['leftHand', 'rightHand', 'leftToes', 'head']);
  const corner = (): Triple => [draw.between(-2, 3), draw.between(-0.3, 2), draw.between(-1.5, 1.5)];
  const path = Array.from({ length: draw.whole(3, 8) }, corner);
  const crates = Array.from({ length: draw.whole(0, 3) }, (_, k) =>
    body([boxForm([0.2, 0.2, 0.2])], draw.log(2, 100), [-0.8 - 0.5 * k, 0.201, draw.between(-1, 1)]),
  );
  return {
    world: [floor(), ...stairs(5)],
    figures: [human(standing(-2, 0)), ...crates],
    drags: [mouse(draw, 0, bone, path, 0.3, 0.4 * seconds, dt, draw.log(150, 1000))],
    steps: steps(dt, seconds),
    expect: { rest: true },
  };
}

/** From up to 50 m on the floor, stairs or blocks. */
export function drop(draw: Draw, short: boolean): Draft {
  const height = draw.log(2, 50);
  const ground = draw.pick(['floor', 'stairs', 'blocks'] as const);
  const blocks = Array.from({ length: 6 }, (_, k) => {
    const tall = draw.between(0.1, 0.6);
    return block([0.45 * (k - 2.5), tall, draw.between(-0.5, 0.5)], [0.2, tall, 0.4]);
  });
  const extra: Scene['world'] = ground === 'stairs' ? stairs(6) : ground === 'blocks' ? blocks : [];
  const figures = [human([0, height, 0], { rotation: draw.rotation(Math.PI), spin: wild(draw, 6) })];
  if (draw.chance(0.4)) {
    const place: Triple = [0.2, height + 3, 0.2];
    figures.push(
      body([boxForm([0.25, 0.25, 0.25])], draw.log(5, 200), place, { rotation: draw.rotation(Math.PI) }),
    );
  }
  const fall = Math.sqrt((2 * height) / 9.81);
  const dt = draw.pick([1 / 60, 1 / 60, 1 / 120, 1 / 30]);
  return {
    world: [floor(), ...extra],
    figures,
    steps: steps(dt, fall + (short ? 8 : 12)),
    expect: { rest: true },
  };
}

/** A vector of up to a length in any direction. */
export function wild(draw: Draw, max: number): Triple {
  const size = draw.between(0, max);
  return triple(draw.direction().map((x) => size * x));
}
