"""Rotation curves of least angular acceleration, for packages/core/test/fixtures/motion/minimum-acceleration.json.

    python3 scripts/oracles/minimum_acceleration.py     # rewrites the fixture; needs mpmath 1.3, numpy 2.4, scipy 1.17

Imports nothing of the library. Two ways that share no equation with it, nor with each other:

1. Ritz's method, as Barr et al. (1992) do it: every piece is cut into n parts, each q exp(cubic) through orientations and
   velocities that are free, and the integral of |w'|^2 (Gauss's quadrature) is minimised over them as a sum of squares.
   Such a curve is admissible, so its energy is above the least one, and tends to it, in fact at sixth order in 1/n. No
   Euler-Lagrange equation is used, so that this also judges the equation.
2. The equation in world axes, W'' = c + W x W' with c constant on a piece (the momentum that left turns conserve), by Taylor
   series of order 40 at 50 digits, the two-point problems by Newton's method with differences, started from 1. The
   quaternion comes from q' = 1/2 W q. Velocity and acceleration of the fixture are differences of that quaternion
   (`rotation_curves.rates`).
"""

import json
import random
from functools import lru_cache
from pathlib import Path

import numpy as np
from mpmath import lu_solve, matrix, mp, mpf, sqrt
from rotation_curves import aligned, conjugate, cross, doubles, exp, log, product, rates, unit
from scipy.optimize import least_squares
from scipy.sparse import lil_matrix
from scipy.spatial.transform import Rotation

mp.dps = 50
OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/motion/minimum-acceleration.json"

# 1. Ritz


GAUSS = np.polynomial.legendre.leggauss(10)


def skew_product(a, b):
    return np.cross(a, b)


def body_rates(v, first, second):
    """w and w' in body axes for a moving rotation vector, by w = v' - B v x v' + C v x (v x v') and its derivative."""
    theta = np.linalg.norm(v, axis=-1, keepdims=True)
    small = theta < 1e-2
    t = np.where(small, 1.0, theta)
    t2 = theta**2
    B = np.where(small, 0.5 - t2 / 24 + t2**2 / 720, (1 - np.cos(t)) / t**2)
    C = np.where(small, 1 / 6 - t2 / 120 + t2**2 / 5040, (t - np.sin(t)) / t**3)
    # dB/dtheta / theta, dC/dtheta / theta
    Bd = np.where(small, -1 / 12 + t2 / 180 - t2**2 / 6720, (np.sin(t) / t**2 - 2 * (1 - np.cos(t)) / t**3) / t)
    Cd = np.where(
        small, -1 / 60 + t2 / 1260 - t2**2 / 60480, ((1 - np.cos(t)) / t**3 - 3 * (t - np.sin(t)) / t**4) / t
    )
    along = np.sum(v * first, axis=-1, keepdims=True)
    p = skew_product(v, first)
    pp = skew_product(v, p)
    dp = skew_product(v, second)
    dpp = skew_product(first, p) + skew_product(v, dp)
    w = first - B * p + C * pp
    return w, second - B * dp + C * dpp - Bd * along * p + Cd * along * pp


def rate_in_chart(v, w):
    """v' = w + 1/2 v x w + D v x (v x w)"""
    theta = np.linalg.norm(v, axis=-1, keepdims=True)
    small = theta < 1e-2
    t = np.where(small, 1.0, theta)
    D = np.where(small, 1 / 12 + theta**2 / 720, (1 - t / 2 * np.cos(t / 2) / np.sin(t / 2)) / t**2)
    c = skew_product(v, w)
    return w + c / 2 + D * skew_product(v, c)


