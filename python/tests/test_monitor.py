"""Windows that begin and end by name."""
# label: board
import time
import unittest

import ridgewatt as rw
from board_support import OnAFakeBoard


class Monitor(OnAFakeBoard):
    def test_windows_by_name(self):
        with rw.EnergyMonitor(self.device) as monitor:
            self.assertIsNone(monitor.begin_window("epoch"))
            monitor.begin_window("step")
            time.sleep(0.05)
            step = monitor.end_window("step")
            time.sleep(0.05)
            epoch = monitor.end_window("epoch")
            self.assertGreaterEqual(step.time_s, 0.05)
            self.assertGreaterEqual(epoch.time_s, step.time_s + 0.05)
            # An idle board has a constant power.
            self.assertAlmostEqual(step.energy_j / step.time_s, epoch.energy_j / epoch.time_s, 6)

    def test_faults(self):
        monitor = rw.EnergyMonitor(self.device)
        monitor.begin_window("twice")
        with self.assertRaisesRegex(rw.UsageError, "already open: twice"):
            monitor.begin_window("twice")
        with self.assertRaisesRegex(rw.UsageError, "no window of this name is open: never"):
            monitor.end_window("never")
        measurement = monitor.close()
        self.assertEqual([window.name for window in measurement.windows], ["twice"])
        self.assertEqual(monitor.close().energy_j, measurement.energy_j)  # again: no error
        with self.assertRaisesRegex(rw.UsageError, "already ended"):
            monitor.begin_window("late")


if __name__ == "__main__":
    unittest.main()
