import { createFigure, createHumanFigure, createIk, createPose, figureToData, solveIk } from 'poise';
import { AFTER, ASKED, BEFORE, Drawing, LIMIT, positionsOf, projection } from './drawing.mjs';

/** @import { Figure, Goal, IkOptions } from 'poise' */
/** @import { Point, View } from './drawing.mjs' */

// The scenes of docs/goals, as their snippets have them. A posture and sharp tolerances leave one answer, whatever way a solver goes.

const human = createHumanFigure();
const SHARP = 1e-9;
const TRUNK = ['hips', 'spine', 'chest', 'upperChest'];
const LINE = 'fill="none" stroke-linecap="round"';
/** @type {Goal} */
const posture = { type: 'posture', priority: 3 };

/** @type {View} */
const body = { yaw: 28, pitch: 12, scale: 150, center: [0, 0.9, 0], at: [220, 150] };

/**
 * @param {readonly Goal[]} goals
 * @param {IkOptions} [options]
 * @param {Figure} [figure]
 */
function solved(goals, options = { locked: ['hips'] }, figure = human) {
  const sharp = goals.map((goal) => (goal.type === 'posture' ? goal : { ...goal, tolerance: SHARP }));
  const pose = createPose(figure);
  const result = solveIk(createIk(figure, sharp, options), pose);
  return { pose, result, place: positionsOf(figure, pose) };
}

/**
 * Before in grey, after in dark.
 *
 * @param {Drawing} drawing
 * @param {View} view
 * @param {Float64Array} pose
 * @param {{ figure?: Figure, before?: boolean }} [more]
 */
function drawFigure(drawing, view, pose, { figure = human, before = true } = {}) {
  const project = projection(view);
  floor(drawing, view);
  if (before) drawing.figure(figure, createPose(figure), view, { color: BEFORE });
  drawing.figure(figure, pose, view, { color: AFTER });
  return project;
}

/** @param {Drawing} drawing @param {View} view */
function floor(drawing, view) {
  drawing.ring([0, 0, 0.05], [0.34, 0, 0], [0, 0, 0.34], projection(view), 'fill="#f1f3f5"');
}

/** @param {Drawing} drawing @param {readonly Point[]} corners @param {(p: Point) => [number, number]} project @param {string} more */
function patch(drawing, corners, project, more) {
  drawing.strokes([[...corners, corners[0]].map(project)], more);
}

const SURFACE = `fill="${ASKED}" fill-opacity="0.14" stroke="${ASKED}" stroke-opacity="0.5"`;

function position() {
  const drawing = new Drawing('A hand at a point, the other at a height', 440, 300);
  const { pose, place } = solved([
    { type: 'position', bone: 'leftHand', point: [0.08, 0, 0], target: [0.25, 1.3, 0.45] },
    { type: 'position', bone: 'rightHand', target: [0, 1.1, 0], mask: [0, 1, 0] },
    posture,
  ]);
  const project = drawFigure(drawing, body, pose);
  const hand = place('rightHand');
  /** @param {number} dx */
  const beside = (dx) => project([hand[0] + dx, 1.1, hand[2]]);
  drawing.strokes(
    [[beside(-0.3), beside(0.3)]],
    `${LINE} stroke="${ASKED}" stroke-width="2" stroke-dasharray="6 5"`,
  );
  drawing.circle(project(hand), 4, `fill="${ASKED}"`);
  drawing.target(project([0.25, 1.3, 0.45]));
  drawing.text([beside(-0.3)[0], beside(-0.3)[1] - 10], 'a height');
  const [x, y] = project([0.25, 1.3, 0.45]);
  drawing.text([x + 14, y + 5], 'a place');
  return drawing;
}

