"""Bounded least-squares problems of marker tracking, for packages/core/test/fixtures/ik/marker-tracking.json.

    python3 scripts/oracles/marker_tracking.py        # seconds; needs numpy and scipy 1.17

Imports nothing of the library. Random trees of hinges, sliders and Euler joints with bounds on every coordinate, weighted markers fixed
on their bones, coordinate tasks, and measured places: those of a pose near or beyond the bounds, with 2 cm of noise. What is
minimized is written down from docs/landmarks.md,

    sum_i w_i |x_i(q) - y_i|^2 + sum_k w_k (q_k - t_k)^2,    low <= q <= high,

with kinematics of scipy.spatial.transform. Each problem is solved by scipy.optimize.least_squares (trf, tolerances 1e-15) from a start
near the pose; coordinates that end at a bound (within 1e-6, with the gradient outwards) are put on it and the others solved again
without bounds (lm). The fixture keeps those whose end satisfies the optimality conditions to 1e-9: the answer, its cost, and which
coordinates are at their bounds.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/ik/marker-tracking.json"
SEED = 20261121
COUNT = 60
DOF = {"hinge": 1, "slider": 1, "euler": 3}


def unit(v):
    return v / np.linalg.norm(v)


def random_problem(rng):
    bones = []
    for i in range(rng.integers(3, 8)):
        kind = ["hinge", "euler", "slider", "hinge", "euler"][rng.integers(5)] if i else "euler"
        bone = {
            "parent": -1 if i == 0 else int(rng.integers(max(0, i - 2), i)),
            "position": rng.uniform(-0.3, 0.3, 3).tolist(),
            "rotation": unit(rng.normal(size=4)).tolist(),
            "type": kind,
        }
        if kind == "euler":
            bone["order"] = ["XYZ", "ZXY", "YXZ"][rng.integers(3)]
        else:
            bone["axis"] = unit(rng.normal(size=3)).tolist()
        reach = 0.3 if kind == "slider" else 0.9
        center = rng.uniform(-0.2, 0.2, DOF[kind]) * (0.3 if kind == "slider" else 1)
        half = rng.uniform(0.3, 1.0, DOF[kind]) * reach
        bone["min"] = (center - half).tolist()
        bone["max"] = (center + half).tolist()
        bones.append(bone)
    markers = [
        {
            "bone": int(b),
            "point": rng.uniform(-0.2, 0.2, 3).tolist(),
            "weight": float(rng.choice([0.5, 1.0, 5.0])),
        }
        for b in list(range(len(bones))) * 3
    ]
    low = np.concatenate([b["min"] for b in bones])
    high = np.concatenate([b["max"] for b in bones])
    tasks = [
        {"coordinate": int(i), "target": float(rng.uniform(low[i], high[i])), "weight": float(rng.choice([1e-3, 1e-1]))}
        for i in rng.choice(len(low), 2, replace=False)
    ]
    # Up to a fifth beyond the bounds, so that some hold.
    truth = low + (high - low) * rng.uniform(-0.2, 1.2, len(low))
    places = kinematics(bones, markers, truth) + rng.normal(size=(len(markers), 3)) * 0.02
    start = np.clip(truth + rng.normal(size=len(low)) * 0.05, low, high)
    return {"bones": bones, "markers": markers, "tasks": tasks, "places": places.tolist(), "start": start.tolist()}


def kinematics(bones, markers, q):
    rotations, origins, i = [], [], 0
    for bone in bones:
        parent = bone["parent"]
        r = Rotation.identity() if parent < 0 else rotations[parent]
        o = np.zeros(3) if parent < 0 else origins[parent]
        o = o + r.apply(bone["position"])
        r = r * Rotation.from_quat(bone["rotation"])
        if bone["type"] == "euler":
            r = r * Rotation.from_euler(bone["order"], q[i : i + 3])
            i += 3
        elif bone["type"] == "hinge":
            r = r * Rotation.from_rotvec(q[i] * np.array(bone["axis"]))
            i += 1
        else:
            o = o + r.apply(q[i] * np.array(bone["axis"]))
            i += 1
        rotations.append(r)
        origins.append(o)
    return np.array([origins[m["bone"]] + rotations[m["bone"]].apply(m["point"]) for m in markers])


def solve(problem):
    bones, markers, tasks = problem["bones"], problem["markers"], problem["tasks"]
    low = np.concatenate([b["min"] for b in bones])
    high = np.concatenate([b["max"] for b in bones])
    weight = np.sqrt([m["weight"] for m in markers])[:, None]

    def residual(q):
        marks = (weight * (kinematics(bones, markers, q) - problem["places"])).ravel()
        return np.concatenate([marks, [np.sqrt(t["weight"]) * (q[t["coordinate"]] - t["target"]) for t in tasks]])

    def jacobian(q):
        # Sixth-order central differences: about 1e-12.
        columns = []
        for k in range(len(q)):
            e = np.zeros(len(q))
            e[k] = 5e-3
            d = [residual(q + n * e) - residual(q - n * e) for n in (1, 2, 3)]
            columns.append((45 * d[0] - 9 * d[1] + d[2]) / (60 * 5e-3))
        return np.array(columns).T

    start = np.clip(problem["start"], low + 1e-6, high - 1e-6)
    tight = dict(xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=2000)
    q = least_squares(residual, start, jac=jacobian, bounds=(low, high), **tight).x
    active = np.zeros(len(q), bool)
    for _ in range(4):
        g = jacobian(q).T @ residual(q)
        at_low = (q - low < 1e-6) & (g > 0)
        at_high = (high - q < 1e-6) & (g < 0)
        active = at_low | at_high
        q = np.where(at_low, low, np.where(at_high, high, q))

        def free(x, q=q, active=active):
            full = q.copy()
            full[~active] = x
            return full

        x = least_squares(lambda x: residual(free(x)), q[~active], jac=lambda x: jacobian(free(x))[:, ~active], method="lm", **tight).x
        q = free(x)
    g = jacobian(q).T @ residual(q)
    optimal = np.all(q >= low) and np.all(q <= high)
    optimal = optimal and np.abs(g[~active]).max(initial=0) < 1e-9
    optimal = optimal and np.all(g[active & (q == low)] > 1e-6) and np.all(g[active & (q == high)] < -1e-6)
    return q, float(np.sum(residual(q) ** 2)), active, optimal


def main():
    rng = np.random.default_rng(SEED)
    problems, dropped = [], 0
    while len(problems) < COUNT:
        problem = random_problem(rng)
        q, cost, active, optimal = solve(problem)
        if not optimal:
            dropped += 1
            continue
        problems.append({**problem, "answer": q.tolist(), "cost": cost, "active": np.flatnonzero(active).tolist()})
    text = {
        "made by": "scripts/oracles/marker_tracking.py",
        "scipy": scipy.__version__,
        "numpy": np.__version__,
        "seed": SEED,
        "dropped": dropped,
        "problems": problems,
    }
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(text, separators=(",", ":")) + "\n")
    active = sum(len(p["active"]) > 0 for p in problems)
    print(f"{COUNT} problems, {active} with active bounds, {dropped} dropped; {OUT.stat().st_size} bytes")


main()
