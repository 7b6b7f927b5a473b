"""A file with sweeps of several boards, as a campaign collects it. Each call that reads a sweep
selects one of them, by `workload` or as FILE#NAME. Without a selection, the error lists the sweeps.
"""
import os
import re
import tempfile
import unittest

import ridgewatt as rw

HEAD = "workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w,board,provenance\n"


def rows(board, scale):
    return "".join(f"net,inference,{batch},{cores},1113.6,{gpu},3199,{scale * batch * 1000 / gpu / cores},{5 + gpu / 50},"
                   f"{board},measured\n" for batch in (1, 4) for cores in (2, 4, 6) for gpu in (306, 408, 510, 612))


class SweepsOfBoards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "sweep7.csv")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(HEAD + rows("agx-orin", 1) + rows("orin-nano", 3))

    def test_one_board_is_chosen(self):
        for board in ("agx-orin", "orin-nano"):
            for name in (f"@{board}", f"net@{board}", f"net:inference:measured@{board}"):
                self.assertEqual(rw.read_sweep(self.file, workload=name).board, board)
                self.assertEqual(rw.read_sweep(f"{self.file}#{name}").board, board)

    def test_every_call_takes_one(self):
        named = f"{self.file}#@agx-orin"
        times = [rw.tune(sweep=self.file, workload="@agx-orin", max_power_w=100, keep_outliers=True).best.time_s,
                 rw.tune(sweep=named, max_power_w=100, keep_outliers=True).best.time_s]
        self.assertEqual(times[0], times[1])
        self.assertGreater(len(rw.pareto(sweep=named, keep_outliers=True)), 0)
        self.assertGreater(len(rw.predict(rw.read_sweep(named), query=self.modes(), keep_outliers=True)), 0)
        self.assertTrue(rw.schedule.plan(inference=named, arrival_rate_hz=1, max_power_w=100, keep_outliers=True))

    def modes(self):
        return [rw.PowerMode(cpu_cores=4, cpu_clock_hz=1113.6e6, gpu_clock_hz=408e6, mem_clock_hz=3199e6)]

    def test_the_names_that_an_error_lists_work(self):
        for call in (lambda path: rw.schedule.plan(inference=path, arrival_rate_hz=1, keep_outliers=True),
                     lambda path: rw.tune(sweep=path, max_power_w=100, keep_outliers=True)):
            with self.assertRaisesRegex(rw.UsageError, "2 sweeps of the file fit") as caught:
                call(self.file)
            names = re.findall(r"#([^,']+)'?", str(caught.exception).split("write one of ")[1])
            self.assertEqual(names, ["net@agx-orin", "net@orin-nano"])
            for name in names:
                call(f"{self.file}#{name}")


if __name__ == "__main__":
    unittest.main()