function orientation() {
  const drawing = new Drawing('A cup held level, and a hand that says stop', 440, 300);
  const { pose, place } = solved([
    { type: 'position', bone: 'leftHand', target: [0.2, 1.2, 0.3] },
    { type: 'orientation', bone: 'leftHand', target: [0, 0, 0, 1], mask: [1, 0, 1] },
    { type: 'orientation', bone: 'rightHand', target: [-0.5, 0.5, -0.5, 0.5] },
    posture,
  ]);
  const project = drawFigure(drawing, { ...body, yaw: -38, scale: 122, at: [190, 185] }, pose);
  // The cup stands on the back of the hand, upright along the hand's y axis.
  const foot = place('leftHand', [0.09, 0.015, 0]);
  const top = place('leftHand', [0.09, 0.13, 0]);
  for (const y of [0.015, 0.11]) {
    const middle = place('leftHand', [0.09, y, 0]);
    const [u, v] = [place('leftHand', [0.13, y, 0]), place('leftHand', [0.09, y, 0.04])];
    drawing.ring(
      middle,
      [u[0] - middle[0], u[1] - middle[1], u[2] - middle[2]],
      [v[0] - middle[0], v[1] - middle[1], v[2] - middle[2]],
      project,
      `fill="${ASKED}" fill-opacity="0.25" stroke="${ASKED}" stroke-width="1.5"`,
    );
  }
  drawing.arrow(project(foot), project([top[0], top[1] + 0.16, top[2]]), ASKED);
  const palm = place('rightHand', [-0.09, 0, 0]);
  const front = place('rightHand', [-0.09, -0.3, 0]);
  const fingers = place('rightHand', [-0.34, 0, 0]);
  drawing.arrow(project(palm), project(front), ASKED);
  drawing.arrow(project(palm), project(fingers), ASKED);
  const [fx, fy] = project(front);
  drawing.text([fx + 6, fy + 5], 'palm');
  const [gx, gy] = project(fingers);
  drawing.text([gx - 12, gy + 8], 'fingers', 'text-anchor="end"');
  const [cx, cy] = project(top);
  drawing.text([cx + 18, cy], 'up; free to turn');
  return drawing;
}

function pointsAt() {
  const drawing = new Drawing('Head and forearm point at a ball', 440, 300);
  /** @type {Point} */
  const ball = [0.8, 1.1, 0.9];
  const { pose, place } = solved([
    {
      type: 'points-at',
      bone: 'head',
      axis: [0, 0, 1],
      origin: [0, 0.07, 0.08],
      target: ball,
      up: { axis: [0, 1, 0] },
    },
    { type: 'points-at', bone: 'leftLowerArm', axis: [1, 0, 0], target: ball },
    posture,
  ]);
  const project = drawFigure(drawing, { ...body, yaw: -12, at: [185, 155] }, pose);
  const at = project(ball);
  drawing.strokes(
    [
      [project(place('head', [0, 0.07, 0.12])), at],
      [project(place('leftLowerArm')), at],
    ],
    `${LINE} stroke="${ASKED}" stroke-width="1.8" stroke-dasharray="6 5"`,
  );
  drawing.circle(at, 13, `fill="#fff" stroke="${ASKED}" stroke-width="3"`);
  drawing.arrow(project(place('head', [0, 0.18, 0])), project(place('head', [0, 0.36, 0])), LIMIT);
  const [x, y] = project(place('head', [0, 0.36, 0]));
  drawing.text([x + 8, y + 8], 'up');
  return drawing;
}

function lookAt() {
  const drawing = new Drawing('Chest, neck and head share the turning, from above', 440, 300);
  const chain = [
    { bone: 'upperChest', share: 1 },
    { bone: 'neck', share: 2 },
    { bone: 'head', share: 4 },
  ];
  /** @type {Point} */
  const target = [2, 1.596, 1.6];
  const { pose, place } = solved(
    [{ type: 'look-at', bone: 'head', axis: [0, 0, 1], target, up: { axis: [0, 1, 0] }, chain }],
    {},
  );
  /** @type {View} */
  const view = { yaw: 0, pitch: 90, scale: 210, center: [0, 1.6, 0], at: [180, 85] };
  const project = projection(view);
  /** @param {string} bone */
  const upper = (bone) => !/Leg|Foot|Toes|LowerArm|Hand/.test(bone);
  const look = { width: 16, only: upper };
  drawing.figure(human, createPose(human), view, { ...look, color: BEFORE });
  drawing.figure(human, pose, view, { ...look, color: AFTER });
  const center = project(place('head'));
  let turned = 0;
  for (const [n, { bone }] of chain.entries()) {
    const from = turned;
    // The third coordinate of a spinal joint is its turn to the left.
    turned += pose[coordinateOf(bone) + 2];
    const length = 120 + 30 * n;
    /** @param {number} angle @param {number} r */
    const out = (angle, r) => [center[0] + r * Math.sin(angle), center[1] + r * Math.cos(angle)];
    const arc = Array.from({ length: 13 }, (_, k) => out(from + ((turned - from) * k) / 12, length - 14));
    const color = [LIMIT, '#5c7cfa', ASKED][n];
    drawing.strokes([arc], `${LINE} stroke="${color}" stroke-width="3"`);
    drawing.arrow(center, out(turned, length), color);
    const degrees = ((180 / Math.PI) * (turned - from)).toFixed(1);
    const [x, y] = out((from + turned) / 2, length);
    if (n === 2) drawing.text([x + 2, y + 12], `${bone} ${degrees}°`);
    else drawing.text([center[0] - 10, y + 4], `${bone} ${degrees}°`, 'text-anchor="end"');
  }
  drawing.strokes([[center, [center[0], center[1] + 190]]], `${LINE} stroke="#999" stroke-dasharray="3 5"`);
  const away = project([1.1, 1.6, 0.88]);
  drawing.strokes([[center, away]], `${LINE} stroke="${ASKED}" stroke-width="1.5" stroke-dasharray="6 5"`);
  drawing.target(away);
  return drawing;
}

