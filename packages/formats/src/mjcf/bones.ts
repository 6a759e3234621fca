/** Bones from the bodies and joints of a model. */
import type { BoneData, JointData, LimitData, RigidData } from 'poise/figure';
import { cut, fail } from '../text/json-checks.js';
import type { BodyElement } from './body-element.js';
import type { MassProperties } from './geom-mass.js';
import type { JointElement } from './joint-element.js';
import { IDENTITY, placedIn, tripleOf } from './placement.js';

/** A joint with its place in the figure. */
export interface PlacedJoint {
  readonly element: JointElement;
  /** Its own name, or one made of its body's. */
  readonly name: string;
  readonly body: string;
  /** Frame of the body in its parent, in the pose of the file. */
  readonly frame: RigidData;
  /** Name of the bone that it moves. */
  readonly bone: string;
}

/**
 * The bones of all bodies. A body is one bone of its name, whose frame is the body's. Its last joint is that bone's where it turns
 * about the body's origin; every other joint has a massless bone of its own at its anchor, named as the joint.
 *
 * @param root - Frame of MuJoCo's world in the figure's.
 * @throws FormatError `duplicate-name` for two joints of one name, before names are made free of each other: that takes the square of how many share one.
 */
export function bonesOf(
  bodies: readonly BodyElement[],
  root: RigidData,
): { readonly bones: readonly BoneData[]; readonly joints: readonly PlacedJoint[] } {
  const used = new Set(bodies.map(({ name }) => name));
  const labels = new Set<string>();
  const bones: BoneData[] = [];
  const joints: PlacedJoint[] = [];
  for (const body of bodies) {
    let parent = body.parent < 0 ? null : bodies[body.parent].name;
    let rest = body.parent < 0 ? placedIn(root, body.frame) : body.frame;
    let joint: JointElement | undefined;
    body.joints.forEach((element, k) => {
      const label = element.name ?? `${body.name}.joint${k + 1}`;
      if (labels.has(label)) {
        const what = `two joints have the name '${cut(label)}'.`;
        fail('duplicate-name', element.location, what, 'Give each joint a unique name.');
      }
      labels.add(label);
      const isLast = k + 1 === body.joints.length;
      const inBody = isLast && element.anchor.every((x) => x === 0);
      const bone = inBody ? body.name : freeName(label, used);
      used.add(bone);
      joints.push({ element, name: label, body: body.name, frame: body.frame, bone });
      const at = placedIn(rest, { ...IDENTITY, position: element.anchor });
      if (inBody) {
        joint = element;
        rest = at;
        return;
      }
      bones.push({ name: bone, parent, rest: at, ...jointDataOf(element) });
      parent = bone;
      // The next joint's anchor is given in the body, whose origin lies there.
      rest = { ...IDENTITY, position: tripleOf(element.anchor.map((x) => 0 - x)) };
    });
    bones.push({ name: body.name, parent, rest, ...(joint && jointDataOf(joint)), ...massData(body.mass) });
  }
  return { bones, joints };
}

function freeName(base: string, used: ReadonlySet<string>): string {
  let name = base;
  while (used.has(name)) name += '_';
  return name;
}

function massData(mass: MassProperties | undefined): Partial<BoneData> {
  if (mass === undefined) return {};
  const { inertia, ...rest } = mass;
  return inertia.some((x) => x !== 0) ? mass : rest;
}

function jointDataOf(element: JointElement): { joint: JointData; limit?: LimitData } {
  const limit = limitOf(element);
  return { joint: typeOf(element), ...(limit && { limit }) };
}

function typeOf({ type, axis }: JointElement): JointData {
  switch (type) {
    case 'hinge':
      return { type: 'hinge', axis };
    case 'slide':
      return { type: 'slider', axis };
    case 'ball':
      return { type: 'ball' };
    case 'free':
      return { type: 'free' };
  }
}

/** In coordinates of the figure, which are zero in the pose of the file. A ball that may turn by pi has no limit. */
function limitOf({ type, range, ref }: JointElement): LimitData | undefined {
  if (range === undefined) return undefined;
  if (type !== 'ball') return { type: 'interval', min: range[0] - ref, max: range[1] - ref };
  return range[1] < Math.PI ? { type: 'angle', max: range[1] } : undefined;
}
