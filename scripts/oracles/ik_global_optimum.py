"""Global optima of 1,000 small inverse-kinematics problems, for packages/core/test/fixtures/ik/global-optimum.json.

    python3 scripts/oracles/ik_global_optimum.py                # three minutes on two cores; needs numpy, scipy 1.17
    python3 scripts/oracles/ik_global_optimum.py --count 20 --out /tmp/few.json

Imports nothing of the library. Chains of two to four swing and ball-and-socket joints with elliptic limits and twist intervals
(docs/rotation.md); goals of position, orientation and points-at, most of them out of reach or blocked. What is
minimized is written down from docs/ik.md,

    f = 1/2 sum of weight / largest weight |r|^2,  lengths over the chain's reach, angles in radians,

its gradient from the left Jacobian J_l = I + B [v] + C [v]^2; the script checks both against
scipy.spatial.transform and differences before it starts. Each problem is minimized by SciPy's SLSQP from 200 starts: rest, then
poses drawn within the limits. The best end is moved to the nearest allowed pose (parts of limits by a bracketed root) and
its f taken there, so no optimum is below what the limits allow.

Of each problem the fixture keeps the chain, the goals, the best f and pose, and the share of the starts that ended there.
"""

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
import scipy  # noqa: E402
from scipy.optimize import brentq, minimize  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/ik/global-optimum.json"
SEED = 20261121
COUNT = 1000
STARTS = 200
# Everything drawn is rounded to so many digits, so that both sides read the same numbers.
DIGITS = 6


# --- Vectors and matrices as plain tuples: for three numbers faster than arrays. Matrices row by row. ---


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(k, a):
    return (k * a[0], k * a[1], k * a[2])


def unit(a):
    return scale(1 / math.sqrt(dot(a, a)), a)


def times(m, v):
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


def product(a, b):
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


def by_transpose(a, b):
    """a b^T"""
    return product(a, (b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]))


def from_quaternion(q):
    n = math.sqrt(sum(c * c for c in q))
    x, y, z, w = (c / n for c in q)
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def coefficients(theta):
    """A = sin t / t, B = (1 - cos t) / t^2, C = (1 - A) / t^2."""
    if theta < 1e-2:
        t = theta * theta
        return (
            1 - t / 6 * (1 - t / 20 * (1 - t / 42)),
            (1 - t / 12 * (1 - t / 30 * (1 - t / 56))) / 2,
            (1 - t / 20 * (1 - t / 42 * (1 - t / 72))) / 6,
        )
    a = math.sin(theta) / theta
    half = math.sin(theta / 2) / theta
    return a, 2 * half * half, (1 - a) / (theta * theta)


def exponential(v):
    """R = I + A [v] + B [v]^2."""
    theta = math.sqrt(dot(v, v))
    a, b, _ = coefficients(theta)
    x, y, z = v
    return (
        1 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y,
        b * x * y + a * z, 1 - b * (x * x + z * z), b * y * z - a * x,
        b * x * z - a * y, b * y * z + a * x, 1 - b * (x * x + y * y),
    )  # fmt: skip


def left_jacobian(v, e):
    """J_l(v) e = e + B v x e + C v x (v x e)."""
    _, b, c = coefficients(math.sqrt(dot(v, v)))
    once = cross(v, e)
    return add(e, add(scale(b, once), scale(c, cross(v, once))))


def logarithm(r):
    """Rotation vector of a matrix: the axis from what is antisymmetric, and near pi from what is symmetric."""
    axis = scale(0.5, (r[7] - r[5], r[2] - r[6], r[3] - r[1]))
    sine = math.sqrt(dot(axis, axis))
    cosine = 0.5 * (r[0] + r[4] + r[8] - 1)
    theta = math.atan2(sine, cosine)
    if cosine > -0.9:
        return scale(1 if sine < 1e-12 else theta / sine, axis)
    # (R + R^T)/2 - cos I = (1 - cos) n n^T
    diagonal = [r[0] - cosine, r[4] - cosine, r[8] - cosine]
    k = max(range(3), key=lambda i: diagonal[i])
    column = [0.5 * (r[3 * i + k] + r[3 * k + i]) - (cosine if i == k else 0) for i in range(3)]
    n = unit(column)
    return scale(theta if dot(n, axis) >= 0 else -theta, n)