/** @param {string} bone */
function coordinateOf(bone) {
  const found = human.bones.find(({ name }) => name === bone);
  if (found === undefined) throw new Error(`no bone ${bone}`);
  return found.coordinate;
}

function pole() {
  const drawing = new Drawing('The elbow bends to the side of the pole', 440, 300);
  /** @type {readonly Point[]} */
  const poles = [
    [0.3, 0.75, 0.2],
    [0.8, 1.52, 0.2],
  ];
  for (const [n, target] of poles.entries()) {
    const { pose, place } = solved(
      [
        { type: 'position', bone: 'leftHand', target: [0.1, 1.35, 0.35] },
        { type: 'pole', bone: 'leftHand', target },
        posture,
      ],
      { locked: [...TRUNK, 'leftShoulder'] },
    );
    /** @type {View} */
    const view = { yaw: 25, pitch: 12, scale: 185, center: [0.15, 1.3, 0], at: [100 + 195 * n, 150] };
    const project = projection(view);
    /** @param {string} bone */
    const only = (bone) => !/Leg|Foot|Toes|right.*Arm|rightHand/.test(bone);
    drawing.figure(human, pose, view, { color: BEFORE, only });
    drawing.figure(human, pose, view, {
      color: AFTER,
      only: (bone) => /left(Upper|Lower)Arm|leftHand/.test(bone),
    });
    const [start, middle, end] = ['leftUpperArm', 'leftLowerArm', 'leftHand'].map((bone) => place(bone));
    // The circle on which the elbow swivels about the line from shoulder to wrist.
    const line = end.map((x, k) => x - start[k]);
    const length = Math.hypot(...line);
    const n1 = line.map((x) => x / length);
    const along = n1.reduce((sum, x, k) => sum + x * (middle[k] - start[k]), 0);
    /** @type {Point} */
    const center = [start[0] + along * n1[0], start[1] + along * n1[1], start[2] + along * n1[2]];
    /** @type {Point} */
    const e = [middle[0] - center[0], middle[1] - center[1], middle[2] - center[2]];
    /** @type {Point} */
    const across = [n1[1] * e[2] - n1[2] * e[1], n1[2] * e[0] - n1[0] * e[2], n1[0] * e[1] - n1[1] * e[0]];
    drawing.ring(center, e, across, project, `fill="none" stroke="${LIMIT}" stroke-width="1.5"`);
    drawing.strokes(
      [
        [project(start), project(end)],
        [project(center), project(target)],
      ],
      `${LINE} stroke="${ASKED}" stroke-width="1.8" stroke-dasharray="6 5"`,
    );
    drawing.circle(project(middle), 6, `fill="${LIMIT}"`);
    drawing.target(project(target));
    const [x, y] = project(target);
    drawing.text([x + 13, y + 5], 'pole');
  }
  return drawing;
}

