import { type BoneData, createFigure, type Figure, type JointData, type Triple } from 'poise/figure';
import type { CoordinateCoupling, Marker } from 'poise/ik';

/** An element of an XML file: enough of a reader for OpenSim's models, which have neither entities nor CDATA. */
interface Xml {
  readonly tag: string;
  readonly name: string;
  readonly children: Xml[];
  text: string;
}

function parseXml(source: string): Xml {
  const root: Xml = { tag: '', name: '', children: [], text: '' };
  const open: Xml[] = [root];
  const tokens = source
    .replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, '')
    .matchAll(/<(\/?)([\w.:-]+)([^>]*?)(\/?)>|([^<]+)/g);
  for (const [, closing, tag, attributes, empty, text] of tokens) {
    const top = open[open.length - 1];
    if (text !== undefined) top.text += text;
    else if (closing === '/') open.pop();
    else {
      const element = { tag, name: /name="([^"]*)"/.exec(attributes)?.[1] ?? '', children: [], text: '' };
      top.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  return root;
}

function descendants(element: Xml, tag: string): Xml[] {
  return element.children.flatMap((child) => [
    ...(child.tag === tag ? [child] : []),
    ...descendants(child, tag),
  ]);
}

function textOf(element: Xml, tag: string): string {
  return descendants(element, tag)[0]?.text.trim() ?? '';
}

function numbersOf(text: string): number[] {
  return text.trim().split(/\s+/).map(Number);
}

/** One of the six motions of a CustomJoint: about or along an axis, by a coordinate, a spline of one, or a constant. */
interface Motion {
  readonly turns: boolean;
  readonly axis: Triple;
  readonly coordinate: string;
  readonly scale: number;
  readonly constant: number;
  readonly spline?: (x: number) => readonly [number, number, number];
}

function motionOf(element: Xml, ends: SplineEnds): Motion {
  const spline = descendants(element, 'SimmSpline')[0];
  const scale = Number(textOf(element, 'scale') || 1);
  const [x, y, z] = numbersOf(textOf(element, 'axis'));
  const coefficients = textOf(element, 'coefficients');
  return {
    turns: element.name.startsWith('rotation'),
    axis: [x, y, z],
    coordinate: textOf(element, 'coordinates'),
    scale: coefficients === '' ? scale : scale * numbersOf(coefficients)[0],
    constant: Number(textOf(element, 'value') || 0) * scale,
    ...(spline === undefined
      ? {}
      : { spline: cubicSpline(numbersOf(textOf(spline, 'x')), numbersOf(textOf(spline, 'y')), scale, ends) }),
  };
}

export interface OsimModel {
  readonly figure: Figure;
  readonly couplings: readonly CoordinateCoupling[];
  /** Bone of each OpenSim coordinate. */
  readonly boneOf: ReadonlyMap<string, string>;
  readonly markers: readonly Marker[];
}

/**
 * The joints and markers of an .osim file (versions 2.3 and 4.0) as a figure: a slider or hinge a coordinate, in OpenSim's order
 * (translations, then rotations 1 to 3); a translation that is a spline of an angle is a slider coupled to its hinge.
 */
export function readOsim(
  source: string,
  ranges: Readonly<Record<string, readonly number[]>>,
  ends: SplineEnds,
): OsimModel {
  const xml = parseXml(source);
  const bones: BoneData[] = [];
  const couplings: CoordinateCoupling[] = [];
  const boneOf = new Map<string, string>();
  const joints = descendants(xml, 'CustomJoint').map((joint) => jointOf(joint, xml, ends));
  for (const { parent, child, location, motions } of joints) {
    let above: string | null = parent === 'ground' ? null : parent;
    let position = location;
    const add = (name: string, joint: JointData): void => {
      bones.push({ name, parent: above, rest: { position }, joint, ...rangeOf(name, joint) });
      above = name;
      position = [0, 0, 0];
    };
    const rangeOf = (name: string, joint: JointData): Partial<BoneData> => {
      const range = ranges[name];
      return range === undefined || (joint.type !== 'hinge' && joint.type !== 'slider')
        ? {}
        : { limit: { type: 'interval', min: range[0], max: range[1] } };
    };
    for (const { turns, axis, coordinate, constant, spline, scale } of [
      ...motions.filter((motion) => !motion.turns),
      ...motions.filter((motion) => motion.turns),
    ]) {
      if (spline !== undefined) {
        const name = `${child}.${axis.indexOf(1)}`;
        add(name, { type: 'slider', axis });
        couplings.push({ bone: name, driver: { bone: coordinate }, map: spline });
      } else if (coordinate !== '') {
        if (scale !== 1) throw new Error(`${coordinate} is scaled`);
        add(coordinate, { type: turns ? 'hinge' : 'slider', axis });
        boneOf.set(coordinate, coordinate);
      } else if (constant !== 0) {
        if (turns) throw new Error(`${child} has a constant rotation`);
        position = [
          position[0] + constant * axis[0],
          position[1] + constant * axis[1],
          position[2] + constant * axis[2],
        ];
      }
    }
    add(child, { type: 'fixed' });
  }
  const markers = descendants(descendants(xml, 'MarkerSet')[0], 'Marker').map((marker) => {
    const [x, y, z] = numbersOf(textOf(marker, 'location'));
    const body = textOf(marker, 'body') || textOf(marker, 'socket_parent_frame');
    return { name: marker.name, bone: body.split('/').at(-1) as string, point: [x, y, z] as const };
  });
  return { figure: createFigure({ name: 'osim', bones }), couplings, boneOf, markers };
}

