#!/usr/bin/env python3
"""Contact LCPs: Fingerpad beside Drake and QuantEcon on the same problems, one table.

requirements: numpy drake==1.51.1 quantecon==0.11.4   (pip install; not needed by any test)

    python3 benches/peers/lcp.py [--sizes 20 50 100 200 400] [--count 20]

Problems come from `cargo bench -p fingerpad-solve --bench lcp -- --dump N COUNT`; our times from the same bench with
`--times N COUNT` (best of several runs per problem, inside the process), theirs from Python around one call, best of several, with
what the call needs built before the clock starts. All are cold: Drake's UnrevisedLemke keeps its last basis, so that each call gets a
solver of its own. Answers of all are graded here: max |min(z, Mz + q)| <= 1e-8 (1 + max |q|).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def bench(*arguments):
    command = ["cargo", "bench", "-q", "-p", "fingerpad-solve", "--bench", "lcp", "--", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def solvers(np):
    """Name -> function (M, q) -> function () -> z or None; only the inner one is timed."""
    found = {}
    try:
        from pydrake.solvers import MathematicalProgram, MobyLcpSolver, UnrevisedLemkeSolver

        def drake(kind):
            def prepare(M, q):
                program = MathematicalProgram()
                z = program.NewContinuousVariables(len(q))
                program.AddLinearComplementarityConstraint(M, q, z)
                solver = kind()

                def run():
                    result = solver.Solve(program)
                    return result.GetSolution(z) if result.is_success() else None

                return run

            return prepare

        found["drake UnrevisedLemke"] = drake(UnrevisedLemkeSolver)
        found["drake Moby"] = drake(MobyLcpSolver)
    except ImportError as error:
        print(f"drake left out: {error}")
    try:
        from quantecon.optimize import lcp_lemke

        def quantecon(M, q):
            def run():
                result = lcp_lemke(M, q, max_iter=10**5)
                return result.z if result.success else None

            return run

        found["quantecon lcp_lemke"] = quantecon
    except ImportError as error:
        print(f"quantecon left out: {error}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50, 100, 200, 400])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--without", nargs="+", default=[], help="peers to leave out, by the start of their names")
    options = parser.parse_args()
    import numpy as np

    peers = {name: run for name, run in solvers(np).items() if not name.startswith(tuple(options.without))}
    print(f"{'n':>5} {'solver':<24} {'median us':>10} {'ratio':>7} {'failed':>7}")
    for n in options.sizes:
        cases = json.loads(bench("--dump", n, options.count))["cases"]
        problems = [(np.array(c["M"]), np.array(c["q"])) for c in cases]
        ours = json.loads(bench("--times", n, options.count))
        base = statistics.median(ours["us"])
        print(f"{n:>5} {'fingerpad':<24} {base:>10.1f} {1.0:>7.2f} {ours['failed']:>7}")
        for name, prepare in peers.items():
            times, failed = [], 0
            for M, q in problems:
                best = float("inf")
                for _ in range(5 if n <= 100 else 2):
                    run = prepare(M, q)
                    start = time.perf_counter()
                    z = run()
                    best = min(best, time.perf_counter() - start)
                good = z is not None and np.abs(np.minimum(z, M @ z + q)).max() <= 1e-8 * (1 + np.abs(q).max())
                failed += not good
                times.append(best * 1e6)
            median = statistics.median(times)
            print(f"{n:>5} {name:<24} {median:>10.1f} {median / base:>7.2f} {failed:>7}")


if __name__ == "__main__":
    main()
