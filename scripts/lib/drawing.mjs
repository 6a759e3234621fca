import { boneIndex, createState, forwardKinematics } from 'poise';

/** @import { Figure } from 'poise' */
/** @typedef {readonly [number, number, number]} Point a place in the world, m */
/** @typedef {{ yaw: number, pitch: number, scale: number, center: Point, at: readonly [number, number] }} View
 * degrees to its left and above from which the figure is seen, pixels a metre, and where a world point comes to lie */

export const BEFORE = '#c3c7ce';
export const AFTER = '#1d2b4f';
export const ASKED = '#e8590c';
export const LIMIT = '#1971c2';

/**
 * Orthographic projection along a direction.
 *
 * @param {View} view
 * @returns {(p: Point) => [number, number]}
 */
export function projection({ yaw, pitch, scale, center, at }) {
  const [y, p] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  const right = [Math.cos(y), 0, -Math.sin(y)];
  const up = [-Math.sin(y) * Math.sin(p), Math.cos(p), -Math.cos(y) * Math.sin(p)];
  return (place) => {
    const d = place.map((x, k) => x - center[k]);
    return [
      at[0] + scale * (right[0] * d[0] + right[1] * d[1] + right[2] * d[2]),
      at[1] - scale * (up[0] * d[0] + up[1] * d[1] + up[2] * d[2]),
    ];
  };
}

/** Direction to the viewer. @param {View} view */
function towards({ yaw, pitch }) {
  const [y, p] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  return [Math.sin(y) * Math.cos(p), Math.sin(p), Math.cos(y) * Math.cos(p)];
}

/**
 * World positions of points of bones in a pose.
 *
 * @param {Figure} figure
 * @param {Float64Array} pose
 * @returns {(bone: string, point?: Point) => Point}
 */
export function positionsOf(figure, pose) {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const m = state.worldFromBone;
  return (bone, [x, y, z] = [0, 0, 0]) => {
    const o = 12 * boneIndex(figure, bone);
    /** @param {number} k */
    const at = (k) => m[o + 9 + k] + m[o + 3 * k] * x + m[o + 3 * k + 1] * y + m[o + 3 * k + 2] * z;
    return [at(0), at(1), at(2)];
  };
}

/** @param {number} x */
const number = (x) => (Math.round(1000 * x) / 1000 + 0).toString();

/** Draws on a canvas of its own size; everything in pixels but what goes through a view. */
export class Drawing {
  /** @param {string} title @param {number} width @param {number} height */
  constructor(title, width, height) {
    this.title = title;
    this.width = width;
    this.height = height;
    /** @type {string[]} */
    this.lines = [];
  }

  /** @param {readonly (readonly (readonly number[])[])[]} strokes @param {string} more attributes */
  strokes(strokes, more) {
    const d = strokes
      .map((points) => points.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${number(x)} ${number(y)}`).join(''))
      .join('');
    this.lines.push(`<path d="${d}" ${more}/>`);
  }

  /** @param {readonly number[]} at @param {number} radius @param {string} more attributes */
  circle([x, y], radius, more) {
    this.lines.push(`<circle cx="${number(x)}" cy="${number(y)}" r="${number(radius)}" ${more}/>`);
  }

  /** @param {readonly number[]} at @param {string} words @param {string} [more] attributes */
  text([x, y], words, more = '') {
    const halo = 'stroke="#fff" stroke-width="4" paint-order="stroke"';
    this.lines.push(`<text x="${number(x)}" y="${number(y)}" ${halo} ${more}>${words}</text>`);
  }

  /** Target: a ring with a dot. @param {readonly number[]} at */
  target(at) {
    this.circle(at, 8, `fill="none" stroke="${ASKED}" stroke-width="2.5"`);
    this.circle(at, 2.5, `fill="${ASKED}"`);
  }

  /**
   * @param {readonly number[]} from
   * @param {readonly number[]} to
   * @param {string} color
   * @param {number} [width]
   */
  arrow(from, to, color, width = 2.5) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    const [ux, uy] = [dx / length, dy / length];
    const size = 3 + 2 * width;
    /** @param {number} side */
    const barb = (side) => [
      to[0] - size * ux - side * 0.5 * size * uy,
      to[1] - size * uy + side * 0.5 * size * ux,
    ];
    const shaft = [to[0] - 0.8 * size * ux, to[1] - 0.8 * size * uy];
    this.strokes([[from, shaft]], `fill="none" stroke="${color}" stroke-width="${width}"`);
    this.strokes([[barb(1), to, barb(-1)]], `fill="${color}"`);
  }

  /**
   * The bones of a figure: from each to its children and its tip; a head as a ball with a nose.
   *
   * @param {Figure} figure
   * @param {Float64Array} pose
   * @param {View} view
   * @param {{ color: string, width?: number, only?: (bone: string) => boolean }} look
   */
  figure(figure, pose, view, { color, width = 5, only = () => true }) {
    const project = projection(view);
    const place = positionsOf(figure, pose);
    /** @type {[number, number][][]} */
    const bones = [];
    for (const { name, parent, tip, rest } of figure.bones) {
      if (!only(name)) continue;
      const [x, y, z] = rest.position;
      if (parent >= 0 && Math.hypot(x, y, z) > 0.03 && only(figure.bones[parent].name)) {
        bones.push([project(place(figure.bones[parent].name)), project(place(name))]);
      }
      const carries = figure.bones.some(
        (bone) => bone.parent >= 0 && figure.bones[bone.parent].name === name,
      );
      if (tip && !carries && name !== 'head')
        bones.push([project(place(name)), project(place(name, toTriple(tip)))]);
    }
    const round = `fill="none" stroke="${color}" stroke-linecap="round" stroke-linejoin="round"`;
    this.strokes(bones, `${round} stroke-width="${width}"`);
    if (!figure.bones.some(({ name }) => name === 'head') || !only('head')) return;
    const [middle, root, tip] = [0, 0.05, 0.15].map((z) => place('head', [0, 0.06, z]));
    const nose = [[project(root), project(tip)]];
    this.strokes(nose, `${round} stroke-width="${width}"`);
    this.circle(project(place('head', [0, 0.07, 0])), 0.095 * view.scale, `fill="${color}"`);
    const eye = towards(view);
    const ahead = eye.reduce((sum, x, k) => sum + x * (tip[k] - middle[k]), 0);
    if (ahead > 0) this.strokes(nose, 'fill="none" stroke="#fff" stroke-linecap="round" stroke-width="2.5"');
  }

  /** A disk or circle in space. @param {Point} center @param {Point} u @param {Point} v half axes
   * @param {(p: Point) => [number, number]} project @param {string} more */
  ring(center, u, v, project, more) {
    const points = Array.from({ length: 49 }, (_, n) => {
      const [c, s] = [Math.cos((n * Math.PI) / 24), Math.sin((n * Math.PI) / 24)];
      return project([
        center[0] + c * u[0] + s * v[0],
        center[1] + c * u[1] + s * v[1],
        center[2] + c * u[2] + s * v[2],
      ]);
    });
    this.strokes([points], more);
  }

  toString() {
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}" font-family="sans-serif" font-size="14" fill="#333">`,
      `<title>${this.title}</title>`,
      `<rect width="${this.width}" height="${this.height}" fill="#fff"/>`,
      ...this.lines,
      '</svg>\n',
    ].join('\n');
  }
}

/** @param {ArrayLike<number>} p @returns {Point} */
function toTriple(p) {
  return [p[0], p[1], p[2]];
}
