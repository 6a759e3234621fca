"""Joint forces and their derivatives to 30 digits, for packages/core/test/fixtures/dynamics/derivatives.json.

    python3 scripts/oracles/dynamics_derivatives.py     # rewrites the fixture; needs mpmath 1.3

Imports nothing of the library, and uses no formula of rigid bodies: every bone is five point masses, which the figure's bones
turn and move as their joints say. Joint forces are virtual powers, tau_k = sum of m (x'' - g) . dx/dk over the points, with x''
and dx/dk by central differences of positions at 80 digits, and their derivatives are differences of those. Mass, centre
and inertia of the points stand in the fixture for the library to read.
"""

import json
import random
from pathlib import Path

from mpmath import cos, mp, mpf, sin, sqrt

mp.dps = 80
OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/dynamics/derivatives.json"
STEP = mpf(10) ** -20
OUTER = mpf(10) ** -12
SIZES = {"fixed": 0, "hinge": 1, "slider": 1, "swing": 2, "ball": 3, "ball-and-socket": 3, "euler": 3, "free": 6}


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    n = sqrt(dot(a, a))
    return [x / n for x in a]


def times(a, b):
    return [[dot(row, [b[k][j] for k in range(3)]) for j in range(3)] for row in a]


def apply(m, x):
    return [dot(row, x) for row in m]


def rotation(v):
    """Rodrigues."""
    theta = sqrt(dot(v, v))
    if theta == 0:
        return [[mpf(i == j) for j in range(3)] for i in range(3)]
    x, y, z = [c / theta for c in v]
    k = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    kk = times(k, k)
    return [[mpf(i == j) + sin(theta) * k[i][j] + (1 - cos(theta)) * kk[i][j] for j in range(3)] for i in range(3)]


def turn(q):
    """Matrix of a quaternion x, y, z, w."""
    x, y, z, w = unit([mpf(c) for c in q])
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]


def joint_transform(joint, q, b):
    """Rotation and move at coordinates q, displaced by b: in the chart, or from the right where velocity is an angular velocity."""
    kind = joint["type"]
    still, here = rotation([mpf(0)] * 3), [mpf(0)] * 3
    if kind == "fixed":
        return still, here
    if kind in ("ball", "free"):
        o = 3 if kind == "free" else 0
        r = times(rotation(q[o : o + 3]), rotation(b[o : o + 3]))
        return r, [q[k] + b[k] for k in range(3)] if o else here
    x = [a + d for a, d in zip(q, b)]
    if kind == "euler":
        r = still
        for letter, angle in zip(joint["order"], x):
            r = times(r, rotation([angle if letter == axis else mpf(0) for axis in "XYZ"]))
        return r, here
    axis = unit([mpf(c) for c in joint["axis"]])
    if kind == "hinge":
        return rotation([x[0] * c for c in axis]), here
    if kind == "slider":
        return still, [x[0] * c for c in axis]
    side = [mpf(c) for c in joint["side"]]
    s = unit([c - dot(side, axis) * a for c, a in zip(side, axis)])
    t = cross(axis, s)
    r = rotation([x[0] * c + x[1] * d for c, d in zip(s, t)])
    if kind == "ball-and-socket":
        r = times(r, rotation([x[2] * c for c in axis]))
    return r, here


def place(figure, q, b):
    """Frames of all bones."""
    frames = {}
    for bone in figure:
        kind = bone["joint"]["type"]
        i, n = bone["coordinate"], SIZES[kind]
        if "mimic" in bone:
            y = q[i] + b[i]
            own = [sum(mpf(c) * y**k for k, c in enumerate(bone["mimic"]["polynomial"]))]
            r, move = joint_transform(bone["joint"], own, [mpf(0)])
        else:
            r, move = joint_transform(bone["joint"], q[i : i + n], b[i : i + n])
        rest = turn(bone["rest"]["rotation"])
        r = times(rest, r)
        move = [mpf(p) + m for p, m in zip(bone["rest"]["position"], apply(rest, move))]
        if bone["parent"] is not None:
            parent, origin = frames[bone["parent"]]
            move = [o + m for o, m in zip(origin, apply(parent, move))]
            r = times(parent, r)
        frames[bone["name"]] = (r, move)
    return frames


