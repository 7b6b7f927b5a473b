"""Ten thousand calls need no more memory than the first thousand."""
# label: slow
import gc
import itertools
import unittest

import ridgewatt as rw

CALLS, WARM_UP = 10_000, 2_000
# A leak of 200 bytes a call would be 1.6 MB.
ALLOWED_BYTES = 1_500_000


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


class Leaks(unittest.TestCase):
    def test_ten_thousand_calls(self):
        model, board = rw.Model("zoo:resnet18"), rw.Board("orin-nano")
        mode = board.presets[0].mode
        sweep = rw.Sweep({"time_s": [1.0, 2.0, 3.0], "power_w": [9.0, 5.0, 6.0],
                          "gpu_clock_hz": [3e8, 2e8, 1e8]})

        def refused():
            try:
                rw.estimate(model, device=board, batch=-1)
            except rw.UsageError:
                pass

        def error():
            try:
                rw.Model("zoo:nothing")
            except rw.NotFoundError:
                pass

        costly = [lambda: rw.estimate(model, device="orin-nano", modes="maxn").to_dict(),
                  lambda: rw.estimate(model, device=board, modes="maxn")._repr_html_(),
                  lambda: rw.tune(sweep=sweep, keep_outliers=True, max_power_w=7).best]
        cheap = [lambda: rw.pareto(sweep=sweep, keep_outliers=True)._columns(),
                 lambda: rw.PowerMode(cpu_cores=4, gpu_clock_hz=1e9) == mode,
                 lambda: rw.Sweep({"time_s": [1.0], "power_w": [2.0]}).to_dict(),
                 lambda: board.knobs, refused, error, lambda: repr(sweep[1:])]
        calls = itertools.cycle(costly + 9 * cheap)
        for _ in range(WARM_UP):
            next(calls)()
        gc.collect()
        before = resident_bytes()
        for _ in range(CALLS):
            next(calls)()
        gc.collect()
        self.assertLess(resident_bytes() - before, ALLOWED_BYTES)


if __name__ == "__main__":
    unittest.main()