# --- A problem: its chain, its objective with gradient, its limits. ---


class Problem:
    """
    A chain of joints, each {position, rotation, axis, side, swing, twist or None}, `tip` in the last frame; goals. Coordinates
    joint by joint: r_s, r_t and, where there is a twist interval, the twist. R = R_swing R_twist.
    """

    def __init__(self, data):
        self.data = data
        self.joints = []
        i = 0
        for joint in data["joints"]:
            s = tuple(joint["side"])
            a = tuple(joint["axis"])
            turning = joint["twist"] is not None
            self.joints.append(
                (tuple(joint["position"]), from_quaternion(joint["rotation"]), a, s, cross(a, s), turning, i)
            )
            i += 3 if turning else 2
        self.size = i
        self.tip = tuple(data["tip"])
        along = [math.sqrt(dot(p, p)) for p, *_ in self.joints[1:]]
        self.reach = sum(along) + math.sqrt(dot(self.tip, self.tip))
        self.goals = []
        largest = max(goal["weight"] for goal in data["goals"])
        for goal in data["goals"]:
            share = goal["weight"] / largest
            target = from_quaternion(goal["target"]) if goal["type"] == "orientation" else tuple(goal["target"])
            extra = tuple(goal.get("axis", goal.get("point", (0, 0, 0))))
            self.goals.append((goal["type"], goal["bone"], share, target, extra))
        self.bounds = []
        self.curved = []
        for joint, (_, _, _, _, _, turning, i) in zip(data["joints"], self.joints):
            swing = joint["swing"]
            low_s, high_s, low_t, high_t = quarters(swing)
            self.bounds += [(low_s, high_s), (low_t, high_t)]
            self.curved.append((i, swing))
            if turning:
                self.bounds.append(tuple(joint["twist"]))
        self.low = np.array([b[0] for b in self.bounds])
        self.high = np.array([b[1] for b in self.bounds])

    def frames(self, q):
        """World rotation and origin of each bone, and the world axis of each coordinate with the origin it turns about."""
        rotations, origins, axes = [], [], []
        r, o = (1, 0, 0, 0, 1, 0, 0, 0, 1), (0, 0, 0)
        for position, rest, a, s, t, turning, i in self.joints:
            o = add(o, times(r, position))
            r = product(r, rest)
            v = add(scale(q[i], s), scale(q[i + 1], t))
            axes.append((times(r, left_jacobian(v, s)), o))
            axes.append((times(r, left_jacobian(v, t)), o))
            r = product(r, exponential(v))
            if turning:
                axes.append((times(r, a), o))
                r = product(r, exponential(scale(q[i + 2], a)))
            rotations.append(r)
            origins.append(o)
        return rotations, origins, axes

    def objective(self, q):
        """f and its gradient."""
        q = q.tolist()
        rotations, origins, axes = self.frames(q)
        f = 0.0
        gradient = [0.0] * self.size
        for kind, bone, share, target, extra in self.goals:
            r, o = rotations[bone], origins[bone]
            last = self.joints[bone]
            count = last[6] + (3 if last[5] else 2)
            # df = force . (velocity of the point p of the bone) + couple . (angular velocity of the bone)
            if kind == "position":
                p = add(o, times(r, extra))
                d = sub(p, target)
                k = share / (self.reach * self.reach)
                f += 0.5 * k * dot(d, d)
                force, couple = scale(k, d), (0, 0, 0)
            elif kind == "orientation":
                p = o
                rho = logarithm(by_transpose(r, target))
                f += 0.5 * share * dot(rho, rho)
                force, couple = (0, 0, 0), scale(share, rho)
            else:
                p = o
                d = times(r, extra)
                sight = sub(target, o)
                length = math.sqrt(dot(sight, sight))
                u = scale(1 / length, sight)
                normal = cross(d, u)
                sine, cosine = math.sqrt(dot(normal, normal)), dot(d, u)
                theta = math.atan2(sine, cosine)
                f += 0.5 * share * theta * theta
                k = share * (1 if sine < 1e-12 else theta / sine)
                # d theta = -(w x d . u + d . du) / sin theta, du = -(v - (v.u) u) / length
                force = scale(k / length, sub(d, scale(cosine, u)))
                couple = scale(-k, normal)
            for i in range(count):
                axis, origin = axes[i]
                gradient[i] += dot(force, cross(axis, sub(p, origin))) + dot(couple, axis)
        return f, np.array(gradient)

    def slack(self, q):
        """1 - (r_s/a)^2 - (r_t/b)^2 of each swing, at least 0 within the limit."""
        out = []
        for i, swing in self.curved:
            a, b = radii(swing, q[i], q[i + 1])
            out.append(1 - (q[i] / a) ** 2 - (q[i + 1] / b) ** 2)
        return np.array(out)

    def slack_gradient(self, q):
        out = np.zeros((len(self.curved), self.size))
        for n, (i, swing) in enumerate(self.curved):
            a, b = radii(swing, q[i], q[i + 1])
            out[n, i] = -2 * q[i] / (a * a)
            out[n, i + 1] = -2 * q[i + 1] / (b * b)
        return out

    def nearest(self, q):
        """The nearest allowed pose."""
        q = np.array(q, float)
        swung = set()
        for i, swing in self.curved:
            q[i], q[i + 1] = nearest_on_ellipse(*radii(swing, q[i], q[i + 1]), q[i], q[i + 1])
            swung |= {i, i + 1}
        for i in range(self.size):
            if i not in swung:
                q[i] = min(max(q[i], self.low[i]), self.high[i])
        return q