function distance() {
  const drawing = new Drawing('A hand on a sphere about a post', 440, 300);
  /** @type {Point} */
  const target = [0.6, 1, 0.4];
  const { pose, place } = solved([{ type: 'distance', bone: 'leftHand', target, distance: 0.3 }, posture]);
  const project = drawFigure(drawing, { ...body, yaw: 15 }, pose);
  const at = project(target);
  const hand = project(place('leftHand'));
  drawing.circle(at, 0.3 * body.scale, SURFACE);
  drawing.strokes([[project([0.6, 0, 0.4]), at]], `${LINE} stroke="#868e96" stroke-width="3"`);
  drawing.strokes([[at, hand]], `${LINE} stroke="${ASKED}" stroke-width="2.5"`);
  drawing.circle(at, 4, `fill="${ASKED}"`);
  drawing.circle(hand, 4, `fill="${ASKED}"`);
  drawing.text([at[0] + 0.3 * body.scale + 6, at[1] + 5], '0.3 m');
  return drawing;
}

function plane() {
  const drawing = new Drawing('Fingertips on a wall, a hand on a table', 440, 300);
  /** @param {Point} point @returns {Goal} */
  const table = (point) => ({
    type: 'half-space',
    bone: 'rightHand',
    point,
    target: { point: [0, 0.95, 0], normal: [0, 1, 0] },
    clearance: 0.02,
  });
  const { pose, place } = solved([
    {
      type: 'plane',
      bone: 'leftHand',
      point: [0.189, 0, 0],
      target: { point: [0.75, 0, 0], normal: [-1, 0, 0] },
    },
    table([0, 0, 0]),
    table([-0.189, 0, 0]), // wrist and fingertips
    { type: 'position', bone: 'rightHand', target: [-0.2, 0.8, 0.4], priority: 1 },
    // Of equal priority: a missed goal of higher priority would fix its joints at an arbitrary pose.
    { type: 'posture', priority: 1, weight: 0.005 },
  ]);
  const view = { ...body, yaw: 30, at: /** @type {const} */ ([215, 150]) };
  const project = projection(view);
  const [tip, hand] = [place('leftHand', [0.189, 0, 0]), place('rightHand')];
  const [y0, y1, z0, z1] = [tip[1] - 0.35, tip[1] + 0.14, tip[2] - 0.35, tip[2] + 0.35];
  patch(
    drawing,
    [
      [0.75, y0, z0],
      [0.75, y1, z0],
      [0.75, y1, z1],
      [0.75, y0, z1],
    ],
    project,
    SURFACE,
  );
  drawFigure(drawing, view, pose);
  patch(
    drawing,
    [
      [-0.5, 0.95, 0.2],
      [0.15, 0.95, 0.2],
      [0.15, 0.95, 0.75],
      [-0.5, 0.95, 0.75],
    ],
    project,
    SURFACE,
  );
  drawing.circle(project(tip), 4.5, `fill="${ASKED}"`);
  drawing.circle(project(hand), 4.5, `fill="${ASKED}"`);
  const below = project([-0.2, 0.8, 0.4]);
  drawing.target(below);
  drawing.strokes(
    [[project(hand), below]],
    `${LINE} stroke="${ASKED}" stroke-width="1.8" stroke-dasharray="4 4"`,
  );
  drawing.text([below[0] - 14, below[1] + 18], 'target of priority 1', 'text-anchor="end"');
  return drawing;
}

function relativePose() {
  const drawing = new Drawing('Both hands on a wheel as it turns', 440, 300);
  const data = figureToData(human);
  const figure = createFigure({
    name: 'driver',
    bones: [
      ...data.bones,
      {
        name: 'wheel',
        parent: null,
        rest: { position: [0, 1.2, 0.42] },
        joint: { type: 'hinge', axis: [0, 0, 1] },
      },
    ],
  });
  /** @param {string} bone @param {number} side @returns {Goal} */
  const grip = (bone, side) => ({
    type: 'relative-pose',
    bone,
    point: [0.08 * side, -0.02, 0],
    target: { bone: 'wheel', point: [0.19 * side, 0, 0] },
    orientationMask: [0, 0, 0],
  });
  for (const [n, value] of [0, 0.8].entries()) {
    const { pose, place } = solved(
      [{ type: 'joint-value', bone: 'wheel', value }, grip('leftHand', 1), grip('rightHand', -1), posture],
      { locked: ['hips'] },
      figure,
    );
    /** @type {View} */
    const view = { yaw: 35, pitch: 14, scale: 138, center: [0, 0.9, 0.1], at: [115 + 215 * n, 140] };
    const project = drawFigure(drawing, view, pose, { figure, before: false });
    const wheel = place('wheel');
    const [u, v] = [place('wheel', [0.19, 0, 0]), place('wheel', [0, 0.19, 0])];
    drawing.ring(
      wheel,
      [u[0] - wheel[0], u[1] - wheel[1], u[2] - wheel[2]],
      [v[0] - wheel[0], v[1] - wheel[1], v[2] - wheel[2]],
      project,
      `fill="none" stroke="${ASKED}" stroke-width="4"`,
    );
    const spokes = [-1, 1].map((side) => [project(wheel), project(place('wheel', [0.19 * side, 0, 0]))]);
    drawing.strokes(spokes, `${LINE} stroke="${ASKED}" stroke-width="2.5"`);
    for (const side of [-1, 1])
      drawing.circle(project(place('wheel', [0.19 * side, 0, 0])), 5, `fill="${ASKED}"`);
    drawing.text([115 + 215 * n, 292], `wheel at ${value} rad`, 'text-anchor="middle"');
  }
  return drawing;
}

