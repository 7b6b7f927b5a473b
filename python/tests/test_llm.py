"""Language models: Python returns what the command line prints, in SI units, and the error messages
are the same."""
# label: slow
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
import unittest.mock

import ridgewatt as rw
from ridgewatt import plots

PROGRAM = os.environ.get("RIDGEWATT_PROGRAM", "ridgewatt")


def ask_program(*words):
    return subprocess.run([PROGRAM, *words, "--format", "json"], capture_output=True, text=True,
                          check=False)


class Equality(unittest.TestCase):
    def same(self, answer, *words):
        done = ask_program(*words)
        said = json.loads(done.stdout)
        self.assertEqual(answer.to_dict(), said, words)
        return said

    def test_fits(self):
        chance = random.Random(24)
        for _ in range(12):
            model = chance.choice(rw.llm.zoo())
            device = chance.choice(["orin-nano-8gb", "agx-orin", "nano", "all"])
            names = chance.choice([["q4_k_m"], ["f16", "q8_0", "awq"], ["all"]])
            context, batch = chance.choice([1, 512, 40000]), chance.choice([1, 7])
            kv = chance.choice(["f16", "q8_0", "fp8"])
            answer = rw.llm.fits(model, device=device, quantization=names, context=context,
                                 batch=batch, kv_type=kv)
            said = self.same(answer, "fits", model, "--device", device, "--quantization",
                             ",".join(names), "--context", str(context), "--batch", str(batch),
                             "--kv-type", kv)
            self.assertEqual(len(answer), len(said["rows"]))
            for row, one in zip(answer, said["rows"]):
                for name in ("board", "quantization", "fits", "sum", "board_bytes", "left_bytes",
                             "weights_bytes", "kv_bytes", "largest_context", "largest_batch",
                             "decode_flop"):
                    self.assertEqual(getattr(row, name), one[name], name)
            self.assertEqual(answer.parameters, said["parameters"])
            self.assertEqual(list(answer.remarks), said["remarks"])

    def request(self, chance, caches=("f16", "q8_0")):
        """Returns keyword arguments and the equivalent options."""
        asked = {"prompt": chance.choice([1, 300, 2048]), "generate": chance.choice([1, 64, 1000]),
                 "concurrency": chance.choice([1, 4]), "kv_type": chance.choice(caches)}
        words = [word for name, value in asked.items()
                 for word in ("--" + name.replace("_", "-"), str(value))]
        return asked, words

    def same_figures(self, row, said):
        for stem, unit, scale in (("ttft", "ms", 1e3), ("tpot", "ms", 1e3),
                                  ("tokens", "per_s", 1), ("prefill_power", "w", 1),
                                  ("decode_power", "w", 1), ("joules", "per_token", 1),
                                  ("request", "j", 1)):
            for end in ("", "_lo", "_hi"):
                name = f"{stem}{end}_{unit.replace('ms', 's')}"
                self.assertEqual(getattr(row, name) * scale, said[f"{stem}{end}_{unit}"], name)
        self.assertEqual(row.bound, said["bound"])
        self.assertEqual(row.request_s, said["request_s"])

    def test_estimate(self):
        chance = random.Random(25)
        for number in range(10):
            model = chance.choice(rw.llm.zoo())
            device = "all" if number == 0 else chance.choice(["agx-orin", "orin-nano@super",
                                                              "agx-orin-32gb"])
            runtime, quantization = chance.choice([
                (["llama.cpp"], ["q4_k_m", "q8_0"]), (["vllm", "sglang"], ["awq"]),
                (["all"], ["f16"]), (["llama.cpp"], ["all"])])
            modes = chance.choice(["maxn", "presets"]) if number else "maxn"
            request, words = self.request(chance, ("f16",) if "vllm" in runtime else ("f16", "q8_0"))
            answer = rw.llm.estimate(model, device=device, runtime=runtime, modes=modes,
                                     quantization=quantization, contexts=[512, 3000], **request)
            said = self.same(answer, "llm", model, "--device", device, "--modes", modes,
                             "--runtime", ",".join(runtime), "--quantization",
                             ",".join(quantization), "--context", "512,3000", *words)
            self.assertEqual(len(answer), len(said["rows"]))
            for row, one in zip(answer, said["rows"]):
                self.same_figures(row, one)
                for name in ("board", "runtime", "quantization", "memory_bytes", "fits",
                             "largest_context", "largest_batch", "on_front"):
                    self.assertEqual(getattr(row, name), one[name], name)
                self.assertEqual(row.preset or None, one["preset"])
                self.assertEqual(row.mode.gpu_clock_hz, round(one["mode"]["gpu_mhz"] * 1e6))
            self.assertEqual(answer.left_out, [(one["what"], one["reason"])
                                               for one in said["left_out"]])

    def test_tune(self):
        chance = random.Random(26)
        for _ in range(8):
            model = chance.choice(["zoo:llama-3.2-1b", "zoo:qwen3-4b", "zoo:llama-3.1-8b"])
            device = chance.choice(["agx-orin", "orin-nano-8gb"])
            request, words = self.request(chance)
            goal, watts, ms = (chance.choice(values) for values in (
                ["energy", "token-energy", "time", "token-time"], [None, 6, 12], [None, 50, 2000]))
            given, phases = {}, chance.random() < 0.5
            if watts:
                given["max_power_w"] = watts
                words += ["--max-power", str(watts)]
            if ms:
                given["max_ttft_s"] = ms / 1e3
                words += ["--max-ttft", str(ms)]
            if phases:
                given["phases"] = True
                words.append("--phases")
            answer = rw.llm.tune(model, device=device, minimize=goal, modes="presets",
                                 **given, **request)
            said = self.same(answer, "tune", "llm", model, "--device", device, "--minimize", goal,
                             "--modes", "presets", *words)
            self.assertEqual(answer.feasible, said["feasible"])
            if answer.feasible:
                self.same_figures(answer.best, said)
                mode = said.get("mode") or said["decode_mode"]
                self.assertEqual(answer.best.mode.gpu_clock_hz, round(mode["gpu_mhz"] * 1e6))
            else:
                with self.assertRaises(rw.NoSolutionError):
                    answer.best
                if "nearest_miss" in said:
                    self.same_figures(answer[0], said["nearest_miss"])
                    self.assertEqual(list(answer[0].misses), said["misses"])

    def test_reserve_is_in_bytes(self):
        answer = rw.llm.fits("zoo:qwen3-4b", device="orin-nano-8gb", reserve_bytes=0.9e9)
        self.same(answer, "fits", "zoo:qwen3-4b", "--device", "orin-nano-8gb", "--reserve-gb", "0.9")
        self.assertEqual(answer[0].system_bytes, 0.9e9)

    def test_faults_are_the_command_lines(self):
        for given, words in (
                ({"model": "zoo:llama-9"}, ["zoo:llama-9"]),
                ({"model": "/nowhere/model.gguf"}, ["/nowhere/model.gguf"]),
                ({"model": __file__}, [__file__]),
                ({"model": "zoo:qwen3-4b", "quantization": "q9"},
                 ["zoo:qwen3-4b", "--quantization", "q9"])):
            with self.assertRaises(rw.Error) as raised:
                rw.llm.fits(device="agx-orin", **given)
            done = ask_program("fits", "--device", "agx-orin", *words)
            line = done.stderr.strip().splitlines()[-1].removeprefix("ridgewatt: ")
            self.assertEqual(str(raised.exception), line)
        for ask, words in (
                (lambda: rw.llm.estimate("zoo:qwen3-4b", device="agx-orin", runtime="vlm"),
                 ["llm", "zoo:qwen3-4b", "--device", "agx-orin", "--runtime", "vlm"]),
                (lambda: rw.llm.estimate("zoo:qwen3-4b", device="agx-orin", modes="MODE_31W"),
                 ["llm", "zoo:qwen3-4b", "--device", "agx-orin", "--modes", "MODE_31W"]),
                (lambda: rw.llm.tune("zoo:qwen3-4b", device="agx-orin", max_power_w=1).best,
                 ["tune", "llm", "zoo:qwen3-4b", "--device", "agx-orin", "--max-power", "1"])):
            with self.assertRaises(rw.Error) as raised:
                ask()
            line = ask_program(*words).stderr.strip().splitlines()[-1]
            self.assertEqual(str(raised.exception), line.removeprefix("ridgewatt: "))


