#!/usr/bin/env python3
"""Compliant against rigid contacts on shipped scenes: verdicts, and how far bodies are apart.

    python3 benches/formulations.py [SCENE...] [--program target/release/fingerpad]

Each scene runs with springs 1, 10 and 100 times as stiff (dampers with the root), bodies as deep in the ground as their weight presses
them, by the accurate stepper; and with rigid contacts in steps of 1, 1/2 and 1/4 ms. Friction is the same. Shown is the largest distance
over all rows (m, or rad where said) between the bodies of the two; needs nothing but Python.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
G = 9.81


def pair(number, **values):
    return [f"pair.{number}.{key}={value!r}" for key, value in values.items()]


def billiard(s):
    deep = 0.03 - 0.2 * G / (1e7 * s)
    sets = [f"body.cue.position=[0, 0, {deep!r}]", f"body.object.position=[1.06, 0, {deep!r}]"]
    for number in (0, 1):
        sets += pair(number, k=1e7 * s, k_t=1e6 * s)
    return sets + pair(2, k=1e10 * s)


def incline(s):
    deep = 0.02 - 8.771653063394202 / (1e8 * s)
    sets = [f"body.slides.position=[0, 0, {deep!r}]", f"body.holds.position=[0, 0.5, {deep!r}]"]
    root = math.sqrt(s)
    for number in (0, 1):
        sets += pair(number, k=1e8 * s, b_kv=6000 * root, k_t=1e6 * s, k_theta=1e3 * s, b_t=200 * root, b_theta=0.2 * root)
    return sets


def pinch(s):
    reach = 0.023 - 5 / (5e4 * s)
    sets = [f"body.left.position=[0, {-reach!r}, 0]", f"body.right.position=[0, {reach!r}, 0]"]
    root = math.sqrt(s)
    for number in (0, 1):
        sets += pair(number, k=5e4 * s, k_t=4e4 * s, k_theta=1.0 * s, b_t=20 * root, b_theta=5e-4 * root)
    return sets


def disc(s):
    sets = [f"body.disc.position=[0, 0, {0.005 - 0.5 * G / (1e7 * s)!r}]", *DISC]
    return sets + pair(0, k=1e7 * s, k_t=1e5 * s, k_theta=40.0 * s)


# One contact with the friction ellipsoid in both: as a face, rigid contacts take friction at its corners.
DISC = ["pair.0.places=closest"]

# Scene, settings of springs, settings of rigid contacts, what is compared: body, columns, unit.
SCENES = [
    (
        "billiard",
        billiard,
        ["pair.2.restitution=1"],
        [("cue", ("x [m]", "y [m]"), "m"), ("object", ("x [m]", "y [m]"), "m")],
    ),
    ("block-on-incline", incline, [], [("slides", ("x [m]", "y [m]"), "m"), ("holds", ("x [m]", "y [m]"), "m")]),
    ("pinch-sliders", pinch, [], [("object", ("x [m]", "z [m]"), "m")]),
    ("spinning-disc", disc, DISC, [("disc", ("x [m]", "y [m]"), "m"), ("disc", ("wz [rad/s]",), "rad/s")]),
]


def run(program, scene, sets, more=()):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", scene, "--json", "--quiet", "--out", folder, *more]
        for one in sets:
            command += ["--set", one]
        done = subprocess.run(command, capture_output=True, text=True)
        summary = json.loads(done.stdout) if done.stdout else {"checks": [], "status": done.stderr}
        rows = {}
        with open(pathlib.Path(folder) / "bodies.csv") as file:
            for row in csv.DictReader(file):
                rows.setdefault(row["body [-]"], []).append(row)
        return summary, rows


def apart(one, other, body, columns):
    worst = 0.0
    for a, b in zip(one[body], other[body], strict=True):
        assert abs(float(a["t [s]"]) - float(b["t [s]"])) < 1e-12
        worst = max(worst, math.dist([float(a[c]) for c in columns], [float(b[c]) for c in columns]))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", help="all if none")
    parser.add_argument("--program", default=str(ROOT / "target/release/fingerpad"))
    options = parser.parse_args()
    rigid_steps = [1e-3, 5e-4, 2.5e-4]
    for scene, springs, rigid, compared in SCENES:
        if options.scenes and scene not in options.scenes:
            continue
        soft = [run(options.program, scene, springs(s)) for s in (1, 10, 100)]
        hard = [
            run(options.program, scene, [*rigid, f"solver.step={h!r}"], ["--formulation", "complementarity"]) for h in rigid_steps
        ]
        for label, runs in (("springs x 1, 10, 100", soft), ("steps 1, 1/2, 1/4 ms", hard)):
            checks = [[f"{c['name']}: {c['value']:.6g}{'' if c['ok'] else ' FAILED'}" for c in s["checks"]] for s, _ in runs]
            for k, row in enumerate(zip(*checks, strict=True)):
                print(f"{scene}: {label}: check {k}: " + " | ".join(row))
        for body, columns, unit in compared:
            by_spring = [apart(one[1], hard[2][1], body, columns) for one in soft]
            by_step = [apart(soft[2][1], one[1], body, columns) for one in hard]
            print(f"{scene}: {body} {columns[0]}: springs x 1, 10, 100 against 1/4 ms: " + " ".join(f"{x:.2e}" for x in by_spring) + f" {unit}")
            print(f"{scene}: {body} {columns[0]}: steps 1, 1/2, 1/4 ms against springs x 100: " + " ".join(f"{x:.2e}" for x in by_step) + f" {unit}")


if __name__ == "__main__":
    main()
