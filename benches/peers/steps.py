#!/usr/bin/env python3
"""Fixed steps of 1 ms: Fingerpad beside MuJoCo on the same scenes, one table, ours and theirs from one run.

requirements: pip install mujoco==4.0.0   (not needed by any test)

    python3 benches/peers/steps.py

Ours are timed by `cargo bench -p fingerpad-sim --bench step -- --peers`, theirs around `mj_step` called for many steps at
once; both in time of the processor, one thread. MuJoCo runs with elliptic cones as it comes, and with ten iterations of
its no-slip pass, the fair opponent where creep matters. What each scene is judged by stands beside the time:

- bowl: E(25 s)/E(5 s) of a ball that rolls, ideally 1 (given as a map of 1 m and 0.1 m spacing)
- pinch: way and turn of the held box from 0.5 to 2.5 s, at 10 % of the friction limit, ideally 0
- stack: how far the top box is from where rigid boxes would have it, after 10 s
- heap: mean speed of the ball that moves furthest from 3 to 8 s; nothing resists rolling, so that this is not all creep
- pile: the same from 1 to 3 s, for balls in the hollows of balls that are held

Stack and pile of 50 also by complementarity (rigid contacts, 1 to 3 s), with the worst residual of all steps, the deepest
overlap at the end and the number of steps that were not solved.
"""
import json
import math
import pathlib
import subprocess
import time

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def ours():
    command = ["cargo", "bench", "-q", "-p", "fingerpad-sim", "--bench", "step", "--", "--peers"]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    compliant = {row["scene"]: row for row in rows if "engine" not in row}
    return compliant, {row["scene"]: row for row in rows if "engine" in row}


def option(noslip):
    return (
        f'<option timestep="0.001" cone="elliptic" noslip_iterations="{noslip}" gravity="0 0 -9.81">'
        '<flag energy="enable"/></option>'
    )


def run(model, data, start, end):
    """Steps from a time to a time; the state before, time per step of the processor (µs), contacts."""
    steps = lambda a, b: int(round((b - a) / model.opt.timestep))
    if start > 0:
        mujoco.mj_step(model, data, steps(0, start))
    mujoco.mj_forward(model, data)
    before = (data.qpos.copy(), data.energy.sum())
    clock = time.thread_time()
    mujoco.mj_step(model, data, steps(start, end))
    us = (time.thread_time() - clock) / steps(start, end) * 1e6
    mujoco.mj_forward(model, data)
    return before, us, data.ncon


def bowl(spacing, noslip):
    half = 10.0
    n = int(round(2 * half / spacing)) + 1
    top = 0.4 * half * half
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>{option(noslip)}
      <asset><hfield name="bowl" nrow="{n}" ncol="{n}" size="{half} {half} {top} 1"/></asset>
      <default><geom friction="0.5 0.01 0.0001" condim="4"/></default>
      <worldbody><geom type="hfield" hfield="bowl"/>
        <body pos="1.5 0 2.5"><freejoint/><geom type="sphere" size="0.5" mass="1"/></body>
      </worldbody></mujoco>""")
    x = np.linspace(-half, half, n)
    model.hfield_data[:] = ((0.2 * (x[:, None] ** 2 + x[None, :] ** 2)) / top).ravel()
    data = mujoco.MjData(model)
    data.qvel[3:] = [0, 10, 5]
    before, us, contacts = run(model, data, 5.0, 25.0)
    return {"us": us, "contacts": contacts, "kept": data.energy.sum() / before[1]}


def pinch(noslip):
    tips = "".join(
        f'<body pos="0.005 {side * 0.023} 0"><joint type="slide" axis="0 1 0" name="j{i}"/>'
        f'<geom type="sphere" size="0.008" mass="0.02"/></body>'
        for i, side in enumerate((-1, 1))
    )
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>{option(noslip)}
      <default><geom friction="0.5 0.005 0.0001" condim="4"/></default>
      <worldbody><body><freejoint/><geom type="box" size="0.03 0.015 0.01" mass="0.05"/></body>{tips}</worldbody>
      <actuator><motor joint="j0"/><motor joint="j1"/></actuator></mujoco>""")
    data = mujoco.MjData(model)
    data.ctrl[:] = [5.0, -5.0]
    before, us, contacts = run(model, data, 0.5, 2.5)
    q = before[0]
    slip = float(np.linalg.norm(data.qpos[:3] - q[:3]))
    turn = 2 * math.degrees(math.acos(min(1.0, abs(float(np.dot(data.qpos[3:7], q[3:7]))))))
    return {"us": us, "contacts": contacts, "slip": slip, "turn": turn}