class Ritz:
    """Unknown: a turn of each inner joint from where it first was, and the velocity of each joint where it is not given."""

    def __init__(self, times, keys, given, parts):
        self.times = np.concatenate(
            [np.linspace(times[s], times[s + 1], parts, endpoint=False) for s in range(len(times) - 1)] + [times[-1:]]
        )
        first = []
        for s in range(len(times) - 1):
            way = (keys[s].inv() * keys[s + 1]).as_rotvec()
            first += [keys[s] * Rotation.from_rotvec(way * k / parts) for k in range(parts)]
        self.first = Rotation.concatenate([*first, keys[-1]])
        joints = len(self.times)
        self.turn_at = np.full(joints, -1)
        self.velocity_at = np.full(joints, -1)
        self.given = np.zeros((joints, 3))
        n = 0
        for j in range(joints):
            if j % parts:
                self.turn_at[j] = n
                n += 3
            v = given[j // parts] if j % parts == 0 else None
            if v is None:
                self.velocity_at[j] = n
                n += 3
            else:
                self.given[j] = v
        self.size = n
        ways = (self.first[:-1].inv() * self.first[1:]).as_rotvec()
        self.start = np.zeros(n)
        speeds = ways / np.diff(self.times)[:, None]
        for j in range(joints):
            if self.velocity_at[j] >= 0:
                self.start[self.velocity_at[j] :][:3] = speeds[min(j, joints - 2)]

    def unpack(self, x):
        turns = np.zeros((len(self.times), 3))
        velocities = self.given.copy()
        for j in range(len(self.times)):
            if self.turn_at[j] >= 0:
                turns[j] = x[self.turn_at[j] :][:3]
            if self.velocity_at[j] >= 0:
                velocities[j] = x[self.velocity_at[j] :][:3]
        return self.first * Rotation.from_rotvec(turns), velocities

    def residuals(self, x):
        """sqrt(weight) w' at the points of quadrature: their sum of squares is the energy."""
        q, w = self.unpack(x)
        h = np.diff(self.times)[:, None]
        way = (q[:-1].inv() * q[1:]).as_rotvec()
        a, b = h * w[:-1], h * rate_in_chart(way, w[1:])
        out = []
        for node, weight in zip(*GAUSS):
            u = (node + 1) / 2
            v = (3 * u**2 - 2 * u**3) * way + (u**3 - 2 * u**2 + u) * a + (u**3 - u**2) * b
            first = (6 * u - 6 * u**2) * way + (3 * u**2 - 4 * u + 1) * a + (3 * u**2 - 2 * u) * b
            second = (6 - 12 * u) * way + (6 * u - 4) * a + (6 * u - 2) * b
            out.append(np.sqrt(weight / 2 * h) * body_rates(v, first / h, second / h**2)[1])
        return np.stack(out, axis=1).reshape(-1)

    def sparsity(self):
        rows = 3 * len(GAUSS[0])
        pattern = lil_matrix((rows * (len(self.times) - 1), self.size))
        for part in range(len(self.times) - 1):
            for j in (part, part + 1):
                for at in (self.turn_at[j], self.velocity_at[j]):
                    if at >= 0:
                        pattern[part * rows : (part + 1) * rows, at : at + 3] = 1
        return pattern

    def solve(self):
        found = least_squares(
            self.residuals, self.start, jac="3-point", jac_sparsity=self.sparsity(), x_scale="jac",
            xtol=1e-14, ftol=1e-15, gtol=1e-12, tr_solver="lsmr", tr_options={"atol": 1e-13, "btol": 1e-13},
        ) if self.size > 60 else least_squares(
            self.residuals, self.start, jac="3-point", xtol=1e-14, ftol=1e-15, gtol=1e-12
        )
        return 2 * found.cost, found.x


# 2. the equation in world axes

ORDER = 40
PARTS = 6
DIFFERENCE = mpf(10) ** -25


def series(q, W, A, c):
    """Coefficients of W and q about a moment: W'' = c + W x W', q' = 1/2 W q."""
    Ws = [W, A]
    for k in range(ORDER - 1):
        total = list(c) if k == 0 else [mpf(0)] * 3
        for j in range(k + 1):
            x = cross(Ws[k - j], Ws[j + 1])
            total = [s + (j + 1) * y for s, y in zip(total, x)]
        Ws.append([s / ((k + 1) * (k + 2)) for s in total])
    qs = [q]
    for k in range(ORDER):
        total = [mpf(0)] * 4
        for j in range(k + 1):
            total = [s + y for s, y in zip(total, product([*Ws[k - j], mpf(0)], qs[j]))]
        qs.append([s / (2 * (k + 1)) for s in total])
    return qs, Ws


def at(coefficients, x):
    total = [mpf(0)] * len(coefficients[0])
    for c in reversed(coefficients):
        total = [s * x + y for s, y in zip(total, c)]
    return total


def slope(coefficients):
    return [[k * y for y in c] for k, c in enumerate(coefficients)][1:]


def shoot(q, W, A, c, h):
    """PARTS series over a piece of h seconds, and the state at its end."""
    parts = []
    for _ in range(PARTS):
        qs, Ws = series(q, W, A, c)
        parts.append((qs, Ws))
        step = h / PARTS
        q, W, A = at(qs, step), at(Ws, step), at(slope(Ws), step)
    return parts, q, W, A


class Shooting:
    """Unknown: world velocity at each key, and A, c of each piece. Asked: the next key's orientation and velocity, no jump of A
    at free keys, A = 0 at free ends."""

    def __init__(self, times, keys, given):
        self.times, self.keys = times, keys
        # R w: the vector part of q w q^-1.
        self.given = [
            None if v is None else product(product(q, [*v, mpf(0)]), conjugate(q))[:3] for q, v in zip(keys, given)
        ]
        self.pieces = len(times) - 1

    def split(self, x):
        velocities = [x[3 * i : 3 * i + 3] for i in range(self.pieces + 1)]
        rest = x[3 * (self.pieces + 1) :]
        return velocities, [(rest[6 * s : 6 * s + 3], rest[6 * s + 3 : 6 * s + 6]) for s in range(self.pieces)]

    def ends(self, x):
        velocities, own = self.split(x)
        return [self.piece(s, tuple(velocities[s]), *map(tuple, own[s])) for s in range(self.pieces)]

    @lru_cache(maxsize=256)  # a difference changes one piece
    def piece(self, s, W, A, c):
        return shoot(self.keys[s], list(W), list(A), list(c), self.times[s + 1] - self.times[s])

    def misses(self, x):
        velocities, own = self.split(x)
        out = []
        before = [mpf(0)] * 3
        for s, (_, q, W, A) in enumerate(self.ends(x)):
            out += log(product(conjugate(self.keys[s + 1]), q))
            out += [a - b for a, b in zip(W, velocities[s + 1])]
            out += self.at_key(s, velocities, before, own[s][0])
            before = A
        return out + self.at_key(self.pieces, velocities, before, [mpf(0)] * 3)

    def at_key(self, i, velocities, before, after):
        wanted = self.given[i]
        return [a - b for a, b in (zip(before, after) if wanted is None else zip(velocities[i], wanted))]

    def solve(self, x):
        for sweep in range(12):
            now = self.misses(x)
            worst = max(abs(y) for y in now)
            print(f"  Newton {sweep}: {mp.nstr(worst, 3)}", flush=True)
            if worst < mpf(10) ** -38:
                return x
            n = len(x)
            jacobian = matrix(n, n)
            for c in range(n):
                moved = list(x)
                moved[c] += DIFFERENCE
                for r, (a, b) in enumerate(zip(self.misses(moved), now)):
                    jacobian[r, c] = (a - b) / DIFFERENCE
            step = lu_solve(jacobian, matrix(now))
            x = [a - step[k] for k, a in enumerate(x)]
        raise SystemExit("the shooting did not settle")

    def curve(self, x):
        flights = [parts for parts, *_ in self.ends(x)]

        def value(t, s):
            step = (self.times[s + 1] - self.times[s]) / PARTS
            k = min(PARTS - 1, max(0, int((t - self.times[s]) / step)))
            return unit(at(flights[s][k][0], t - self.times[s] - k * step))

        return value

    def energy(self, x):
        """The integral of |W'|^2, a polynomial on each part."""
        total = mpf(0)
        for s, (parts, *_) in enumerate(self.ends(x)):
            step = (self.times[s + 1] - self.times[s]) / PARTS
            for _, Ws in parts:
                bend = slope(Ws)
                for j, a in enumerate(bend):
                    for k, b in enumerate(bend):
                        total += sum(p * q for p, q in zip(a, b)) * step ** (j + k + 1) / (j + k + 1)
        return total


def from_ritz(ritz, x, parts):
    """World velocities at the keys; A and c of each piece by differences of the fine curve's velocities."""
    q, w = ritz.unpack(x)
    W = q.apply(w)
    t = ritz.times
    velocities, own = [], []
    for j in range(0, len(t), parts):
        velocities += list(W[j])
        if j + parts >= len(t):
            break
        # W on the piece as a polynomial of degree 6.
        fit = np.polynomial.polynomial.polyfit(t[j : j + parts + 1] - t[j], W[j : j + parts + 1], 6)
        A, second = fit[1], 2 * fit[2]
        own += [*A, *(second - np.cross(W[j], A))]
    return [mpf(float(y)) for y in velocities + own]


def main():
    rng = random.Random(43_2026)
    cases = []
    # keys, reach of the rotation vectors, which velocities are given, and how large they are.
    plans = [
        (2, 2.5, (0, 1), 3.0),
        (3, 0.4, (), 0.0),
        (4, 1.2, (0, 3), 1.0),
        (4, 1.8, (2,), 4.0),
        (5, 1.0, (), 0.0),
    ]
    for count, reach, fixed, speed in plans:
        times = [0.0]
        for _ in range(count - 1):
            times.append(round(times[-1] + rng.uniform(0.3, 1.7), 6))
        number = lambda s=1.0: round(rng.uniform(-s, s), 6)  # noqa: E731
        quaternions = [doubles(exp([mpf(number(reach)) for _ in range(3)])) for _ in range(count)]
        velocities = [[number(speed) for _ in range(3)] if i in fixed else None for i in range(count)]
        print(f"{count} keys", flush=True)
        ritz_energies = {}
        for parts in (2, 4, 8, 16):
            ritz = Ritz(np.array(times), [Rotation.from_quat(q) for q in quaternions], velocities, parts)
            ritz_energies[parts], x = ritz.solve()
        exact = lambda rows: [None if r is None else [mpf(x) for x in r] for r in rows]  # noqa: E731
        moments = [mpf(t) for t in times]
        keys = aligned([unit(q) for q in exact(quaternions)])
        shooting = Shooting(moments, keys, exact(velocities))
        solution = shooting.solve(from_ritz(ritz, x, parts))
        energy = shooting.energy(solution)
        print("  energy", mp.nstr(energy, 15), {n: mp.nstr(e - energy, 3) for n, e in ritz_energies.items()}, flush=True)
        curve = shooting.curve(solution)
        samples = sorted(rng.uniform(times[0], times[-1]) for _ in range(8))
        cases.append(
            {
                "times": times,
                "quaternions": quaternions,
                "velocities": velocities,
                "energy": float(energy),
                "ritz": {str(n): float(e) for n, e in ritz_energies.items()},
                "at": samples,
                "samples": [
                    [doubles(v) for v in rates(curve, mpf(t), max(i for i in range(count - 1) if times[i] <= t))]
                    for t in samples
                ],
            }
        )
    OUT.write_text(json.dumps({"cases": cases}) + "\n")


if __name__ == "__main__":
    main()