def quarters(swing):
    """[least s, greatest s, least t, greatest t] of an ellipse (two radii) or a quad-ellipse (four)."""
    return (-swing[0], swing[0], -swing[1], swing[1]) if len(swing) == 2 else tuple(swing)


def radii(swing, rs, rt):
    low_s, high_s, low_t, high_t = quarters(swing)
    return (-low_s if rs < 0 else high_s), (-low_t if rt < 0 else high_t)


def nearest_on_ellipse(a, b, x, y):
    """The nearest point of (x/a)^2 + (y/b)^2 <= 1: (a^2 x/(a^2+t), b^2 y/(b^2+t)), t the root of a falling function."""

    def excess(t):
        return (a * x / (a * a + t)) ** 2 + (b * y / (b * b + t)) ** 2 - 1

    if excess(0) <= 0:
        return x, y
    high = max(a, b) * math.hypot(x, y) + 1
    t = brentq(excess, 0, high, xtol=1e-16, rtol=1e-15)
    px, py = a * a * x / (a * a + t), b * b * y / (b * b + t)
    inside = max(1.0, math.hypot(px / a, py / b))
    return px / inside, py / inside


# --- Drawing problems. ---


def rounded(values):
    return [round(float(v), DIGITS) for v in values]


def direction(rng):
    v = rng.standard_normal(3)
    return v / np.linalg.norm(v)


def draw_swing(rng):
    if rng.random() < 0.5:
        return rounded(rng.uniform(0.15, 1.6, 2))
    r = rng.uniform(0.15, 1.6, 4)
    return rounded([-r[0], r[1], -r[2], r[3]])


