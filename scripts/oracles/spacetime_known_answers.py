"""Known answers of trajectory optimization, for packages/core/test/fixtures/spacetime/known-answers.json.

    python3 scripts/oracles/spacetime_known_answers.py     # rewrites the fixture; needs mpmath 1.3, numpy 2.4, scipy 1.17

Imports nothing of the library. What each part is, and the two ways by which it is known, stands in `spacetime/`:

- `blockMove`, `minimumJerk`, `particle`: formulas, against minima over polynomials (`closed_forms.py`).
- `bangBang`: the double integrator in spaces of splines, least T by linear programs with a bound from below (`bang_bang.py`).
- `leastTorque`: a pendulum and a two-link arm, least integral of |tau|^2, by Pontryagin's principle and by Ritz's method
  (`least_torque.py`); the equations of motion against Lagrange's (`planar_chains.py`).
- `leastTime`: one hinge under gravity with a bound on its torque, by quadrature and played forward (`least_time.py`).

Units are m, kg, s, rad, N m. A sample of `blockMove` is [t, x, x', u]; of `minimumJerk` [s, x, x', x'', x''']; of `particle`
[t, x, v, f]; of `leastTorque` [t, q, v, tau], the last three a number a joint; of `leastTime` [t, q, v, tau]. Costs are plain
integrals of squares, without a half. `figure` is data from which a figure is made.
"""

import json
from math import pi
from pathlib import Path

import numpy as np
from spacetime import bang_bang, closed_forms, least_time, least_torque
from spacetime.planar_chains import Arm, Pendulum, check

OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/spacetime/known-answers.json"
SEED = 4_2026


def torque_cases(rng):
    pendulum = Pendulum(1, 0.5, 0.02, 9.81)
    arm, floating = (Arm([2, 1.2], [0.4, 0.35], [0.2, 0.15], [0.03, 0.015], g) for g in (9.81, 0))
    for chain in (pendulum, arm, floating):
        check(chain, rng)
    return [
        least_torque.case("pendulum, straight up", pendulum, [0], [pi], 0.8, rng),
        least_torque.case("pendulum, swings back first", pendulum, [0], [pi], 2, rng),
        least_torque.case("arm, raised from hanging", arm, [-pi / 2, 0], [0.3, 0.8], 0.8, rng),
        least_torque.case("arm without gravity", floating, [0, 0], [1.2, 1], 1, rng),
        least_torque.case("arm without gravity, opens", floating, [-0.5, 1.5], [0.8, 0.4], 0.5, rng),
    ]


def time_cases():
    pendulum = Pendulum(1, 0.5, 0.02, 9.81)
    return [
        least_time.case("from hanging to level", pendulum, 0.0, pi / 2, 8.0),
        least_time.case("past the bottom", pendulum, -1.2, 0.9, 9.0),
        least_time.case("from level to the top", pendulum, 1.5, pi, 7.0),
    ]


def main():
    print("bang-bang: degree, intervals, least T where moments, control points or all times are bounded")
    fixture = {
        "script": "scripts/oracles/spacetime_known_answers.py",
        "blockMove": closed_forms.block_move(),
        "minimumJerk": closed_forms.minimum_jerk(),
        "particle": closed_forms.particles(),
        "bangBang": {"distance": 1, "bound": 1, "duration": 2, "splines": bang_bang.durations()},
    }
    print("least torque")
    fixture["leastTorque"] = torque_cases(np.random.default_rng(SEED))
    print("least time")
    fixture["leastTime"] = time_cases()
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(fixture) + "\n")


if __name__ == "__main__":
    main()
