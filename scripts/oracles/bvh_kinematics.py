"""World positions of joints and End Sites of BVH files, for packages/formats/test/fixtures/bvh-kinematics.json.

    python3 scripts/oracles/bvh_kinematics.py DATA      # DATA: the folder with the .bvh files; needs numpy

Imports nothing of the library. A reader of its own: 4x4 matrices multiplied down the tree, rotations in the order of
the channels, angles in degrees; position channels either replace a joint's OFFSET or are added to it, as said below.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np

OUT = Path(__file__).parents[2] / "packages/formats/test/fixtures/bvh-kinematics.json"
# File, frames, whether position channels are added to OFFSET.
CASES = [
    ("edge_rotation_first_root.bvh", [0, 1, 2, 3], False),
    ("cmu_jumping_jacks.bvh", [0, 60, 124], False),
    ("makehuman_benchmark.bvh", [0], True),
]


def read(text):
    head, body = text.split("MOTION")
    tokens = head.split()
    joints, stack, i, ends = [], [], 0, 0
    while i < len(tokens):
        word = tokens[i]
        if word in ("ROOT", "JOINT"):
            joints.append({"name": tokens[i + 1], "parent": stack[-1] if stack else -1, "channels": []})
            current, i = len(joints) - 1, i + 2
        elif word == "End":
            joints.append({"name": f"{joints[stack[-1]]['name']} end", "parent": stack[-1], "channels": []})
            current, i = len(joints) - 1, i + 2
        elif word == "{":
            stack.append(current)
            i += 1
        elif word == "}":
            stack.pop()
            i += 1
        elif word == "OFFSET":
            joints[stack[-1]]["offset"] = np.array([float(x) for x in tokens[i + 1 : i + 4]])
            i += 4
        elif word == "CHANNELS":
            n = int(tokens[i + 1])
            joints[stack[-1]]["channels"] = tokens[i + 2 : i + 2 + n]
            i += 2 + n
        else:
            i += 1
    numbers = re.split(r"Frame Time:\s*\S+", body)[1].split()
    width = sum(len(joint["channels"]) for joint in joints)
    return joints, np.array(numbers, dtype=float).reshape(-1, width)


def turn(axis, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    m = np.eye(4)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    m[j, j] = m[k, k] = c
    m[j, k], m[k, j] = -s, s
    return m


def worlds(joints, row, added):
    out, at = [], 0
    for joint in joints:
        place, spin = joint["offset"].copy(), np.eye(4)
        for channel in joint["channels"]:
            axis, value = "XYZ".index(channel[0]), row[at]
            at += 1
            if channel.endswith("position"):
                place[axis] = value + (joint["offset"][axis] if added else 0)
            else:
                spin = spin @ turn(axis, value)
        local = np.eye(4)
        local[:3, 3] = place
        local = local @ spin
        out.append(local if joint["parent"] < 0 else out[joint["parent"]] @ local)
    return out


def main(data):
    cases = []
    for name, frames, added in CASES:
        joints, rows = read((data / name).read_text())
        cases.append(
            {
                "file": name,
                "positions": "added" if added else "absolute",
                "frames": [
                    {
                        "frame": frame,
                        "places": {
                            joint["name"]: [round(float(x), 8) for x in world[:3, 3]]
                            for joint, world in zip(joints, worlds(joints, rows[frame], added))
                        },
                    }
                    for frame in frames
                ],
            }
        )
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
