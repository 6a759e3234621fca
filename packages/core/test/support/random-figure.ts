import {
  type BoneData,
  createFigure,
  type Figure,
  type JointData,
  type LimitData,
  type Triple,
} from 'poise/figure';

/** A seeded source of numbers in [0, 1): xorshift32, not the library's own. */
export function testRandom(seed: number): () => number {
  let x = seed | 0 || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 4294967296;
  };
}

export function randomTriple(random: () => number, size = 1): Triple {
  return [size * (2 * random() - 1), size * (2 * random() - 1), size * (2 * random() - 1)];
}

export function randomQuat(random: () => number): readonly [number, number, number, number] {
  const q = [2 * random() - 1, 2 * random() - 1, 2 * random() - 1, 2 * random() - 1];
  const n = Math.hypot(...q) || 1;
  return [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
}

function randomJoint(random: () => number): JointData {
  const axis = randomTriple(random);
  switch (Math.floor(8 * random())) {
    case 0:
      return { type: 'fixed' };
    case 1:
      return { type: 'hinge', axis };
    case 2:
      return { type: 'slider', axis };
    case 3:
      return { type: 'swing', axis };
    case 4:
      return { type: 'ball' };
    case 5:
      return { type: 'ball-and-socket', axis };
    case 6:
      return { type: 'euler', order: 'ZXY' };
    default:
      return { type: 'ball' };
  }
}

/** A limit of a random kind that fits the joint, or none. */
function randomLimit(joint: JointData, random: () => number): LimitData | undefined {
  const angle = (): number => 0.1 + 1.5 * random();
  const swing = (): LimitData & { type: 'cone' | 'ellipse' | 'quad-ellipse' } => {
    const kind = Math.floor(3 * random());
    if (kind === 0) return { type: 'cone', halfAngle: angle() };
    if (kind === 1) return { type: 'ellipse', halfAngles: [angle(), angle()] };
    return { type: 'quad-ellipse', s: [-angle(), angle()], t: [-angle(), angle()] };
  };
  switch (joint.type) {
    case 'hinge':
      return { type: 'interval', min: -angle(), max: angle() };
    case 'slider':
      return { type: 'interval', min: -0.3 * random(), max: 0.3 * random() };
    case 'swing':
      return swing();
    case 'ball':
      return { type: 'angle', max: angle() };
    case 'ball-and-socket':
      return { type: 'swing-twist', swing: swing(), twist: { min: -angle(), max: angle() } };
    case 'euler':
      return { type: 'box', min: [-angle(), -angle(), null], max: [angle(), null, angle()] };
    default:
      return undefined;
  }
}

/** A random tree of `count` bones with every kind of joint and limit; bone 0 moves. */
export function randomFigure(random: () => number, count: number, limited = true): Figure {
  const bones: BoneData[] = [];
  for (let i = 0; i < count; i++) {
    const joint: JointData = i === 0 ? { type: random() < 0.3 ? 'free' : 'ball' } : randomJoint(random);
    const limit = limited && random() < 0.8 ? randomLimit(joint, random) : undefined;
    bones.push({
      name: `bone${i}`,
      parent: i === 0 ? null : `bone${Math.floor(Math.max(0, i - 1 - 2 * random()))}`,
      rest: {
        position: randomTriple(random, 0.4),
        rotation: random() < 0.5 ? [0, 0, 0, 1] : randomQuat(random),
      },
      joint,
      ...(limit === undefined ? {} : { limit }),
      tip: randomTriple(random, 0.2),
      // By index, so that no number is drawn for them.
      mass: 0.5 + (i % 3),
      centerOfMass: [0.05 * i, 0.1, -0.02 * i],
    });
  }
  return createFigure({ name: 'random', bones });
}

/** A pose anywhere, limits or not. */
export function randomPose(figure: Figure, random: () => number, size = 2): Float64Array {
  return Float64Array.from({ length: figure.dof }, () => size * (2 * random() - 1));
}
