import {
  type ActorForces,
  applyImpulse,
  type ConnectionOptions,
  createSimulation,
  type BoneShape as PoiseShape,
  type WorldShape as PoiseWorldShape,
  stepSimulation,
} from 'poise/dynamics';
import {
  createFigure,
  createState,
  type LimitData,
  type Figure as PoiseFigure,
  poseFromLocalTransforms,
} from 'poise/figure';
import { createBodies, placeBodies } from '../../ragdoll/bodies.js';
import {
  conjugate,
  cross,
  plus,
  product,
  quaternionOf,
  rotate,
  type V,
  vectorOf,
} from '../../rigid/vectors.js';
import type { Figure, Form, Limit, Scene, Surface, Triple } from '../scene.js';
import {
  dragForce,
  firstBodies,
  isTouched,
  pointOf,
  STRIDE,
  statesOf,
  targetOf,
  writeState,
} from '../states.js';
import type { Engine, Run } from './engine.js';

export const poise: Engine = { name: 'Poise', version: 'poise', settings: 'its defaults', open };

/** Poise with its defaults. */
function open(scene: Scene): Run {
  const first = firstBodies(scene);
  const figures = scene.figures.map(figureOf);
  const simulation = createSimulation(
    scene.figures.map((figure, f) => ({
      figure: figures[f],
      shapes: figure.shapes.map(({ bone, ...shape }) => ({ bone, ...formOf(shape) })) as PoiseShape[],
      damping: dampingOf(figures[f], figure),
      ...startOf(figures[f], figure),
    })),
    {
      world: scene.world.map((shape) =>
        shape.type === 'plane'
          ? { type: 'plane', friction: shape.friction, restitution: shape.restitution }
          : formOf(shape),
      ) as PoiseWorldShape[],
      gravity: [0, -scene.gravity, 0],
      connections: connectionsOf(scene),
    },
  );
  const drags = scene.drags.map((drag, d) => ({
    ...drag,
    connection: simulation.connections[scene.connections.length + d],
  }));
  for (const { connection } of drags) connection.enabled = false;
  const bodies = figures.map(createBodies);
  const states = new Float64Array(STRIDE * first[figures.length]);
  const warnings = new Map<string, number>();

  function read(out: Float64Array): void {
    figures.forEach((figure, f) => {
      const { position, rotation, velocity, spin } = bodies[f];
      placeBodies(figure, simulation.actors[f].pose, simulation.actors[f].velocity, bodies[f]);
      for (let b = 0; b < figure.bones.length; b++) {
        writeState(out, first[f] + b, {
          position: position[b],
          rotation: rotation[b],
          velocity: velocity[b],
          spin: spin[b],
        });
      }
    });
  }

  function applyEvents(step: number): void {
    for (const event of scene.events) {
      if (event.step !== step) continue;
      if (event.type === 'release') simulation.connections[event.connection].enabled = false;
      else if (event.type === 'teleport') {
        const { pose, velocity } = simulation.actors[event.figure];
        pose.set([...event.position, ...vectorOf(event.rotation)]);
        velocity.fill(0);
      } else {
        const { bone, impulse, figure } = event;
        const { position, rotation } = bodies[figure];
        const center = rotate(rotation[bone], scene.figures[figure].bones[bone].center);
        applyImpulse(simulation, figure, bone, impulse, plus(position[bone], center) as unknown as Triple);
      }
    }
  }

  /** Forces of the step by figure and bone, of the state before it. */
  function dragForces(step: number): ActorForces | undefined {
    const acting = drags.flatMap((drag) => {
      if (drag.by === 'connection') {
        drag.connection.enabled = step >= drag.from && step < drag.until;
        drag.connection.positionB.set(targetOf(drag, step));
        return [];
      }
      const at = pointOf(statesOf(states), first, drag.at);
      const force = dragForce(drag, step, at);
      if (force === undefined) return [];
      const couple = cross(plus(at.position, bodies[drag.at.figure].position[drag.at.bone], -1), force);
      return [{ ...drag.at, wrench: [...force, ...couple] }];
    });
    if (acting.length === 0) return undefined;
    return ({ index }, { external }) => {
      for (const { figure, bone, wrench } of acting) {
        if (figure === index) for (let k = 0; k < 6; k++) external[6 * bone + k] += wrench[k];
      }
    };
  }

  return {
    warnings,
    read,
    step(step) {
      if (isTouched(scene, step)) read(states);
      applyEvents(step);
      try {
        const report = stepSimulation(simulation, scene.steps[step], dragForces(step));
        for (const each of report.warnings) warnings.set(each, (warnings.get(each) ?? 0) + 1);
        return report.status === 'done' ? undefined : report.status;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    close() {},
  };
}

function figureOf({ bones, position, rotation }: Figure): PoiseFigure {
  return createFigure({
    bones: bones.map(({ name, parent, at, joint, limit, mass, center, inertia }) => {
      const isFree = joint.type === 'free';
      const rest = parent >= 0 ? { position: at } : isFree ? {} : { position, rotation };
      return {
        name,
        ...(parent >= 0 && { parent: bones[parent].name }),
        rest,
        joint,
        ...(limit && { limit: limitOf(limit) }),
        mass,
        centerOfMass: center,
        inertia,
      };
    }),
  });
}

function limitOf(limit: Limit): LimitData {
  switch (limit.type) {
    case 'interval':
      return { type: 'interval', min: limit.range[0], max: limit.range[1] };
    case 'angle':
      return { type: 'angle', max: limit.max };
    case 'box':
      return {
        type: 'box',
        min: limit.ranges.map(([min]) => min),
        max: limit.ranges.map(([, max]) => max),
      };
    case 'swing': {
      const swing = { type: 'quad-ellipse', s: limit.s, t: limit.t } as const;
      if (limit.twist === undefined) return swing;
      const [min, max] = limit.twist;
      return { type: 'swing-twist', swing, twist: { min, max } };
    }
  }
}

function formOf(shape: Form & Surface) {
  if (shape.type !== 'box') return shape;
  const { center, rotation, half, type, friction, restitution } = shape;
  return { type, halfSizes: half, placement: { position: center, rotation }, friction, restitution };
}

function dampingOf(figure: PoiseFigure, { bones }: Figure): Float64Array {
  const out = new Float64Array(figure.dof);
  figure.bones.forEach(({ coordinate, dof, joint }, b) => {
    for (let k = 0; k < dof; k++) {
      const isMove = joint.type === 'free' && k < 3;
      out[coordinate + k] = isMove ? bones[b].damping.move : bones[b].damping.turn;
    }
  });
  return out;
}

/** Coordinates of the start, and joint velocities: those of the root alone. */
function startOf(figure: PoiseFigure, start: Figure): { pose: Float64Array; velocity: Float64Array } {
  const pose = new Float64Array(figure.dof);
  const velocity = new Float64Array(figure.dof);
  const local = new Float64Array(12 * figure.bones.length);
  figure.bones.forEach(({ parent, joint, rest }, b) => {
    const own = quaternionOf(start.jointRotations?.[b] ?? [0, 0, 0]);
    const isFree = parent < 0 && joint.type === 'free';
    const rotation = isFree ? product(start.rotation, own) : product(rest.rotation, own);
    const position = isFree ? start.position : rest.position;
    local.set(transform(rotation, position), 12 * b);
  });
  poseFromLocalTransforms(createState(figure), local, pose);
  const root = figure.bones[0];
  if (root.joint.type === 'free') velocity.set(start.velocity, root.coordinate);
  turnRoot(figure, pose, velocity, root.joint.type === 'free' ? 3 : 0, root.dof, start.spin);
  return { pose, velocity };
}

/** The velocities from coordinate `from` on at which the root spins so: angular velocity is linear in them. */
function turnRoot(
  figure: PoiseFigure,
  pose: Float64Array,
  velocity: Float64Array,
  from: number,
  until: number,
  spin: V,
): void {
  const bodies = createBodies(figure);
  const columns = Array.from({ length: until - from }, (_, k) => {
    const unit = new Float64Array(figure.dof);
    unit[from + k] = 1;
    placeBodies(figure, pose, unit, bodies);
    return [...bodies.spin[0]];
  });
  // Least squares by Gram and Schmidt; the columns are independent.
  const basis: number[][] = [];
  const triangle = columns.map((column) => {
    let rest = column;
    const row = basis.map((unit) => {
      const share = unit[0] * column[0] + unit[1] * column[1] + unit[2] * column[2];
      rest = plus(rest, unit, -share);
      return share;
    });
    const size = Math.hypot(...rest);
    basis.push(rest.map((x) => x / size));
    return [...row, size];
  });
  for (let k = columns.length - 1; k >= 0; k--) {
    let value = basis[k][0] * spin[0] + basis[k][1] * spin[1] + basis[k][2] * spin[2];
    for (let j = k + 1; j < columns.length; j++) value -= triangle[j][k] * velocity[from + j];
    velocity[from + k] = value / triangle[k][k];
  }
}

/** 12 numbers of a rigid transform: the rotation row by row, then the position. */
function transform(rotation: V, position: V): number[] {
  const rows = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].flatMap((unit) => rotate(conjugate(rotation), unit));
  return [...rows, ...position];
}

/** The scene's, then one for each drag, which acts while it is enabled. */
function connectionsOf({ connections, drags }: Scene): ConnectionOptions[] {
  const end = ({ figure, bone, point }: { figure: number; bone: number; point: Triple }) => ({
    actor: figure,
    bone,
    position: point,
  });
  return [
    ...connections.map(
      ({ a, b }): ConnectionOptions => ({
        type: 'point',
        a: end(a),
        b: 'bone' in b ? end(b) : { position: b.point },
      }),
    ),
    ...drags.map(
      ({ at, maxForce }): ConnectionOptions => ({
        type: 'point',
        a: end(at),
        b: { position: [0, 0, 0] },
        maxForce,
      }),
    ),
  ];
}