def draw_problem(number):
    rng = np.random.default_rng([SEED, number])
    count = int(rng.integers(2, 5))
    joints = []
    for k in range(count):
        # A link along +Y of some length, sometimes in any direction; the axis of swing and twist along it or not.
        length = rng.uniform(0.4, 1.2)
        straight = rng.random() < 0.7
        position = [0, 0, 0] if k == 0 else (length * np.array([0, 1, 0]) if straight else length * direction(rng))
        rotation = [0, 0, 0, 1] if rng.random() < 0.6 else Rotation.random(random_state=rng).as_quat()
        axis = np.array([0, 1, 0]) if rng.random() < 0.7 else direction(rng)
        side = direction(rng)
        side -= (side @ axis) * axis
        side /= np.linalg.norm(side)
        twist = None
        if rng.random() < 0.6:
            twist = rounded([-rng.uniform(0.1, 1.5), rng.uniform(0.1, 1.5)])
        # Axes and quaternions in full: rounding would leave them not quite unit or not quite normal.
        joints.append(
            {
                "position": rounded(position),
                "rotation": [float(c) for c in rotation],
                "axis": [float(c) for c in axis],
                "side": [float(c) for c in side],
                "swing": draw_swing(rng),
                "twist": twist,
            }
        )
    tip = rounded(rng.uniform(0.4, 1.2) * np.array([0, 1, 0]))
    return {"joints": joints, "tip": tip, "goals": draw_goals(rng, joints, tip)}


def draw_goals(rng, joints, tip):
    last = len(joints) - 1
    reach = sum(np.linalg.norm(joint["position"]) for joint in joints) + np.linalg.norm(tip)
    place = lambda: rounded(rng.uniform(0.15, 1.15) ** (1 / 3) * reach * direction(rng))  # noqa: E731
    weight = lambda: round(float(10 ** rng.uniform(-1, 1)), 4)  # noqa: E731
    turn = lambda: rounded(Rotation.random(random_state=rng).as_quat())  # noqa: E731
    at_tip = lambda: {"type": "position", "bone": last, "point": tip, "target": place(), "weight": weight()}  # noqa: E731
    turned = lambda: {"type": "orientation", "bone": last, "target": turn(), "weight": weight()}  # noqa: E731
    pointed = lambda bone: {  # noqa: E731
        "type": "points-at",
        "bone": bone,
        "axis": [float(c) for c in direction(rng)] if rng.random() < 0.5 else [0.0, 1.0, 0.0],
        "target": rounded(2 * np.array(place())),
        "weight": weight(),
    }
    kind = int(rng.integers(0, 6))
    if kind <= 1:
        return [at_tip()]
    if kind == 2:
        return [turned()]
    if kind == 3:
        return [at_tip(), turned()]
    if kind == 4:
        return [pointed(last)]
    middle = {"type": "position", "bone": last, "point": [0.0, 0.0, 0.0], "target": place(), "weight": weight()}
    return [at_tip(), middle] if rng.random() < 0.5 else [at_tip(), pointed(last - 1)]


def draw_start(problem, rng):
    """Uniform within the limits."""
    while True:
        q = rng.uniform(problem.low, problem.high)
        if np.all(problem.slack(q) >= 0):
            return q


# --- Solving. ---


def descend(problem, start, precision):
    return minimize(
        problem.objective,
        start,
        jac=True,
        method="SLSQP",
        bounds=problem.bounds,
        constraints=[{"type": "ineq", "fun": problem.slack, "jac": problem.slack_gradient}],
        options={"ftol": precision, "maxiter": 300},
    )


def solve(number, starts=STARTS):
    data = draw_problem(number)
    problem = Problem(data)
    rng = np.random.default_rng([SEED, number, 1])
    ends = []
    for n in range(starts):
        start = np.zeros(problem.size) if n == 0 else draw_start(problem, rng)
        q = problem.nearest(descend(problem, start, 1e-10).x)
        ends.append((problem.objective(q)[0], n, q))
    ends.sort(key=lambda end: end[:2])
    best, _, pose = ends[0]
    # The best three once more, to the end.
    for _, _, q in ends[:3]:
        for _ in range(3):
            q = problem.nearest(descend(problem, q, 1e-16).x)
            f = problem.objective(q)[0]
            if f < best:
                best, pose = f, q
    hits = sum(1 for f, _, _ in ends if f <= best * (1 + 1e-4) + 1e-8)
    gradient = problem.objective(pose)[1]
    stationarity = float(np.linalg.norm(problem.nearest(pose - gradient) - pose))
    return {**data, "f": best, "pose": [float(x) for x in pose], "share": hits / starts, "stationarity": stationarity}