function centerOfMass() {
  const drawing = new Drawing('A far reach without and with balance', 440, 300);
  /** @param {string} bone @param {number} x @returns {Goal[]} */
  const planted = (bone, x) => [
    { type: 'position', bone, target: [x, 0.068, 0] },
    { type: 'orientation', bone, target: [0, 0, 0, 1] },
  ];
  /** @type {readonly Point[]} */
  const soles = [
    [0.12, 0, -0.05],
    [0.12, 0, 0.19],
    [-0.12, 0, 0.19],
    [-0.12, 0, -0.05],
  ];
  /** @type {Point} */
  const reach = [-0.1, 0.75, 1];
  for (const [n, balance] of [false, true].entries()) {
    const { pose, place } = solved(
      [
        ...planted('leftFoot', 0.08),
        ...planted('rightFoot', -0.08),
        ...(balance ? [{ type: /** @type {const} */ ('center-of-mass'), support: soles }] : []),
        { type: 'position', bone: 'rightHand', target: reach, priority: 1 },
        posture,
      ],
      {},
    );
    /** @type {View} */
    const view = { yaw: -75, pitch: 10, scale: 108, center: [0, 1, 0.35], at: [112 + 220 * n, 152] };
    const project = projection(view);
    patch(drawing, soles, project, SURFACE);
    drawing.figure(human, pose, view, { color: AFTER });
    const center = [0, 0, 0];
    let mass = 0;
    for (const { name, mass: m = 0, centerOfMass: c = [0, 0, 0] } of human.bones) {
      mass += m;
      place(name, [c[0], c[1], c[2]]).forEach((x, k) => {
        center[k] += m * x;
      });
    }
    /** @type {Point} */
    const c = [center[0] / mass, center[1] / mass, center[2] / mass];
    const inside = Math.abs(c[0]) <= 0.12 + 1e-6 && c[2] <= 0.19 + 1e-6 && c[2] >= -0.05 - 1e-6;
    const color = inside ? LIMIT : '#e03131';
    drawing.strokes(
      [[project(c), project([c[0], 0, c[2]])]],
      `${LINE} stroke="${color}" stroke-width="2" stroke-dasharray="6 5"`,
    );
    drawing.circle(project(c), 8, `fill="#fff" stroke="${color}" stroke-width="3"`);
    drawing.circle(project([c[0], 0, c[2]]), 4, `fill="${color}"`);
    drawing.target(project(reach));
    drawing.text(
      [110 + 215 * n, 292],
      balance ? 'balance first' : 'reach alone: falls',
      'text-anchor="middle"',
    );
  }
  return drawing;
}

function postures() {
  const drawing = new Drawing('The same reach with a soft and a stiff trunk', 440, 300);
  const bones = [
    'spine',
    'chest',
    'upperChest',
    'rightShoulder',
    'rightUpperArm',
    'rightLowerArm',
    'rightHand',
  ];
  /** @type {Point} */
  const target = [-0.2, 1.2, 0.55];
  for (const [n, trunk] of [1, 20].entries()) {
    const { pose } = solved([
      { type: 'position', bone: 'rightHand', target },
      { type: 'posture', bones, stiffness: [trunk, trunk, trunk, 1, 1, 1, 1] },
    ]);
    /** @type {View} */
    const view = { yaw: 30, pitch: 30, scale: 118, center: [0, 0.9, 0], at: [108 + 222 * n, 150] };
    const project = drawFigure(drawing, view, pose);
    drawing.target(project(target));
    const words = trunk === 1 ? 'all alike' : `trunk ${trunk} times as stiff`;
    drawing.text([108 + 222 * n, 292], words, 'text-anchor="middle"');
  }
  return drawing;
}