def points(figure, frames):
    out = []
    for bone in figure:
        r, origin = frames[bone["name"]]
        out += [[o + x for o, x in zip(origin, apply(r, p))] for p in bone["exact"]]
    return out


def forces(case, q, velocity, acceleration):
    figure, n = case["figure"], len(q)
    zero = [mpf(0)] * n

    def at(time):
        return points(figure, place(figure, q, [time * v + time * time * a / 2 for v, a in zip(velocity, acceleration)]))

    before, now, after = at(-STEP), at(mpf(0)), at(STEP)
    pulls = []
    k = 0
    for bone in figure:
        for mass in bone["masses"]:
            second = [(x - 2 * y + z) / STEP**2 for x, y, z in zip(before[k], now[k], after[k])]
            pulls.append([mpf(mass) * (s - mpf(g)) for s, g in zip(second, case["gravity"])])
            k += 1
    tau = []
    for i in range(n):
        ahead, behind = [place(figure, q, zero[:i] + [d] + zero[i + 1 :]) for d in (STEP, -STEP)]
        gap = 2 * STEP
        total = mpf(0)
        for pull, x, y in zip(pulls, points(figure, ahead), points(figure, behind)):
            total += dot(pull, [(u - v) / gap for u, v in zip(x, y)])
        frames = place(figure, q, zero)
        for b, bone in enumerate(figure):
            push = [mpf(x) for x in case["external"][6 * b : 6 * b + 6]]
            (r, o), (s, p) = ahead[bone["name"]], behind[bone["name"]]
            total -= dot(push[:3], [(u - v) / gap for u, v in zip(o, p)])
            rate = [[(u - v) / gap for u, v in zip(x, y)] for x, y in zip(r, s)]
            now_r = frames[bone["name"]][0]
            spin = [[dot(x, y) for y in now_r] for x in rate]
            total -= dot(push[3:], [spin[2][1], spin[0][2], spin[1][0]])
        tau.append(total)
    return tau


def derivatives(case):
    q, velocity, acceleration = [[mpf(x) for x in case[key]] for key in ("pose", "velocity", "acceleration")]
    n = len(q)

    def by(index):
        out = [[None] * n for _ in range(n)]
        for i in range(n):
            ends = []
            for sign in (1, -1):
                given = [list(q), list(velocity), list(acceleration)]
                given[index][i] += sign * OUTER
                ends.append(forces(case, *given))
            for r in range(n):
                out[r][i] = (ends[0][r] - ends[1][r]) / (2 * OUTER)
        return [[float(x) for x in row] for row in out]

    return {"tau": [float(x) for x in forces(case, q, velocity, acceleration)], "byPose": by(0), "byVelocity": by(1)}


AXIS = [[0.6, 0.0, 0.8], [0.0, 0.8, 0.6], [1.0, 2.0, -2.0], [-0.3, 0.5, 0.9]]
SIDE = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.3], [0.5, 0.5, 0.7], [1.0, 0.2, 0.1]]
RESTS = [[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8], [0.5, -0.5, 0.5, 0.5], [0.0, 0.28, 0.96, 0.0]]

# name, parent, joint, whom it follows
TREES = [
    [("a", None, "free", None), ("b", "a", "swing", None), ("c", "b", "hinge", None), ("d", "a", "fixed", None)],
    [("a", None, "ball", None), ("b", "a", "ball-and-socket", None), ("c", "b", "euler", None), ("d", "b", "swing", None)],
    [("a", None, "hinge", None), ("b", "a", "slider", None), ("c", "b", "free", None), ("d", "c", "ball", None)],
    [
        ("a", None, "swing", None),
        ("b", "a", "hinge", None),
        ("c", "b", "hinge", ("b", [0.3, -0.7, 0.4, 0.2, -0.15])),
        ("d", "c", "ball", None),
        ("e", "a", "slider", ("b", [0.1, 0.2, 0.5, -0.3])),
    ],
]
ORDERS = ["ZXY", "XYX"]