function jointOf(
  joint: Xml,
  xml: Xml,
  ends: SplineEnds,
): {
  readonly parent: string;
  readonly child: string;
  readonly location: Triple;
  readonly motions: readonly Motion[];
} {
  const motions = descendants(joint, 'TransformAxis').map((axis) => motionOf(axis, ends));
  const frames = descendants(joint, 'PhysicalOffsetFrame');
  const triple = (text: string): Triple => numbersOf(text) as unknown as Triple;
  const zero = (text: string): void => {
    if (numbersOf(text).some((x) => x !== 0))
      throw new Error(`${joint.name}: an offset this reader does not know`);
  };
  if (frames.length > 0) {
    const bodyOf = (frame: Xml): string => textOf(frame, 'socket_parent').split('/').at(-1) as string;
    const find = (socket: string): Xml => frames.find(({ name }) => name === textOf(joint, socket)) as Xml;
    const [from, to] = [find('socket_parent_frame'), find('socket_child_frame')];
    zero(textOf(from, 'orientation'));
    zero(textOf(to, 'orientation'));
    zero(textOf(to, 'translation'));
    return {
      parent: bodyOf(from),
      child: bodyOf(to),
      location: triple(textOf(from, 'translation')),
      motions,
    };
  }
  const body = descendants(xml, 'Body').find((each) =>
    descendants(each, 'CustomJoint').includes(joint),
  ) as Xml;
  zero(textOf(joint, 'orientation_in_parent'));
  zero(textOf(joint, 'orientation'));
  zero(textOf(joint, 'location'));
  return {
    parent: textOf(joint, 'parent_body'),
    child: body.name,
    location: triple(textOf(joint, 'location_in_parent')),
    motions,
  };
}

/** How a spline ends: OpenSim's own way, or with no curvature. */
export type SplineEnds = 'simm' | 'natural';

/**
 * OpenSim's SimmSpline: the cubic spline of Forsythe, Malcolm and Moler (1977), whose third derivative at each end is that of the cubic
 * through the four points there; or the natural one. Value and two derivatives.
 */
function cubicSpline(
  x: readonly number[],
  y: readonly number[],
  scale: number,
  ends: SplineEnds,
): (at: number) => readonly [number, number, number] {
  const n = x.length;
  const b = new Float64Array(n);
  const c = new Float64Array(n);
  const d = new Float64Array(n);
  d[0] = x[1] - x[0];
  c[1] = (y[1] - y[0]) / d[0];
  for (let i = 1; i < n - 1; i++) {
    d[i] = x[i + 1] - x[i];
    b[i] = 2 * (d[i - 1] + d[i]);
    c[i + 1] = (y[i + 1] - y[i]) / d[i];
    c[i] = c[i + 1] - c[i];
  }
  b[0] = -d[0];
  b[n - 1] = -d[n - 2];
  c[0] = ((c[2] / (x[3] - x[1]) - c[1] / (x[2] - x[0])) * d[0] ** 2) / (x[3] - x[0]);
  c[n - 1] =
    (-(c[n - 2] / (x[n - 1] - x[n - 3]) - c[n - 3] / (x[n - 2] - x[n - 4])) * d[n - 2] ** 2) /
    (x[n - 1] - x[n - 4]);
  if (ends === 'natural') {
    // A pivot beyond all others: the second derivative there is zero.
    b[0] = b[n - 1] = 1e30;
    c[0] = c[n - 1] = 0;
  }
  for (let i = 1; i < n; i++) {
    const t = d[i - 1] / b[i - 1];
    b[i] -= t * d[i - 1];
    c[i] -= t * c[i - 1];
  }
  c[n - 1] /= b[n - 1];
  for (let i = n - 2; i >= 0; i--) c[i] = (c[i] - d[i] * c[i + 1]) / b[i];
  for (let i = 0; i < n - 1; i++) {
    b[i] = (y[i + 1] - y[i]) / d[i] - d[i] * (c[i + 1] + 2 * c[i]);
    d[i] = (c[i + 1] - c[i]) / d[i];
    c[i] *= 3;
  }
  return (at) => {
    let i = 0;
    while (i < n - 2 && at > x[i + 1]) i++;
    const u = at - x[i];
    return [
      scale * (y[i] + u * (b[i] + u * (c[i] + u * d[i]))),
      scale * (b[i] + u * (2 * c[i] + 3 * u * d[i])),
      scale * (2 * c[i] + 6 * u * d[i]),
    ];
  };
}

/** A .trc file: marker names, and their places frame by frame in metres. */
export function readTrc(source: string): {
  readonly names: readonly string[];
  readonly times: readonly number[];
  readonly frames: readonly (readonly number[])[];
} {
  const lines = source.split(/\r?\n/);
  const header = lines[2].trim().split(/\s+/);
  const unit = header[4] === 'mm' ? 1e-3 : 1;
  const names = lines[3].trim().split(/\s+/).slice(2);
  const rows = lines
    .slice(5)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const numbers = rows
    .map((row) => row.split(/\s+/).map(Number))
    .filter((row) => row.length >= 3 * names.length + 2);
  return {
    names,
    times: numbers.map((row) => row[1]),
    frames: numbers.map((row) => row.slice(2, 2 + 3 * names.length).map((value) => unit * value)),
  };
}

/** Columns of a .csv or .mot table by name. */
export function readTable(source: string): {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly number[])[];
} {
  const body = source.includes('endheader') ? source.slice(source.indexOf('endheader') + 9) : source;
  const [head, ...rows] = body
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trim().split(/[,\s]+/));
  return { columns: head, rows: rows.map((row) => row.map(Number)) };
}
