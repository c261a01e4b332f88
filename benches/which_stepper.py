#!/usr/bin/env python3
"""Times and judges the same situations under every stepper: the table of docs/which-stepper.md.

    python3 benches/which_stepper.py [PROGRAM] [--runs 3] [--timeout 120]

Prints Markdown: seconds of processor time for one simulated second (least of the runs, as other work only adds) and the value
that judges the run. A run that does not end in time, or fails, says so.
"""
import argparse, json, pathlib, re, subprocess, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEPPERS = {
    "fast": ["--set", "solver.stepper=fast"],
    "accurate": ["--set", "solver.stepper=accurate"],
    "rigid": ["--formulation", "complementarity"],
}
STACK = """[scene]
name = "stack"
duration = "2 s"
[record]
period = "20 ms"
[materials.wood]
young = "10 GPa"
poisson = 0.3
density = "600 kg/m^3"
friction = 0.5
hunt_crossley = 0.5
[[body]]
name = "table"
shape = "half-space"
material = "wood"
fixed = true
""" + "".join(
    f"""[[body]]
name = "box{k}"
shape = {{ type = "box", half_extents = ["50 mm", "50 mm", "50 mm"] }}
material = "wood"
position = [0, 0, {0.05 + 0.1 * k:.2f}]
"""
    for k in range(5)
)


def block(name):
    """A file that docs/getting-started.md tells to save."""
    text = (ROOT / "docs/getting-started.md").read_text()
    return re.search(rf"```\w+ {re.escape(name)}\n(.*?)```", text, re.S).group(1)


def check(summary, name):
    return next((c["value"] for c in summary["checks"] if c["name"].startswith(name)), None)


def rows(folder, body):
    lines = (folder / "bodies.csv").read_text().splitlines()
    head = [cell.split(" ")[0] for cell in lines[0].split(",")]
    return [dict(zip(head, line.split(","))) for line in lines[1:] if f",{body}," in line]


def lift(summary, folder):
    z = 1e3 * float(rows(folder, "bar")[-1]["z"])
    return f"{z:.2f} mm" if z > 45 else f"falls ({z:.0f} mm)"


def creep(summary, folder):
    return f"{check(summary, 'no creep'):.0e} m"


def slides(summary, folder):
    return f"{check(summary, 'slides at'):.7f} m/s²"


def rolls(summary, folder):
    lines = (folder / "energy.csv").read_text().splitlines()
    head = [cell.split(" ")[0] for cell in lines[0].split(",")]
    energy = lambda row: sum(float(row[k]) for k in ("KE", "PE", "V_normal", "V_tangential"))
    table = [dict(zip(head, line.split(","))) for line in lines[1:]]
    start = next(row for row in table if float(row["t"]) >= 5 - 1e-9)
    return f"{abs(energy(table[-1]) / energy(start) - 1):.0e}"


def disc(summary, folder):
    near = min(rows(folder, "disc"), key=lambda row: abs(float(row["t"]) - 0.15))
    return f"{1e3 * float(near['vx']):.1f} mm/s"


def top(summary, folder):
    return f"top moved {abs(float(rows(folder, 'box4')[-1]['z']) - 0.45):.0e} m"


SITUATIONS = [
    ("grasp: two soft pads lift a bar (`lift.toml`)", "height after 1 s", "lift.toml", lift),
    ("grasp by force: `pinch-sliders`", "creep in 8 s of pulling to and fro", "pinch-sliders", creep),
    ("threshold: `block-on-incline`", "acceleration, 0.0066901 m/s²", "block-on-incline", slides),
    ("rolling: `bowl-roll`", "energy lost from 5 s to 25 s", "bowl-roll", rolls),
    ("sliding and spinning face: `spinning-disc`", "speed after 0.15 s", "spinning-disc", disc),
    ("five wooden boxes on each other", "height after 2 s", "stack.toml", top),
]


def measured(program, folder, scene, stepper, judge, options):
    best, value = None, ""
    for _ in range(options.runs):
        out = folder / "out"
        command = [program, "run", scene, *STEPPERS[stepper], "--json", "--quiet", "--out", str(out)]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return f"not done after {options.timeout:.0f} s"
        if not done.stdout:
            return "refused"
        summary = json.loads(done.stdout)
        if summary["status"] != "completed":
            return f"{summary['status']} at {summary['t_end']:.2g} s"
        cost = summary["cpu_s"] / summary["t_end"]
        best = cost if best is None else min(best, cost)
        value = judge(summary, out)
        if cost > 5:
            break
    return f"{best:.2g} s; {value}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default=str(ROOT / "target/release/fingerpad"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    print("| situation | judged by | fast | accurate | rigid |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bar.obj").write_text(block("bar.obj"))
        (folder / "lift.toml").write_text(block("lift.toml"))
        (folder / "stack.toml").write_text(STACK)
        for title, by, scene, judge in SITUATIONS:
            cells = [measured(program, folder, scene, stepper, judge, options) for stepper in STEPPERS]
            print(f"| {title} | {by} | {' | '.join(cells)} |", flush=True)


main()
