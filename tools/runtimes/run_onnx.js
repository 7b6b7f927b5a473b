// Runs an ONNX file in ONNX Runtime on the processor and prints how long a run takes, as JSON.
//
//   node run_onnx.js --model FILE.onnx [--threads N] [--batch B] [--dim NAME=SIZE]
//                    [--runs N] [--seconds S] [--level all|extended|basic|disabled]
//                    [--profile PREFIX] [--shapes] [--input FILE] [--output FILE]
//
// Symbolic dimensions are 1 unless --dim sets them; a symbolic first dimension is the batch. Under
// `ridgewatt measure`, `tune` and others, each run is a minibatch. Inputs are random, except that
// --input has the bytes of the first one. --output receives the bytes of the first output. All runs
// write to the same outputs. Runs the model N times and for S seconds, but at most 200 N times.
'use strict';
const {spawn} = require('child_process');
const fs = require('fs');

// The GNU C library returns large freed blocks to the system. Touching new memory can take longer
// than the model (seen: 15 us per page on a virtual machine), so the time of a run would depend on
// the garbage collector. The library reads these settings when the program starts.
const KEEP_MEMORY = {MALLOC_MMAP_MAX_: '0', MALLOC_TRIM_THRESHOLD_: '4000000000', MALLOC_TOP_PAD_: '67108864'};
const MARK_FD = Number(process.env.RIDGEWATT_MARK_FD || 0);

// Starts this program again with the settings, and ends with its exit status.
function start_again() {
  const stdio = ['inherit', 'inherit', 'inherit'];
  for (let fd = stdio.length; fd <= MARK_FD; ++fd) stdio.push(fd === MARK_FD ? fd : 'ignore');
  const child = spawn(process.execPath, process.argv.slice(1),
                      {stdio, env: {...process.env, ...KEEP_MEMORY}});
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (status) => process.exit(status === null ? 1 : status));
}

const ort = require('onnxruntime-node');
const {feeds} = require('./inputs.js');

const LISTS = new Set(['dim']);
const FLAGS = new Set(['shapes']);
const KNOWN = ['model', 'threads', 'batch', 'dim', 'runs', 'seconds', 'level', 'profile', 'shapes',
               'input', 'output'];

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

// Whether the first dimension of an input is symbolic.
function hasBatch(session) {
  return session.inputMetadata.some((input) => {
    const first = input.shape && input.shape[0];
    return input.shape && input.shape.length > 0 && !(typeof first === 'number' && first > 0);
  });
}

// Tensors to which later runs write their outputs; undefined if the runtime does not support that.
async function reusable(session, inputs, results) {
  const outputs = {};
  for (const [name, t] of Object.entries(results)) outputs[name] = new ort.Tensor(t.type, t.data.slice(), t.dims);
  try {
    await session.run(inputs, outputs);
    return outputs;
  } catch (error) {
    return undefined;
  }
}

function fill(tensor, path) {
  const given = fs.readFileSync(path);
  const bytes = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  if (given.length !== bytes.length) fail(`${path} must have the size of the first input`);
  given.copy(bytes);
}

// Reports to `ridgewatt measure` and others that a run has ended.
function mark() {
  if (MARK_FD > 2) fs.writeSync(MARK_FD, `minibatch ${Number(process.hrtime.bigint()) / 1e9}\n`);
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
  if (asked.input) fill(inputs[session.inputNames[0]], asked.input);
  let results = await session.run(inputs);
  const outputs = await reusable(session, inputs, results);
  if (!outputs) await session.run(inputs);
  const run = () => (outputs ? session.run(inputs, outputs) : session.run(inputs));
  const times = [];
  const begin = performance.now();
  while (times.length < asked.runs ||
         (performance.now() - begin < 1e3 * asked.seconds && times.length < 200 * asked.runs)) {
    const from = performance.now();
    results = await run();
    times.push(performance.now() - from);
    mark();
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
  if (asked.output) {
    const {buffer, byteOffset, byteLength} = results[session.outputNames[0]].data;
    fs.writeFileSync(asked.output, Buffer.from(buffer, byteOffset, byteLength));
  }
  if (asked.profile) session.endProfiling();
  process.stdout.write(JSON.stringify(found) + '\n');
}

if ('MALLOC_MMAP_MAX_' in process.env) {
  main().catch((error) => fail(String(error.message || error).split('\n')[0]));
} else {
  start_again();
}