def stack(count, noslip):
    boxes = "".join(
        f'<body pos="0 0 {0.05 + 0.1 * i}"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1"/></body>'
        for i in range(count)
    )
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>{option(noslip)}
      <default><geom friction="0.3 0.005 0.0001" condim="4"/></default>
      <worldbody><geom type="plane" size="5 5 1"/>{boxes}</worldbody></mujoco>""")
    data = mujoco.MjData(model)
    _, us, contacts = run(model, data, 1.0, 10.0)
    off = float(np.linalg.norm(data.qpos[7 * (count - 1) : 7 * (count - 1) + 3] - [0, 0, 0.1 * count - 0.05]))
    return {"us": us, "contacts": contacts, "off": off}


def heap(count, noslip):
    r = 0.05
    side = next(n for n in range(1, count) if n * n * 2 >= count)
    wide = 2.3 * r * side
    walls = "".join(
        f'<geom type="plane" size="5 5 1" pos="{-0.5 * wide * x} {-0.5 * wide * y} 0" zaxis="{x} {y} 0"/>'
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    )
    balls = ""
    for i in range(count):
        layer, place = divmod(i, side * side)
        at = lambda k: 2.3 * r * (k + 0.5) - 0.5 * wide
        off = lambda k: 0.02 * r * (i * 7919 * k % 17 - 8) / 8
        p = (at(place % side) + off(1), at(place // side) + off(3), r * (1.2 + 2.3 * layer))
        balls += f'<body pos="{p[0]} {p[1]} {p[2]}"><freejoint/><geom type="sphere" size="{r}" mass="0.2"/></body>'
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>{option(noslip)}
      <default><geom friction="0.5 0.01 0.0001" condim="4"/></default>
      <worldbody><geom type="plane" size="5 5 1"/>{walls}{balls}</worldbody></mujoco>""")
    data = mujoco.MjData(model)
    before, us, contacts = run(model, data, 3.0, 8.0)
    moved = (data.qpos - before[0]).reshape(count, 7)[:, :3]
    return {"us": us, "contacts": contacts, "creep": float(np.linalg.norm(moved, axis=1).max() / 5)}


def pile(count, noslip):
    r = 0.05
    base = next(n for n in range(1, count + 1) if n * (n + 1) * (2 * n + 1) // 6 >= count)
    balls, free = "", 0
    for layer in range(base + 1):
        for i in range(base + 1 - layer):
            for j in range(base + 1 - layer):
                if layer > 0 and free == count:
                    continue
                pos = f"{2 * r * i + layer * r} {2 * r * j + layer * r} {math.sqrt(2) * r * layer}"
                geom = f'<geom type="sphere" size="{r}" mass="0.2"/>'
                balls += f'<body pos="{pos}">{"<freejoint/>" if layer else ""}{geom}</body>'
                free += layer > 0
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>{option(noslip)}
      <default><geom friction="0.5 0.01 0.0001" condim="4"/></default>
      <worldbody>{balls}</worldbody></mujoco>""")
    data = mujoco.MjData(model)
    before, us, contacts = run(model, data, 1.0, 3.0)
    moved = (data.qpos - before[0]).reshape(count, 7)[:, :3]
    return {"us": us, "contacts": contacts, "creep": float(np.linalg.norm(moved, axis=1).max() / 2)}


SCENES = {
    "bowl 1 m": lambda noslip: bowl(1.0, noslip),
    "bowl 0.1 m": lambda noslip: bowl(0.1, noslip),
    "pinch": pinch,
    "stack of 5": lambda noslip: stack(5, noslip),
    "stack of 50": lambda noslip: stack(50, noslip),
    "heap of 50": lambda noslip: heap(50, noslip),
    "pile of 50": lambda noslip: pile(50, noslip),
}
UNITS = {
    "kept": "", "slip": " m", "turn": "°", "off": " m", "creep": " m/s",
    "residual": " m/s", "overlap": " m", "unsolved": " steps",
}


def main():
    compliant, rigid = ours()
    found = {"Fingerpad": compliant, "Fingerpad, rigid": rigid}
    for name, noslip in (("MuJoCo", 0), ("MuJoCo, no-slip 10", 10)):
        found[name] = {scene: build(noslip) for scene, build in SCENES.items()}
    print(f"MuJoCo {mujoco.__version__}; µs a step, time of the processor\n")
    print("| scene | engine | µs/step | contacts | judged by |\n|---|---|---|---|---|")
    for scene in SCENES:
        for name, rows in found.items():
            if scene not in rows:
                continue
            row = rows[scene]
            digits = {"kept": 6}
            judged = ", ".join(f"{k} {row[k]:.{digits.get(k, 3)}g}{unit}" for k, unit in UNITS.items() if k in row)
            print(f"| {scene} | {name} | {row['us']:.1f} | {row['contacts']:.0f} | {judged} |")


if __name__ == "__main__":
    main()
