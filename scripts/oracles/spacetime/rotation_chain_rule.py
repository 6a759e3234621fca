"""Displacements from a turning reference, for packages/core/test/fixtures/spacetime/rotation-chain-rule.json.

    python3 scripts/oracles/spacetime/rotation_chain_rule.py        # rewrites the fixture; needs mpmath 1.3

Imports nothing of the library and knows no derivative of a rotation vector. R(t) = Q exp(a t + b t^2/2) exp(d + d' t + d'' t^2/2) is made of
quaternions at 120 digits; the first factor is a reference with body angular velocity a and acceleration b at t = 0. Angular velocity (body
axes) is w = 2 Im(q^-1 q'), its rate 2 Im(q^-1 q'') (the square of q^-1 q' is real), q' and q'' by central differences of step 1e-14 and
Richardson's extrapolation (error about step^6). Derivatives against d and d' are central differences of those with a step of 1e-18: 30 digits.
"""

import json
import random
from pathlib import Path

from mpmath import atan2, cos, mp, mpf, pi, sin, sqrt

mp.dps = 130
OUT = Path(__file__).parents[3] / "packages/core/test/fixtures/spacetime/rotation-chain-rule.json"
TIME_STEP = mpf(10) ** -14
STEP = mpf(10) ** -18


def product(b, a):
    (x, y, z, w), (p, q, r, s) = b, a
    return [
        w * p + s * x + y * r - z * q,
        w * q + s * y + z * p - x * r,
        w * r + s * z + x * q - y * p,
        w * s - x * p - y * q - z * r,
    ]


def conjugate(q):
    return [-q[0], -q[1], -q[2], q[3]]


def exp(v):
    theta = sqrt(sum(x * x for x in v))
    if theta == 0:
        return [mpf(0), mpf(0), mpf(0), mpf(1)]
    s = sin(theta / 2) / theta
    return [s * v[0], s * v[1], s * v[2], cos(theta / 2)]


def principal_log(q):
    if q[3] < 0:
        q = [-x for x in q]
    n = sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2)
    if n == 0:
        return [mpf(0)] * 3
    s = 2 * atan2(n, q[3]) / n
    return [s * x for x in q[:3]]


def combine(*terms):
    return [sum(s * x[k] for s, x in terms) for k in range(len(terms[0][1]))]


class Case:
    def __init__(self, d, first, second, reference):
        self.d, self.first, self.second = d, first, second
        self.q, self.velocity, self.acceleration = reference

    def orientation(self, t, d, first):
        moved = exp(combine((t, self.velocity), (t * t / 2, self.acceleration)))
        turned = exp(combine((mpf(1), d), (t, first), (t * t / 2, self.second)))
        return product(self.q, product(moved, turned))

    def motion(self, d, first):
        """Angular velocity and acceleration, body axes."""
        now = self.orientation(mpf(0), d, first)
        back = conjugate(now)
        slopes, bends = [], []
        for n in (1, 2, 4):
            h = n * TIME_STEP
            after, before = self.orientation(h, d, first), self.orientation(-h, d, first)
            slopes.append(combine((1 / (2 * h), after), (-1 / (2 * h), before)))
            bends.append(combine((1 / h**2, after), (1 / h**2, before), (-2 / h**2, now)))
        w, rate = [
            product(back, combine((mpf(64) / 45, f), (mpf(-20) / 45, g), (mpf(1) / 45, h)))
            for f, g, h in (slopes, bends)
        ]
        return [2 * x for x in w[:3]], [2 * x for x in rate[:3]]

    def solve(self):
        nu, rate = self.motion(self.d, self.first)
        turn, by_value, rate_by_value, rate_by_rate = [], [], [], []
        back = conjugate(exp(self.d))
        for k in range(3):
            unit = [mpf(int(i == k)) for i in range(3)]
            sides = [combine((mpf(1), self.d), (s * STEP, unit)) for s in (1, -1)]
            eps = [principal_log(product(back, exp(v))) for v in sides]
            turn.append(combine((1 / (2 * STEP), eps[0]), (-1 / (2 * STEP), eps[1])))
            (nu0, rate0), (nu1, rate1) = [self.motion(v, self.first) for v in sides]
            by_value.append(combine((1 / (2 * STEP), nu0), (-1 / (2 * STEP), nu1)))
            rate_by_value.append(combine((1 / (2 * STEP), rate0), (-1 / (2 * STEP), rate1)))
            (_, rate0), (_, rate1) = [
                self.motion(self.d, combine((mpf(1), self.first), (s * STEP, unit))) for s in (1, -1)
            ]
            rate_by_rate.append(combine((1 / (2 * STEP), rate0), (-1 / (2 * STEP), rate1)))
        return {
            "vector": floats(principal_log(product(self.q, exp(self.d)))),
            "angularVelocity": floats(nu),
            "angularAcceleration": floats(rate),
            "rightJacobian": rows(turn),
            "velocityByValue": rows(by_value),
            "accelerationByValue": rows(rate_by_value),
            "accelerationByRate": rows(rate_by_rate),
        }


def floats(v):
    return [float(x) for x in v]


def rows(columns):
    """Nine numbers row by row."""
    return [float(columns[c][r]) for r in range(3) for c in range(3)]


def exact(v):
    return [mpf(x) for x in v]


def main():
    draw = random.Random(20261122)

    def vector(size):
        v = [draw.gauss(0, 1) for _ in range(3)]
        n = sum(x * x for x in v) ** 0.5
        return [size * x / n for x in v]

    sizes = [0, 1e-12, 1e-8, 1e-5, 1e-3, 0.03, 0.5, 1, 2, 2.7, 3.1, float(pi), 3.3, 4, 4.5, 5, 6, 6.2]
    cases = []
    for n, size in enumerate(sizes * 2):
        d, first, second = vector(size), vector(3), vector(8)
        # A double is no unit quaternion: the reference is exp of a vector, and the fixture holds its rounding.
        reference = None
        q, velocity, acceleration = [mpf(0), mpf(0), mpf(0), mpf(1)], [0.0] * 3, [0.0] * 3
        if n >= len(sizes):
            still = n % 6 == 0
            q = exp(exact(vector(3)))
            velocity = [0.0] * 3 if still else vector(2)
            acceleration = [0.0] * 3 if still else vector(5)
            reference = {"quaternion": floats(q), "angularVelocity": velocity, "angularAcceleration": acceleration}
        case = Case(exact(d), exact(first), exact(second), (q, exact(velocity), exact(acceleration)))
        solved = case.solve()
        if reference is None:
            solved["vector"] = d
        given = {"d": d, "rate": first, "second": second, "reference": reference}
        cases.append({**given, **solved})
    OUT.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    OUT.write_text('{"cases": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()
