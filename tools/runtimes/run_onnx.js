// Runs an ONNX file in ONNX Runtime on the processor and prints how long a run takes, as JSON.
//
//   node run_onnx.js --model FILE.onnx [--threads N] [--batch B] [--dim NAME=SIZE]
//                    [--runs N] [--seconds S] [--level all|extended|basic|disabled]
//                    [--profile PREFIX] [--shapes]
//
// Open extents are 1 unless --dim gives them; the open first extent of an input is the batch.
// Inputs are random. Runs until there are N of them and S seconds are over, and at most 200 N.
'use strict';
const fs = require('fs');
const ort = require('onnxruntime-node');

const LISTS = new Set(['dim']);
const FLAGS = new Set(['shapes']);
const KNOWN = ['model', 'threads', 'batch', 'dim', 'runs', 'seconds', 'level', 'profile', 'shapes'];

function fail(text) {
  process.stderr.write(`run_onnx: ${text}\n`);
  process.exit(1);
}

function options(words) {
  const found = {dim: [], threads: 1, batch: 1, runs: 10, seconds: 1, level: 'all'};
  for (let i = 0; i < words.length; ++i) {
    const name = words[i].replace(/^--/, '');
    if (!words[i].startsWith('--') || !KNOWN.includes(name)) fail(`unknown option ${words[i]}`);
    if (FLAGS.has(name)) {
      found[name] = true;
    } else if (++i >= words.length) {
      fail(`--${name} needs a value`);
    } else if (LISTS.has(name)) {
      found[name].push(words[i]);
    } else {
      found[name] = words[i];
    }
  }
  if (!found.model) fail('--model FILE.onnx is missing');
  if (!fs.existsSync(found.model)) fail(`no such file: ${found.model}`);
  for (const name of ['threads', 'batch', 'runs', 'seconds']) {
    found[name] = Number(found[name]);
    if (!(found[name] > 0)) fail(`--${name} must be a positive number`);
  }
  return found;
}

// Reproducible numbers in [0, 1).
let state = 1;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
}

function half(value) {  // bits of a number in [0, 1) in binary16
  if (value < 6.2e-5) return 0;
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) | Math.floor((value / 2 ** exponent - 1) * 1024);
}

const ARRAYS = {
  float32: (n) => Float32Array.from({length: n}, random),
  float64: (n) => Float64Array.from({length: n}, random),
  float16: (n) => Uint16Array.from({length: n}, () => half(random())),
  int64: (n) => BigInt64Array.from({length: n}, () => BigInt(Math.floor(2 * random()))),
  uint64: (n) => BigUint64Array.from({length: n}, () => BigInt(Math.floor(2 * random()))),
  int32: (n) => Int32Array.from({length: n}, () => Math.floor(2 * random())),
  uint32: (n) => Uint32Array.from({length: n}, () => Math.floor(2 * random())),
  int16: (n) => Int16Array.from({length: n}, () => Math.floor(2 * random())),
  uint16: (n) => Uint16Array.from({length: n}, () => Math.floor(2 * random())),
  int8: (n) => Int8Array.from({length: n}, () => Math.floor(2 * random())),
  uint8: (n) => Uint8Array.from({length: n}, () => Math.floor(2 * random())),
  bool: (n) => Uint8Array.from({length: n}, () => 1),
};

function feeds(session, asked) {
  const sizes = new Map(asked.dim.map((text) => {
    const at = text.lastIndexOf('=');
    const size = Number(text.slice(at + 1));
    if (at < 1 || !(size > 0)) fail(`--dim must be NAME=SIZE: ${text}`);
    return [text.slice(0, at), size];
  }));
  const made = {};
  for (const input of session.inputMetadata) {
    if (!input.isTensor) fail(`input ${input.name} is not a tensor`);
    const fill = ARRAYS[input.type];
    if (!fill) fail(`input ${input.name} has type ${input.type}, which this program cannot make`);
    const dims = input.shape.map((extent, i) => {
      if (typeof extent === 'number' && extent > 0) return extent;
      if (sizes.has(extent)) return sizes.get(extent);
      return i === 0 ? asked.batch : 1;
    });
    made[input.name] =
        new ort.Tensor(input.type, fill(dims.reduce((a, b) => a * b, 1)), dims);
  }
  return made;
}

// Whether an input has an open first extent.
function hasBatch(session) {
  return session.inputMetadata.some((input) => {
    const first = input.shape && input.shape[0];
    return input.shape && input.shape.length > 0 && !(typeof first === 'number' && first > 0);
  });
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

async function main() {
  const asked = options(process.argv.slice(2));
  const settings = {
    executionProviders: ['cpu'],
    intraOpNumThreads: asked.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: asked.level,
    logSeverityLevel: 3,
  };
  if (asked.profile) Object.assign(settings, {enableProfiling: true, profileFilePrefix: asked.profile});
  const session = await ort.InferenceSession.create(asked.model, settings);
  if (asked.batch > 1 && !hasBatch(session)) fail('the batch of the model is fixed');
  const inputs = feeds(session, asked);
  let results = await session.run(inputs);
  await session.run(inputs);
  const times = [];
  const begin = performance.now();
  while (times.length < asked.runs ||
         (performance.now() - begin < 1e3 * asked.seconds && times.length < 200 * asked.runs)) {
    const from = performance.now();
    results = await session.run(inputs);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const found = {
    model: asked.model,
    threads: asked.threads,
    batch: asked.batch,
    runs: times.length,
    min_ms: times[0],
    p10_ms: quantile(times, 0.1),
    median_ms: quantile(times, 0.5),
    p90_ms: quantile(times, 0.9),
    runtime: `onnxruntime ${ort.env.versions.node || ort.env.versions.common}`,
  };
  if (asked.shapes) {
    found.outputs = Object.fromEntries(
        Object.entries(results).map(([name, t]) => [name, {type: t.type, shape: t.dims}]));
  }
  if (asked.profile) session.endProfiling();
  process.stdout.write(JSON.stringify(found) + '\n');
}

main().catch((error) => fail(String(error.message || error).split('\n')[0]));
