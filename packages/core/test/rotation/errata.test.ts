/**
 * Each erratum of the paper that concerns rotations, shown twice: the corrected statement holds, and the printed one fails,
 * by the amount stated. docs/errata.md presents them with these names.
 */
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import * as rotation from '../../src/rotation/index.js';
import { bSplinePoint, largestCurveGap } from './errata-curves.js';
import {
  alongBy,
  bodyVelocityOf,
  difference,
  partialByDifferences,
  referenceMatrix,
  size,
} from './support.js';

/** Appendix B as printed, theta away from 0: v' = 1/2 (gamma w - eta v + p), with the p given. */
function appendixB(v: number[], w: number[], p: number[]): number[] {
  const theta = size(v);
  const cot = 1 / Math.tan(theta / 2);
  const gamma = theta * cot;
  const eta = (vec3.dot(v, w) / theta) * (cot - 2 / theta);
  return [0, 1, 2].map((i) => 0.5 * (gamma * w[i] - eta * v[i] + p[i]));
}

/** The v' that belongs to the world angular velocity w, by differences alone: log(exp(w t) exp(v)) by t. */
function rateByDifferences(v: number[], w: number[]): number[] {
  const rotate = (t: number): number[] =>
    rotation.composeRotationVectors(
      w.map((c) => c * t),
      v,
      v,
    );
  return partialByDifferences((t) => rotate(t[0]), [0], 0);
}

