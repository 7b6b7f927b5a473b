// Inputs for a session of ONNX Runtime: random values, or TensorProto files.
'use strict';
const fs = require('fs');

// Loaded on demand, because a program may use another runtime.
function node_runtime() {
  return require('onnxruntime-node');
}

// Reproducible numbers in [0, 1).
let state = 1;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
}

function half(value) {  // binary16 bits of a number in [0, 1)
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

// Symbolic dimensions have the size in asked.dim ('NAME=SIZE'). Without one, the first dimension of
// an input is asked.batch, and others are 1.
function feeds_with(ort, session, asked) {
  const sizes = new Map(asked.dim.map((text) => {
    const at = text.lastIndexOf('=');
    const size = Number(text.slice(at + 1));
    if (at < 1 || !(size > 0)) throw new Error(`--dim must be NAME=SIZE: ${text}`);
    return [text.slice(0, at), size];
  }));
  const made = {};
  for (const input of session.inputMetadata) {
    if (!input.isTensor) throw new Error(`input ${input.name} is not a tensor`);
    const fill = ARRAYS[input.type];
    if (!fill) throw new Error(`input ${input.name} has type ${input.type}, which this program cannot make`);
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

function feeds(session, asked) {
  return feeds_with(node_runtime(), session, asked);
}

function varint_reader(bytes) {
  let at = 0;
  return {
    left: () => at < bytes.length,
    take: (size) => bytes.subarray(at, at += size),
    varint: () => {
      let value = 0n;
      for (let shift = 0n;; shift += 7n) {
        const byte = bytes[at++];
        value |= BigInt(byte & 127) << shift;
        if (byte < 128) return BigInt.asIntN(64, value);
      }
    },
  };
}

// The fields of a protobuf message: number, and an integer or bytes.
function* fields(bytes) {
  const reader = varint_reader(bytes);
  while (reader.left()) {
    const key = Number(reader.varint());
    const wire = key & 7;
    if (wire === 0) {
      yield [key >> 3, reader.varint()];
    } else {
      yield [key >> 3, reader.take(wire === 2 ? Number(reader.varint()) : wire === 1 ? 8 : 4)];
    }
  }
}

// Element types of onnx.proto.
const TYPES = {
  1: ['float32', Float32Array], 2: ['uint8', Uint8Array], 3: ['int8', Int8Array],
  4: ['uint16', Uint16Array], 5: ['int16', Int16Array], 6: ['int32', Int32Array],
  7: ['int64', BigInt64Array], 8: ['string', Array], 9: ['bool', Uint8Array],
  10: ['float16', Uint16Array], 11: ['float64', Float64Array], 12: ['uint32', Uint32Array],
  13: ['uint64', BigUint64Array],
};
const FLOATS = 4, DOUBLES = 10;  // fields of TensorProto; 5, 7 and 11 hold integers

// The numbers in a TensorProto field of typed (not raw) values.
function* numbers(value, field) {
  if (typeof value === 'bigint') {
    yield value;
  } else if (field === FLOATS || field === DOUBLES) {
    const view = new DataView(value.buffer, value.byteOffset, value.length);
    const size = field === FLOATS ? 4 : 8;
    for (let i = 0; i < value.length; i += size) {
      yield size === 4 ? view.getFloat32(i, true) : view.getFloat64(i, true);
    }
  } else {
    const reader = varint_reader(value);
    while (reader.left()) yield reader.varint();
  }
}

// The tensor in a TensorProto file. Throws if this binding does not support its type.
function readTensor(path) {
  const dims = [];
  const values = [];
  let type = 0;
  let raw = null;
  for (const [field, value] of fields(fs.readFileSync(path))) {
    if (field === 1) dims.push(...[...numbers(value, 7)].map(Number));
    if (field === 2) type = Number(value);
    if (field === 6) values.push(Buffer.from(value).toString());
    if (field === 9) raw = value;
    if ([FLOATS, 5, 7, DOUBLES, 11].includes(field)) values.push(...numbers(value, field));
  }
  if (!(type in TYPES)) throw new Error(`element type ${type} cannot be fed`);
  const ort = node_runtime();
  const [name, Kind] = TYPES[type];
  if (raw) return new ort.Tensor(name, new Kind(new Uint8Array(raw).buffer), dims);
  if (type === 8) return new ort.Tensor(name, values, dims);
  const big = Kind === BigInt64Array || Kind === BigUint64Array;
  return new ort.Tensor(name, Kind.from(big ? values : values.map(Number)), dims);
}

module.exports = {feeds, feeds_with, readTensor};
