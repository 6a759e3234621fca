/** Scenes of few and small figures for many steps: bodies that fall, chains with limits, small ragdolls. Each is plain data, in the words of the torture. */
import type { Bone, BoneShape, Figure, Form, Joint, Limit, Scene, Triple } from '../torture/scene.js';
import { createDraw, type Draw } from '../torture/scenes/draw.js';
import { body, boxForm, type Draft, floor, NONE, steps, triple, UPRIGHT } from '../torture/scenes/parts.js';

const AXES: readonly Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

const spinOf = (draw: Draw, most: number): Triple => {
  const speed = draw.between(0, most);
  return triple(draw.direction().map((x) => speed * x));
};

/** A form about its origin, no larger than `size` from there. */
function formOf(draw: Draw, size: number): Form {
  return draw.pick<Form>([
    { type: 'sphere', center: NONE, radius: size },
    { type: 'capsule', from: [0, -0.5 * size, 0], to: [0, 0.5 * size, 0], radius: 0.5 * size },
    boxForm([0.5 * size, 0.4 * size, 0.6 * size]),
  ]);
}

/** Bodies that fall on the floor and onto each other. */
function bodies(draw: Draw): Draft {
  const count = draw.whole(1, 6);
  const across = draw.pick([0.1, 0.4, 2]);
  const figures = Array.from({ length: count }, (_, k): Figure => {
    const size = draw.log(0.05, 0.3);
    const place: Triple = [draw.between(-across, across), 0.4 + 0.65 * k, draw.between(-across, across)];
    return body([formOf(draw, size)], draw.log(0.1, 20), place, {
      rotation: draw.rotation(Math.PI),
      velocity: triple(draw.direction().map((x) => draw.between(0, 3) * x)),
      spin: spinOf(draw, 10),
      surface: { friction: draw.between(0, 1), restitution: draw.pick([0, 0, 0.3, 0.8]) },
    });
  });
  return { world: [floor()], figures, steps: steps(draw.pick([1 / 30, 1 / 60, 1 / 60, 1 / 120]), 3) };
}

const rangeOf = (draw: Draw): readonly [number, number] => [-draw.between(0.1, 1.4), draw.between(0.1, 1.4)];

/** A joint with its limit, some without. */
function jointOf(draw: Draw): { readonly joint: Joint; readonly limit?: Limit } {
  const isLimited = draw.chance(0.75);
  const kind = draw.pick(['hinge', 'ball', 'swing', 'ball-and-socket', 'euler'] as const);
  const first = draw.whole(0, 2);
  const [axis, side] = [AXES[first], AXES[(first + 1) % 3]];
  const limitOf = (limit: Limit) => (isLimited ? { limit } : {});
  switch (kind) {
    case 'hinge':
      return { joint: { type: kind, axis }, ...limitOf({ type: 'interval', range: rangeOf(draw) }) };
    case 'ball':
      return { joint: { type: kind }, ...limitOf({ type: 'angle', max: draw.between(0.1, 1.5) }) };
    case 'swing':
    case 'ball-and-socket': {
      const swing = { type: 'swing', s: rangeOf(draw), t: rangeOf(draw) } as const;
      const twist = kind === 'swing' ? {} : { twist: rangeOf(draw) };
      // Without a limit a swing passes pi, where its coordinates end.
      return { joint: { type: kind, axis, side }, limit: { ...swing, ...twist } };
    }
    case 'euler':
      return {
        joint: { type: kind, order: 'XZY' },
        limit: { type: 'box', ranges: [rangeOf(draw), rangeOf(draw), rangeOf(draw)] },
      };
  }
}

/** A capsule of a bone along its way to the next. */
function linkOf(draw: Draw, way: Triple): Pick<Bone, 'mass' | 'center' | 'inertia'> {
  const mass = draw.log(0.2, 5);
  const long = Math.hypot(...way);
  const inertia = mass * (long * long) * 0.1;
  return { mass, center: triple(way.map((x) => 0.5 * x)), inertia: [inertia, inertia, inertia, 0, 0, 0] };
}

/** A tree of links with joints of every type: from a free root or one that stands. */
function treeOf(draw: Draw, root: Joint, count: number, isChain: boolean, place: Triple): Figure {
  const bones: Bone[] = [];
  const shapes: BoneShape[] = [];
  const damping = draw.chance(0.3) ? 0 : draw.log(0.01, 1);
  const ways = Array.from({ length: count }, () => {
    const long = draw.between(0.12, 0.35);
    return triple(draw.direction().map((x) => long * x));
  });
  for (let k = 0; k < count; k++) {
    const parent = k === 0 ? -1 : isChain ? k - 1 : draw.whole(Math.max(0, k - 3), k - 1);
    bones.push({
      name: `b${k}`,
      parent,
      at: parent < 0 ? NONE : ways[parent],
      ...(k === 0 ? { joint: root } : jointOf(draw)),
      ...linkOf(draw, ways[k]),
      damping: { turn: damping, move: 0 },
    });
    // Shapes at the ends only: those of neighbours do not touch.
    const radius = draw.between(0.03, 0.05);
    const ball = { bone: k, type: 'sphere', radius, friction: 0.8, restitution: 0 } as const;
    if (k === 0) shapes.push({ ...ball, center: NONE });
    shapes.push({ ...ball, center: ways[k] });
  }
  const isFree = root.type === 'free';
  return {
    bones,
    shapes: isFree ? shapes : [],
    position: place,
    rotation: isFree ? draw.rotation(Math.PI) : UPRIGHT,
    velocity: isFree ? triple(draw.direction().map((x) => draw.between(0, 2) * x)) : NONE,
    spin: spinOf(draw, 3),
  };
}

/** Chains of all joint types that hang from points in the air. */
function chains(draw: Draw): Draft {
  const figures = Array.from({ length: draw.whole(1, 3) }, (_, k) =>
    treeOf(draw, { type: 'ball' }, draw.whole(1, 6), true, [3 * k, 0, 0]),
  );
  return { figures, steps: steps(draw.pick([1 / 60, 1 / 60, 1 / 120]), 2) };
}

/** Ragdolls of two to eight bones thrown on the floor. */
function ragdolls(draw: Draw): Draft {
  const figures = Array.from({ length: draw.whole(1, 2) }, (_, k) =>
    treeOf(draw, { type: 'free' }, draw.whole(2, 8), false, [3 * k, 3, 0]),
  );
  return { world: [floor()], figures, steps: steps(draw.pick([1 / 30, 1 / 60, 1 / 60, 1 / 120]), 2.5) };
}

const DRAFTS = { bodies, chains, ragdolls };
export type SceneKind = keyof typeof DRAFTS;

export function drawScene(kind: SceneKind, seed: number, number: number): Scene {
  const scene: Scene = {
    id: `${kind}-${seed}-${number}`,
    kind,
    gravity: 9.81,
    world: [],
    connections: [],
    events: [],
    drags: [],
    ...DRAFTS[kind](createDraw(kind, seed, number)),
    expect: { rest: false, energy: 'any', released: 0, walls: [], mayStayInside: false },
  };
  // What JSON does not hold, as -0, is in no scene.
  return JSON.parse(JSON.stringify(scene));
}