def number(source, size):
    return round(source.uniform(-size, size), 6)


def build(tree, source):
    figure, n, first = [], 0, {}
    for k, (name, parent, kind, follows) in enumerate(tree):
        joint = {"type": kind}
        if kind in ("hinge", "slider", "swing", "ball-and-socket"):
            joint["axis"] = source.choice(AXIS)
        if kind in ("swing", "ball-and-socket"):
            joint["side"] = source.choice(SIDE)
        if kind == "euler":
            joint["order"] = source.choice(ORDERS)
        masses = [round(source.uniform(0.1, 0.8), 3) for _ in range(5)]
        exact = [[mpf(number(source, 0.4)) for _ in range(3)] for _ in range(5)]
        total = sum(mpf(m) for m in masses)
        center = [sum(mpf(m) * p[c] for m, p in zip(masses, exact)) / total for c in range(3)]
        moments = [[mpf(0)] * 3 for _ in range(3)]
        for m, p in zip(masses, exact):
            r = [x - c for x, c in zip(p, center)]
            for i in range(3):
                for j in range(3):
                    moments[i][j] += mpf(m) * ((dot(r, r) if i == j else 0) - r[i] * r[j])
        bone = {
            "name": name,
            "parent": parent,
            "rest": {"position": [number(source, 0.5) for _ in range(3)], "rotation": RESTS[k % 4]},
            "joint": joint,
            "mass": float(total),
            "centerOfMass": [float(c) for c in center],
            "inertia": [float(moments[i][j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
            "masses": masses,
            "exact": exact,
            "coordinate": n,
        }
        if follows:
            bone["mimic"] = {"bone": follows[0], "polynomial": follows[1]}
            bone["coordinate"] = first[follows[0]]
        else:
            first[name] = n
            n += SIZES[kind]
        figure.append(bone)
    return figure, n


def state(figure, n, source):
    pose = [number(source, 1) for _ in range(n)]
    for bone in figure:
        kind, i = bone["joint"]["type"], bone["coordinate"]
        if "mimic" in bone:
            continue
        o = {"free": 3, "ball": 0, "swing": 0, "ball-and-socket": 0}.get(kind, -1)
        if kind in ("ball", "free"):
            # Between 2 and 3 rad.
            direction = unit([mpf(x) for x in pose[i + o : i + o + 3]])
            size = source.uniform(2, 3)
            pose[i + o : i + o + 3] = [round(float(size * x), 6) for x in direction]
        if kind in ("swing", "ball-and-socket"):
            direction = unit([mpf(x) for x in pose[i : i + 2]])
            size = source.uniform(1.5, 2.6)
            pose[i : i + 2] = [round(float(size * x), 6) for x in direction]
        if kind in ("ball-and-socket",):
            pose[i + 2] = number(source, 3)
        if kind == "euler":
            pose[i], pose[i + 2] = number(source, 3), number(source, 3)
    return {
        "pose": pose,
        "velocity": [number(source, 3) for _ in range(n)],
        "acceleration": [number(source, 5) for _ in range(n)],
        "external": [number(source, 5) for _ in range(6 * len(figure))],
        "gravity": [1.3, -9.81, 0.7],
    }


def main():
    source = random.Random(5)
    cases = []
    for tree in TREES:
        for _ in range(2):
            figure, n = build(tree, source)
            case = {"figure": figure, **state(figure, n, source)}
            case.update(derivatives(case))
            hidden = ("masses", "exact", "coordinate")
            case["figure"] = {"bones": [{k: v for k, v in bone.items() if k not in hidden} for bone in figure]}
            cases.append(case)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"made_by": "scripts/oracles/dynamics_derivatives.py", "cases": cases}) + "\n")


main()