# --- The script's own check, before it is believed. ---


def check():
    rng = np.random.default_rng(5)
    for number in range(40):
        problem = Problem(draw_problem(number))
        q = draw_start(problem, rng)
        f, gradient = problem.objective(q)
        # FK by SciPy's rotations.
        r, o = Rotation.identity(), np.zeros(3)
        frames = []
        for joint, (_, _, a, s, t, turning, i) in zip(problem.data["joints"], problem.joints):
            o = o + r.apply(joint["position"])
            swing = Rotation.from_rotvec(q[i] * np.array(s) + q[i + 1] * np.array(t))
            r = r * Rotation.from_quat(joint["rotation"]) * swing
            if turning:
                r = r * Rotation.from_rotvec(q[i + 2] * np.array(a))
            frames.append((r, o))
        largest = max(goal["weight"] for goal in problem.data["goals"])
        expected = 0.0
        for goal in problem.data["goals"]:
            r, o = frames[goal["bone"]]
            if goal["type"] == "position":
                value = np.linalg.norm(o + r.apply(goal["point"]) - goal["target"]) / problem.reach
            elif goal["type"] == "orientation":
                value = (Rotation.from_quat(goal["target"]).inv() * r).magnitude()
            else:
                u = np.array(goal["target"]) - o
                d = r.apply(goal["axis"])
                value = math.atan2(np.linalg.norm(np.cross(d, u)), d @ u)
            expected += 0.5 * goal["weight"] / largest * value**2
        assert abs(f - expected) < 1e-12 * (1 + f), (number, f, expected)
        for i in range(problem.size):
            h = np.zeros(problem.size)
            h[i] = 1e-5
            slope = (problem.objective(q + h)[0] - problem.objective(q - h)[0]) / 2e-5
            assert abs(slope - gradient[i]) < 1e-7 * (1 + abs(slope)), (number, i, slope, gradient[i])
        outside = q + rng.standard_normal(problem.size)
        p = problem.nearest(outside)
        assert np.all(problem.slack(p) > -1e-15)
        for _ in range(20):
            other = draw_start(problem, rng)
            assert np.linalg.norm(other - outside) >= np.linalg.norm(p - outside) - 1e-12


def trimmed(value):
    if isinstance(value, float):
        return 0 if value == 0 else int(value) if value.is_integer() else float(f"{value:.15g}")
    if isinstance(value, list):
        return [trimmed(v) for v in value]
    if isinstance(value, dict):
        return {k: trimmed(v) for k, v in value.items()}
    return value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    check()
    begin = time.time()
    lines = []
    with multiprocessing.Pool(options.processes) as pool:
        tasks = ((number, options.starts) for number in range(options.count))
        for problem in pool.imap(unpacked, tasks):
            problem["f"], problem["stationarity"] = float(problem["f"]), float(f"{problem['stationarity']:.2g}")
            lines.append(json.dumps(trimmed(problem), separators=(",", ":")))
            if len(lines) % 20 == 0:
                print(f"{len(lines)} in {time.time() - begin:.0f} s", file=sys.stderr, flush=True)
    about = (
        f"made by scripts/oracles/ik_global_optimum.py: seed {SEED}, {options.starts} starts each, "
        f"SciPy {scipy.__version__}, NumPy {np.__version__}; f and pose: the best found, within the limits; "
        "share: of the starts that ended there; stationarity: |P(q - grad f) - q| at the pose"
    )
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text('{"about":' + json.dumps(about) + ',"problems":[\n' + ",\n".join(lines) + "\n]}\n")
    print(f"{options.out}: {len(lines)} problems, {options.out.stat().st_size} bytes, {time.time() - begin:.0f} s")


def unpacked(task):
    return solve(*task)


if __name__ == "__main__":
    main()