function jointValue() {
  const drawing = new Drawing('Elbow, hip and knee at the angles asked for', 440, 300);
  const degree = Math.PI / 180;
  /** @type {readonly [string, number, Point, Point][]} bone, degrees, its parent's direction and its own */
  const angles = [
    ['leftLowerArm', 90, [0.26, 0, 0], [0.26, 0, 0]],
    ['leftUpperLeg', 60, [0, -0.34, 0], [0, -0.34, 0]],
    ['leftLowerLeg', 80, [0, -0.34, 0], [0, -0.34, 0]],
  ];
  const { pose, place } = solved(
    angles.map(([bone, value]) => ({ type: 'joint-value', bone, value: value * degree })),
    {},
  );
  const project = drawFigure(drawing, { ...body, yaw: 50, scale: 155, at: [215, 150] }, pose);
  for (const [bone, value, before, after] of angles) {
    const joint = place(bone);
    const own = human.bones.find(({ name }) => name === bone);
    const parent = human.bones[own?.parent ?? 0].name;
    const root = place(parent);
    const out = place(parent, before);
    const zero = before.map((_, k) => out[k] - root[k]);
    const end = place(bone, after);
    const now = after.map((_, k) => end[k] - joint[k]);
    const full = value * degree;
    // From the joint's zero to the bone, along the great circle.
    const arc = Array.from({ length: 13 }, (_, k) => {
      const t = (full * k) / 12;
      const [a, b] = [Math.sin(full - t) / Math.sin(full), Math.sin(t) / Math.sin(full)];
      return project([
        joint[0] + a * zero[0] + b * now[0],
        joint[1] + a * zero[1] + b * now[1],
        joint[2] + a * zero[2] + b * now[2],
      ]);
    });
    drawing.strokes([[project(joint), ...arc, project(joint)]], SURFACE);
    drawing.circle(project(joint), 4.5, `fill="${ASKED}"`);
    const [x, y] = arc[6];
    const [jx, jy] = project(joint);
    drawing.text([x + 0.25 * (x - jx), y + 0.25 * (y - jy) + 8], `${value}°`, 'text-anchor="middle"');
  }
  return drawing;
}

function mirror() {
  const drawing = new Drawing('One arm mirrors the other', 440, 300);
  /** @type {Point} */
  const target = [0.42, 1.75, 0.2];
  const { pose, place } = solved(
    [
      { type: 'position', bone: 'leftHand', target },
      { type: 'mirror', bone: 'rightHand', of: 'leftHand' },
      posture,
    ],
    { locked: TRUNK },
  );
  const view = { ...body, yaw: 16, scale: 138, at: /** @type {const} */ ([220, 165]) };
  const project = projection(view);
  patch(
    drawing,
    [
      [0, 0, -0.35],
      [0, 0, 0.65],
      [0, 1.9, 0.65],
      [0, 1.9, -0.35],
    ],
    project,
    `fill="${LIMIT}" fill-opacity="0.1" stroke="${LIMIT}" stroke-opacity="0.4"`,
  );
  drawFigure(drawing, view, pose);
  const [left, right] = [project(place('leftHand')), project(place('rightHand'))];
  drawing.strokes([[left, right]], `${LINE} stroke="${ASKED}" stroke-width="1.8" stroke-dasharray="6 5"`);
  drawing.circle(right, 4.5, `fill="${ASKED}"`);
  drawing.target(left);
  return drawing;
}

/** The pictures of docs/goals, by name. @type {Readonly<Record<string, () => Drawing>>} */
export const goalPictures = {
  position,
  orientation,
  'points-at': pointsAt,
  'look-at': lookAt,
  pole,
  distance,
  plane,
  'relative-pose': relativePose,
  'center-of-mass': centerOfMass,
  posture: postures,
  'joint-value': jointValue,
  mirror,
};