class Fits(unittest.TestCase):
    def test_the_sum_adds_up(self):
        """4.58 GiB of weights and 131,072 bytes of cache per token: Llama-3.1-8B in Q4_K_M."""
        row = rw.llm.fits("zoo:llama-3.1-8b", device="orin-nano-8gb", context=4096)[0]
        self.assertEqual(row.kv_bytes, 4096 * 131072)
        self.assertEqual(round(row.weights_bytes / 2**30, 2), 4.58)
        parts = (row.system_bytes + row.runtime_bytes + row.weights_bytes + row.kv_bytes
                 + row.buffer_bytes)
        self.assertEqual(row.board_bytes - parts, row.left_bytes)
        self.assertTrue(row.fits)
        self.assertFalse(rw.llm.fits("zoo:llama-3.1-8b", device="orin-nano-8gb",
                                     quantization="f16")[0].fits)

    def test_columns_and_parameters(self):
        answer = rw.llm.fits("zoo:llama-3.1-8b", device="all")
        columns = answer._columns()
        self.assertEqual(len(columns["left_bytes"]), len(answer))
        self.assertEqual(columns["left_bytes"].dtype.kind, "f")
        self.assertEqual(answer.parameters, 8_030_261_248)
        self.assertEqual(answer.kv_bytes_per_token, 131072)
        self.assertEqual(answer.provenance, "modelled")

    def test_a_configuration_alone_is_enough(self):
        """Numbers of Llama-3.2-1B's config.json: 1,235,814,400 weights by Meta's own count."""
        config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama",
                  "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
                  "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
                  "vocab_size": 128256, "max_position_embeddings": 131072,
                  "tie_word_embeddings": True}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            path.write_text(json.dumps(config))
            answer = rw.llm.fits(path, device=rw.Board("nano"))
        self.assertEqual(answer.parameters, 1_235_814_400)

    def test_figures_belong_together(self):
        """Sequences divided by time per token are tokens per second; power times time is energy."""
        for row in rw.llm.estimate("zoo:llama-3.2-3b", device="agx-orin", modes="presets",
                                   concurrency=4):
            self.assertAlmostEqual(row.tokens_per_s * row.tpot_s / 4, 1, places=9)
            self.assertAlmostEqual(row.joules_per_token * row.tokens_per_s / row.decode_power_w, 1,
                                   places=9)
            self.assertLess(row.tpot_lo_s, row.tpot_s)
            self.assertGreater(row.tpot_hi_s, row.tpot_s)

    def test_figures_hold_every_row(self):
        """Uses axes that only record what is drawn, so that matplotlib is not needed."""
        fits = rw.llm.fits("zoo:llama-3.1-8b", device="nano", quantization="all")
        axes = unittest.mock.MagicMock()
        plots.draw(fits, axes)
        self.assertEqual(len(axes.barh.call_args.args[1]), len(fits))
        modes = rw.llm.estimate("zoo:llama-3.2-1b", device="agx-orin", runtime=["llama.cpp"],
                                quantization=["q4_k_m", "q8_0"], modes="presets")
        axes = unittest.mock.MagicMock()
        plots.draw(modes, axes)
        drawn = [call.args for call in axes.scatter.call_args_list]
        self.assertEqual(sum(len(xs) for xs, _ in drawn), len(modes))
        self.assertEqual(drawn[0][1][0], modes[0].joules_per_token)

    def test_two_modes_are_no_worse_than_one(self):
        one, two = (rw.llm.tune("zoo:llama-3.2-1b", device="agx-orin", prompt=4096, generate=512,
                                modes="presets", phases=phases).best for phases in (False, True))
        # The two may differ by an amount that a twin cannot resolve.
        self.assertLessEqual(two.request_j, one.request_j * 1.02)

    def test_wrong_arguments(self):
        for given in ({"context": 0}, {"context": 1.5}, {"batch": -1}, {"kv_type": "f9"},
                      {"reserve_bytes": float("nan")}, {"quantization": []}, {"device": 3},
                      {"model": ""}, {"model": 7}, {"context": "many"}):
            with self.assertRaises(rw.UsageError, msg=given) as raised:
                rw.llm.fits(**{"model": "zoo:qwen3-4b", "device": "nano", **given})
            self.assertNotIn("\n", str(raised.exception))
        for ask, given in (
                (rw.llm.estimate, {"prompt": 0}), (rw.llm.estimate, {"contexts": [512, -1]}),
                (rw.llm.estimate, {"runtime": 7}), (rw.llm.estimate, {"concurrency": 10**9}),
                (rw.llm.estimate, {"runtime": "tensorflow"}), (rw.llm.tune, {"max_ttft_s": 0}),
                (rw.llm.tune, {"minimize": "joules"}), (rw.llm.tune, {"confidence": 1}),
                (rw.llm.tune, {"min_tokens_per_s": float("inf")})):
            with self.assertRaises(rw.UsageError, msg=given) as raised:
                ask(**{"model": "zoo:qwen3-4b", "device": "nano", **given})
            self.assertNotIn("\n", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
