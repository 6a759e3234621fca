"""Bodies of OpenSim models at random coordinates, by OpenSim's equations on 4x4 matrices: for packages/formats/test/fixtures/opensim-kinematics.json.

    python3 scripts/oracles/opensim_kinematics.py DATA      # DATA: the folder opensim of the shared data; needs numpy

Imports nothing of Poise. Equations: X_parent_child = X_PF X_FM X_BM^-1 with body-fixed x, y, z angles in X_PF and X_BM; of a CustomJoint
X_FM = translation(sum a_i f_i) R(a_1, f_1) R(a_2, f_2) R(a_3, f_3); SimmSpline after Forsythe, Malcolm and Moler (1977) with a dense solve instead of
elimination, linear outside; of an ellipsoid X_FM = (R, radii * (R e_z)).
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

OUT = Path(__file__).parents[2] / "packages/formats/test/fixtures/opensim-kinematics.json"
MODELS = [
    "dyn_single_pin/SinglePin.osim",
    "id_arm26/arm26.osim",
    "ik_gait2354/subject01_simbody.osim",
    "ik_gait2354_real/subject01_simbody.osim",
    "models/Rajagopal_2015.osim",
    "models/ThoracoscapularShoulderModel.osim",
    "models/arm26_ccby.osim",
    "models/wrist.osim",
    "motions/gait2392.osim",
    "opencap/LaiUhlrich2022.osim",
]
JOINTS = {
    "PinJoint": ["z"],
    "WeldJoint": [],
    "UniversalJoint": ["x", "y"],
    "BallJoint": ["x", "y", "z"],
}
E = np.eye(3)


def text(element, tag, default=""):
    child = element.find(tag)
    return (child.text or "").strip() if child is not None else default


def numbers(element, tag, default):
    value = text(element, tag)
    return np.array([float(x) for x in value.split()]) if value else np.array(default, float)


def rotation(axis, angle):
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def matrix(r=np.eye(3), p=(0, 0, 0)):
    out = np.eye(4)
    out[:3, :3] = r
    out[:3, 3] = p
    return out


def body_xyz(angles):
    return rotation(E[0], angles[0]) @ rotation(E[1], angles[1]) @ rotation(E[2], angles[2])


def frame(element, translation, orientation):
    return matrix(body_xyz(numbers(element, orientation, [0, 0, 0])), numbers(element, translation, [0, 0, 0]))


def simm_spline(x, y, at):
    n = len(x)
    h = np.diff(x)
    slope = np.diff(y) / h
    if n == 2:
        return y[0] + (at - x[0]) * slope[0]
    a = np.zeros((n, n))
    rhs = np.zeros(n)
    for i in range(1, n - 1):
        a[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        rhs[i] = slope[i] - slope[i - 1]
    a[0, :2] = -h[0], h[0]
    a[-1, -2:] = h[-1], -h[-1]
    if n > 3:
        third = lambda i: ((slope[i + 2] - slope[i + 1]) / (x[i + 3] - x[i + 1]) - (slope[i + 1] - slope[i]) / (x[i + 2] - x[i])) / (x[i + 3] - x[i])
        rhs[0] = h[0] ** 2 * third(0)
        rhs[-1] = -h[-1] ** 2 * third(n - 4)
    s = np.linalg.solve(a, rhs)
    first = lambda i: slope[i] - h[i] * (s[i + 1] + 2 * s[i])
    if at < x[0]:
        return y[0] + (at - x[0]) * first(0)
    if at > x[-1]:
        return y[-1] + (at - x[-1]) * (slope[-1] + h[-1] * (s[-2] + 2 * s[-1]))
    i = min(int(np.searchsorted(x, at, side="right")) - 1, n - 2)
    u = at - x[i]
    return y[i] + u * (first(i) + u * (3 * s[i] + u * (s[i + 1] - s[i]) / h[i]))


def value(function, at):
    tag = function.tag
    if tag == "Constant":
        return numbers(function, "value", [0])[0]
    if tag == "LinearFunction":
        slope, intercept = numbers(function, "coefficients", [])
        return slope * at + intercept
    if tag == "PolynomialFunction":
        return np.polyval(numbers(function, "coefficients", []), at)
    if tag == "MultiplierFunction":
        return numbers(function, "scale", [1])[0] * value(function.find("function")[0], at)
    x, y = numbers(function, "x", []), numbers(function, "y", [])
    if tag in ("SimmSpline", "NaturalCubicSpline"):
        return simm_spline(x, y, at)
    if tag == "PiecewiseLinearFunction":
        k = min(max(int(np.searchsorted(x, at, side="right")) - 1, 0), len(x) - 2)
        return y[k] + (at - x[k]) * (y[k + 1] - y[k]) / (x[k + 1] - x[k])
    raise ValueError(tag)


def function_of(axis):
    holder = axis.find("function")
    if holder is not None:
        return holder[0]
    return next(c for c in axis if c.tag not in ("coordinates", "axis"))


def custom(joint, q):
    axes = joint.find("SpatialTransform").findall("TransformAxis")
    r, p = np.eye(3), np.zeros(3)
    for k, axis in enumerate(axes):
        names = text(axis, "coordinates").split()
        amount = value(function_of(axis), q[names[0]] if names else 0.0)
        direction = numbers(axis, "axis", [])
        direction = direction / np.linalg.norm(direction)
        if k < 3:
            r = r @ rotation(direction, amount)
        else:
            p = p + amount * direction
    return matrix(r, p)


def ellipsoid(radii, angles):
    r = body_xyz(angles)
    return matrix(r, radii * r[:, 2])


def scapulothoracic(joint, q, names):
    a, b, c = numbers(joint, "thoracic_ellipsoid_radii_x_y_z", [])
    turn = matrix(rotation(E[2], np.pi / 2))
    on_surface = turn @ ellipsoid(np.array([b, a, c]), [q[n] for n in names[:3]]) @ np.linalg.inv(turn)
    origin = numbers(joint, "scapula_winging_axis_origin", [0, 0])
    angle = numbers(joint, "scapula_winging_axis_direction", [0])[0]
    at = matrix(np.eye(3), [origin[0], origin[1], 0])
    winging = matrix(rotation(np.array([-np.sin(angle), np.cos(angle), 0]), q[names[3]]))
    return on_surface @ at @ winging @ np.linalg.inv(at)


def coordinate_names(joint):
    return [c.get("name") for c in joint.iter("Coordinate")]


def mobilizer(joint, q):
    names = coordinate_names(joint)
    if joint.tag == "CustomJoint":
        return custom(joint, q)
    if joint.tag == "ScapulothoracicJoint":
        return scapulothoracic(joint, q, names)
    r = np.eye(3)
    for name, letter in zip(names, JOINTS[joint.tag]):
        r = r @ rotation(E["xyz".index(letter)], q[name])
    return matrix(r)


def joints_of(model):
    """(joint, parent, child, X_PF, X_BM) of every joint."""
    out = []
    jointset = model.find("JointSet/objects")
    for joint in list(jointset) if jointset is not None else []:
        frames = {f.get("name"): f for f in joint.iter("PhysicalOffsetFrame")}
        ends = []
        for which in ("parent", "child"):
            name = text(joint, f"socket_{which}_frame").split("/")[-1]
            if name in frames:
                element = frames[name]
                ends.append((text(element, "socket_parent").split("/")[-1], frame(element, "translation", "orientation")))
            else:
                ends.append((name, np.eye(4)))
        out.append((joint, ends[0][0], ends[1][0], ends[0][1], ends[1][1]))
    for body in model.find("BodySet/objects"):
        holder = body.find("Joint")
        for joint in list(holder) if holder is not None else []:
            out.append((joint, text(joint, "parent_body"), body.get("name"), frame(joint, "location_in_parent", "orientation_in_parent"), frame(joint, "location", "orientation")))
    return out


def couple(model, q):
    constraints = model.find("ConstraintSet/objects")
    for c in list(constraints) if constraints is not None else []:
        if c.tag == "CoordinateCouplerConstraint" and text(c, "isDisabled", "false") != "true" and text(c, "isEnforced", "true") != "false":
            source = text(c, "independent_coordinate_names")
            q[text(c, "dependent_coordinate_name")] = numbers(c, "scale_factor", [1])[0] * value(c.find("coupled_coordinates_function")[0], q[source])


def main(folder):
    random = np.random.default_rng(17)
    out = []
    for name in MODELS:
        model = ElementTree.parse(Path(folder) / name).getroot().find("Model")
        joints = joints_of(model)
        cases = []
        for case in range(3):
            q = {}
            for joint, *_ in joints:
                for c in joint.iter("Coordinate"):
                    low, high = numbers(c, "range", [-1, 1])
                    low, high = max(low, -2.5), min(high, 2.5)
                    # The last case goes beyond the ends of splines.
                    at = random.uniform(low, high) if case < 2 else random.choice([low - 0.2, high + 0.2])
                    q[c.get("name")] = round(float(at), 6)
            couple(model, q)
            world = {"ground": np.eye(4)}
            left = list(joints)
            while left:
                ready = [j for j in left if j[1] in world]
                for joint, parent, child, before, after in ready:
                    world[child] = world[parent] @ before @ mobilizer(joint, q) @ np.linalg.inv(after)
                left = [j for j in left if j[2] not in world]
            cases.append({
                "coordinates": q,
                "bodies": {body: [float(f"{x:.13g}") for x in [*m[:3, :3].ravel(), *m[:3, 3]]] for body, m in world.items() if body != "ground"},
            })
        out.append({"model": name, "cases": cases})
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in out)
    OUT.write_text(f"[\n{lines}\n]\n")


main(sys.argv[1])