describe('errata of the paper', () => {
  it('erratum 1: with world angular velocity, p is w x v; v x w as printed is the body formula, up to 200 % off', () => {
    const v = [0.7, -1.1, 0.4];
    const w = [0.3, 0.8, -0.5];
    const truth = rateByDifferences(v, w);
    expect(difference(appendixB(v, w, vec3.cross(w, v)), truth)).toBeLessThan(1e-11);
    expect(difference(rotation.rateFromAngularVelocity(v, w, 'world'), truth)).toBeLessThan(1e-11);

    const printed = appendixB(v, w, vec3.cross(v, w));
    expect(difference(printed, truth) / size(truth)).toBeGreaterThan(0.8);
    // What is printed is exactly the formula for w in body axes.
    expect(difference(printed, rotation.rateFromAngularVelocity(v, w, 'body'))).toBeLessThan(1e-15);

    // The worst case, v normal to w and theta near pi: the printed rate is the negative of the true one.
    const half = [0, 0, Math.PI - 1e-9];
    const across = [1, 0, 0];
    const exact = rotation.rateFromAngularVelocity(half, across, 'world');
    const wrong = appendixB(half, across, vec3.cross(half, across));
    expect(difference(wrong, exact) / size(exact)).toBeGreaterThan(1.999);
  });

  it("erratum 2: near zero v' is w -+ 1/2 v x w + ..., not w: the printed limit is off by theta/2", () => {
    const w = [0, 1, 0];
    for (const theta of [1e-1, 1e-2, 1e-3]) {
      const v = [theta, 0, 0];
      const truth = rateByDifferences(v, w);
      const cross = vec3.cross(v, w);
      const twice = vec3.cross(v, cross);
      const series = w.map((c, i) => c - cross[i] / 2 + twice[i] / 12);
      expect(difference(series, truth)).toBeLessThan(theta ** 4 + 1e-12);
      expect(difference(rotation.rateFromAngularVelocity(v, w, 'world'), truth)).toBeLessThan(1e-12);
      expect(difference(w, truth) / theta).toBeCloseTo(0.5, 2);
    }
  });

  it('erratum 3: dq_i/dv_j near zero is -v_i v_j/24 off the diagonal, not 0: 100 % wrong entry by entry', () => {
    const v = [2e-4, -3e-4, 1e-4];
    const partials = rotation.quatPartials(v);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        if (i === j) continue;
        const holds = (-v[i] * v[j]) / 24;
        expect(Math.abs(partials[3 * i + j] / holds - 1)).toBeLessThan(1e-8);
        const byDifferences = partialByDifferences((x) => rotation.quatFromRotationVector(x), v, j)[i];
        expect(Math.abs(byDifferences - holds)).toBeLessThan(1e-3 * Math.abs(holds) + 1e-12);
        const printed = 0;
        expect(Math.abs(printed - partials[3 * i + j]) / Math.abs(partials[3 * i + j])).toBe(1);
      }
    }
    // In norm the printed zeros are harmless here, as the erratum says.
    expect(Math.abs(v[0] * v[1]) / 24).toBeLessThan(1e-8 * 0.5);
  });

  it('erratum 4: q_v = 1/2 cos(theta/2) v is theta^2/12 off, plain to see long before a fraction of a radian', () => {
    for (const theta of [0.5, 0.1, 1e-2, 1e-3]) {
      const exact = rotation.quatFromRotationVector([theta, 0, 0])[0];
      const printed = 0.5 * Math.cos(theta / 2) * theta;
      const gap = (exact - printed) / exact;
      expect(gap / (theta * theta)).toBeCloseTo(1 / 12, 2);
    }
    // At 0.1 rad the printed form keeps three digits; the series all sixteen.
    const printed = 0.5 * Math.cos(0.05) * 0.1;
    expect(Math.abs(printed / Math.sin(0.05) - 1)).toBeGreaterThan(8e-4);
    expect(Math.abs(rotation.quatFromRotationVector([0.1, 0, 0])[0] / Math.sin(0.05) - 1)).toBeLessThan(
      3e-16,
    );
  });

  it('erratum 5: (1 - 2 pi/|v|) v lands inside pi only for pi <= |v| <= 3 pi, and tangents need mapping', () => {
    const printed = (v: number[]): number[] => v.map((c) => (1 - (2 * Math.PI) / size(v)) * c);
    const axis = vec3.normalize([1, -2, 0.5]);
    for (const theta of [0.5, 3, 3.2, 9, 10, 17]) {
      const v = vec3.scale(axis, theta);
      // As a rotation it is right everywhere.
      expect(difference(referenceMatrix(printed(v)), referenceMatrix(v))).toBeLessThan(1e-13);
      expect(size(printed(v)) <= Math.PI).toBe(theta >= Math.PI && theta <= 3 * Math.PI);
      expect(size(rotation.regularize(v))).toBeLessThanOrEqual(Math.PI);
      expect(difference(referenceMatrix(rotation.regularize(v)), referenceMatrix(v))).toBeLessThan(1e-13);
    }
    // A tangent left as it was is another motion. The truth is the turning of a matrix that the library has no part in.
    const v = vec3.scale(axis, 5.5);
    const m = [0.3, 0.4, 0.2];
    const velocityAlong = (at: number[], tangent: number[]): number[] =>
      bodyVelocityOf((t) => referenceMatrix(at.map((c, i) => c + t * tangent[i])), 0);
    const truth = velocityAlong(v, m);
    const moved = rotation.regularize(v);
    const mapped = rotation.reparameterizeTangent(v, m, 1);
    expect(difference(velocityAlong(moved, mapped), truth)).toBeLessThan(1e-11);
    expect(difference(rotation.angularVelocityFromRate(moved, mapped, 'body'), truth)).toBeLessThan(1e-11);
    const unmapped = velocityAlong(moved, m);
    expect(difference(unmapped, truth) / size(truth)).toBeGreaterThan(2.9);
    // The tangent map is the derivative of the reparameterization, and the formula of the erratum.
    const shift = (2 * Math.PI) / 5.5;
    const formula = m.map((c, i) => (1 - shift) * c + (shift / 5.5 ** 2) * vec3.dot(v, m) * v[i]);
    expect(difference(mapped, formula)).toBeLessThan(1e-15);
    expect(difference(mapped, alongBy(printed, v, m))).toBeLessThan(1e-11);
  });

  it('erratum 6: [g, g, g] and its negative are 2 delta apart only if the length, not each entry, is 2 pi - delta', () => {
    const delta = 1e-3;
    const g = 2 * Math.PI - delta;
    const apart = (v: number[]): number =>
      rotation.angleBetweenRotationVectors(
        v,
        v.map((c) => -c),
      );
    // Printed: entries g, so the length is sqrt(3) g = 10.88 rad and the two are 2.91 rad apart.
    expect(size([g, g, g])).toBeCloseTo(Math.sqrt(3) * g, 12);
    expect(apart([g, g, g])).toBeGreaterThan(2.9);
    expect(apart([g, g, g]) / (2 * delta)).toBeGreaterThan(1000);
    // What holds: v = g u, |u| = 1.
    expect(apart(vec3.scale(vec3.normalize([1, 1, 1]), g))).toBeCloseTo(2 * delta, 12);
  });

  it('erratum 7: twist-then-swing locks at swing = pi: the determinant is sin(theta)/theta, not bounded from zero', () => {
    // The joint built without the library: first twist about the limb, then swing by r_s s + r_t t.
    const limb = [0, -1, 0];
    const axes = { s: [1, 0, 0], t: [0, 0, 1] };
    const joint = ([rs, rt, twist]: number[]): number[] =>
      mat3.multiply(referenceMatrix([rs, 0, rt]), referenceMatrix(vec3.scale(limb, twist)));
    const at = (theta: number): number[] => [0.6 * theta, 0.8 * theta, 0.7];
    // Column k is the angular velocity, in body axes, of the matrix that moves with coordinate k.
    const columnAt = (theta: number, k: number): number[] =>
      bodyVelocityOf((t) => joint(at(theta).map((c, i) => (i === k ? c + t : c))), 0);
    const jacobianAt = (theta: number): number[] =>
      mat3.transpose([0, 1, 2].flatMap((k) => columnAt(theta, k)));
    for (const theta of [0.2, 1, 2, 3]) {
      const locks = Math.sin(theta) / theta;
      expect(Math.abs(mat3.determinant(jacobianAt(theta)) - locks)).toBeLessThan(1e-11);
      expect(rotation.ballAndSocketDeterminant(at(theta))).toBeCloseTo(locks, 15);
      const j = rotation.ballAndSocketJacobian(at(theta), axes, 'body');
      expect(difference(j, jacobianAt(theta))).toBeLessThan(1e-11);
    }
    // Printed: "there is no possibility of gimbal lock". At pi three coordinates turn about two axes only.
    expect(Math.abs(mat3.determinant(jacobianAt(Math.PI)))).toBeLessThan(1e-11);
    expect(Math.abs(rotation.ballAndSocketDeterminant(at(Math.PI)))).toBeLessThan(1e-15);
    // Circling (swing rate across the swing) and twisting turn about one and the same axis there.
    const [bys, byt, byTwist] = [0, 1, 2].map((k) => columnAt(Math.PI, k));
    const circling = vec3.normalize(vec3.addScaled(vec3.scale(bys, -0.8), byt, 0.6));
    expect(size(vec3.cross(circling, byTwist))).toBeLessThan(1e-11);
    // A radian away from there the two axes are apart.
    const [farS, farT, farTwist] = [0, 1, 2].map((k) => columnAt(Math.PI - 1, k));
    const far = vec3.normalize(vec3.addScaled(vec3.scale(farS, -0.8), farT, 0.6));
    expect(size(vec3.cross(far, farTwist))).toBeGreaterThan(0.4);
  });

  it('erratum 8: RQ and spherical Bezier curves differ: 0.008206 rad and 0.4701 deg on the stated keys, more farther out', () => {
    const { vectorGap, angleGap } = largestCurveGap(1);
    expect(vectorGap).toBeCloseTo(0.008206, 6);
    expect((angleGap * 180) / Math.PI).toBeCloseTo(0.4701, 4);
    for (const [scale, degrees, digits] of [
      [0.5, 0.0608, 4],
      [2, 3.241, 3],
      [3, 8.314, 3],
    ]) {
      expect((largestCurveGap(scale).angleGap * 180) / Math.PI).toBeCloseTo(degrees, digits);
    }
    // "Indistinguishable" would be below rounding, or below a pixel's worth of 0.05 deg.
    expect((angleGap * 180) / Math.PI).toBeGreaterThan(0.05);
  });

  it('erratum 8: rotation-vector curves are not left-invariant, spherical ones are', () => {
    const keys = [
      [0, 0, 0],
      [0.9, 0.2, 0],
      [0.5, 0.8, -0.3],
      [0.2, 0.4, 0.9],
    ];
    const first = [0.4, -0.9, 0.7];
    const moved = keys.map((k) => rotation.composeRotationVectors(first, k));
    const onVectors = bSplinePoint(keys, 0.5);
    const onMoved = bSplinePoint(moved, 0.5);
    const gap = rotation.angleBetweenRotationVectors(
      rotation.composeRotationVectors(first, onVectors),
      onMoved,
    );
    expect(gap).toBeGreaterThan(0.005);
    const middle = (a: number[], b: number[]): number[] => quat.normalize(a.map((c, i) => c + b[i]));
    const [p, q] = [keys[1], keys[2]].map((k) => rotation.quatFromRotationVector(k));
    const relativeRotation = rotation.quatFromRotationVector(first);
    const slerped = quat.multiply(relativeRotation, middle(p, q));
    const slerpedMoved = middle(quat.multiply(relativeRotation, p), quat.multiply(relativeRotation, q));
    expect(quat.angleBetween(slerped, slerpedMoved)).toBeLessThan(1e-15);
  });

  it('erratum 9: a B-spline segment jumps when its control points change chart; a Hermite one does not', () => {
    // Four control points beyond pi, then the same rotations one turn down.
    const control = [
      [3.0, 0.3, -0.2],
      [3.4, -0.2, 0.4],
      [3.2, 0.5, 0.1],
      [3.7, 0.1, -0.3],
    ];
    const down = control.map((c) => rotation.reparameterize(c, 1));
    for (const [i, c] of control.entries()) {
      expect(rotation.angleBetweenRotationVectors(c, down[i])).toBeLessThan(1e-14);
    }
    // Printed: B-splines may be reparameterized segment by segment. The joint of the segment moves:
    const jump = rotation.angleBetweenRotationVectors(bSplinePoint(control, 0), bSplinePoint(down, 0));
    expect(jump).toBeGreaterThan(0.01);
    // A curve through keys with given tangents keeps the joint's orientation and, tangents mapped, its velocity.
    const tangent = [0.3, 0.5, -0.2];
    const key = control[1];
    const mappedTangent = rotation.reparameterizeTangent(key, tangent, 1);
    const before = rotation.angularVelocityFromRate(key, tangent, 'world');
    const after = rotation.angularVelocityFromRate(down[1], mappedTangent, 'world');
    expect(difference(before, after)).toBeLessThan(1e-14);
    // Cardinal tangents, formed of neighbours in two charts, differ: the paper is right to exclude them.
    const cardinal = vec3.scale(vec3.subtract(control[2], control[0]), 0.5);
    const cardinalDown = vec3.scale(vec3.subtract(down[2], down[0]), 0.5);
    const formedAbove = rotation.angularVelocityFromRate(key, cardinal, 'world');
    const formedBelow = rotation.angularVelocityFromRate(down[1], cardinalDown, 'world');
    expect(difference(formedAbove, formedBelow)).toBeGreaterThan(0.01);
  });

  it("erratum 10: circling at swing theta spins the arm about its own axis at -(1 - cos theta) phi', twist at zero", () => {
    const arm = [0, -1, 0];
    const axes = { s: [1, 0, 0], t: [0, 0, 1] };
    // The circling arm, phi' = 1, built without the library.
    const swing = (theta: number, phi: number): number[] => [theta * Math.cos(phi), theta * Math.sin(phi)];
    const circling =
      (theta: number) =>
      (phi: number): number[] => {
        const [rs, rt] = swing(theta, phi);
        return referenceMatrix([rs, 0, rt]);
      };
    for (const theta of [0.3, 1, Math.PI / 2, 2.5]) {
      for (const phi of [0, 1.1, 4]) {
        const truth = bodyVelocityOf(circling(theta), phi);
        expect(Math.abs(vec3.dot(truth, arm) + (1 - Math.cos(theta)))).toBeLessThan(1e-11);
        const r = swing(theta, phi);
        const body = rotation.angularVelocityFromSwingRate(r, axes, [-r[1], r[0]], 'body');
        expect(difference(body, truth)).toBeLessThan(1e-11);
        expect(vec3.dot(body, arm)).toBeCloseTo(-(1 - Math.cos(theta)), 14);
        // The twist coordinate stays zero all the while, which is what the paper's condition secures.
        const q = quat.fromMatrix(circling(theta)(phi));
        expect(Math.abs(rotation.decomposeSwingTwist(q, axes).twist)).toBeLessThan(1e-15);
      }
    }
    // Printed: "in this entire motion there is no spin". Over one circle at 90 degrees it is a full turn.
    let angle = 0;
    const steps = 64;
    for (let n = 0; n < steps; n++) {
      const phi = (2 * Math.PI * n) / steps;
      angle += (vec3.dot(bodyVelocityOf(circling(Math.PI / 2), phi), arm) * 2 * Math.PI) / steps;
    }
    expect(Math.abs(angle + 2 * Math.PI)).toBeLessThan(1e-10);
  });
});
