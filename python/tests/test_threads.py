"""Long calls do not block other Python threads. The tests check only that another thread continues,
not how fast."""
# label: slow
import os
import random
import signal
import threading
import traceback
import unittest

import ridgewatt as rw

# Background jobs of a shell script ignore Ctrl+C.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Threads(unittest.TestCase):
    def test_two_estimates_at_once_and_a_counter(self):
        counted, answers, stop = [0], [], threading.Event()
        entered = threading.Barrier(2)

        def count():
            while not stop.is_set():
                counted[0] += 1

        def ask(batch):
            model = rw.Model("zoo:resnet50")
            entered.wait()
            for _ in range(20):  # a busy machine may not run the counter in that time
                before = counted[0]
                answer = rw.estimate(model, device="agx-orin", modes="all", batch=batch)
                if counted[0] > before:
                    break
            answers.append((batch, before, answer, counted[0]))

        counter = threading.Thread(target=count, daemon=True)
        threads = [threading.Thread(target=ask, args=(batch,)) for batch in (1, 16)]
        counter.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        counter.join()
        self.assertEqual(len(answers), 2)
        for batch, before, answer, after in answers:
            self.assertEqual(len(answer), 18096)
            self.assertGreater(after, before)
            alone = rw.estimate("zoo:resnet50", device="agx-orin", modes="all", batch=batch)
            self.assertEqual([row.time_s for row in answer], [row.time_s for row in alone])

    def test_ctrl_c_ends_the_call(self):
        """The running call raises the exception, and the next question works as usual."""
        rows = random.Random(3).sample(list(rw.estimate("zoo:resnet18", device="orin-nano",
                                                        modes="all")), 150)
        samples = rw.Sweep({"time_s": [row.time_s for row in rows],
                            "power_w": [row.power_w for row in rows],
                            "batch": [row.batch for row in rows],
                            "cpu_clock_hz": [row.mode.cpu_clock_hz for row in rows],
                            "gpu_clock_hz": [row.mode.gpu_clock_hz for row in rows]})
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            for _ in range(100):
                rw.predict(samples, device="orin-nano", method="nn", keep_outliers=True)
            self.fail("nothing was interrupted")
        except KeyboardInterrupt as interrupt:
            innermost = traceback.extract_tb(interrupt.__traceback__)[-1]
            self.assertEqual(innermost.name, "ask")  # in ridgewatt/parameters.py
        finally:
            timer.cancel()
        self.assertEqual(len(rw.estimate("zoo:resnet18", device="orin-nano", modes="maxn")), 1)

    def test_one_model_in_many_threads(self):
        model, found = rw.Model("zoo:resnet18"), []
        threads = [threading.Thread(target=lambda: found.append(
            rw.tune(model, device="orin-nano", max_power_w=10).best.time_s)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 8)
        self.assertEqual(len(set(found)), 1)


if __name__ == "__main__":
    unittest.main()
