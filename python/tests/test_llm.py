"""Language models: what Python answers is what the command line prints, in SI units, and its faults
are the same lines."""
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import ridgewatt as rw

PROGRAM = os.environ.get("RIDGEWATT_PROGRAM", "ridgewatt")


def ask_program(*words):
    return subprocess.run([PROGRAM, *words, "--format", "json"], capture_output=True, text=True,
                          check=False)


class Equality(unittest.TestCase):
    def same(self, answer, *words):
        done = ask_program(*words)
        said = json.loads(done.stdout)
        said.pop("schema")
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

    def test_wrong_arguments(self):
        for given in ({"context": 0}, {"context": 1.5}, {"batch": -1}, {"kv_type": "f8"},
                      {"reserve_bytes": float("nan")}, {"quantization": []}, {"device": 3},
                      {"model": ""}, {"model": 7}, {"context": "many"}):
            with self.assertRaises(rw.UsageError, msg=given) as raised:
                rw.llm.fits(**{"model": "zoo:qwen3-4b", "device": "nano", **given})
            self.assertNotIn("\n", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
