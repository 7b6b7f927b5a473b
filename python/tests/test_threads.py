"""Long calls let other threads of Python run. No claim about times: only that a thread goes on."""
import threading
import unittest

import ridgewatt as rw


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
            answers.append((batch, counted[0],
                            rw.estimate(model, device="agx-orin", modes="all", batch=batch),
                            counted[0]))

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
