#include "ridgewatt/workload/onnx/onnx_tensor.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/onnx/onnx.pb.h"
#include "ridgewatt/workload/onnx/wire.h"

namespace ridgewatt::workload::onnx_format {
namespace {

using onnx::SequenceProto;
using onnx::SparseTensorProto;
using onnx::TensorProto;
using onnx::TensorShapeProto;
using onnx::TypeProto;
using onnx::ValueInfoProto;

// Decodes an 8-bit or 16-bit number from its fields. Only 16-bit formats have infinities and NaN.
double decode_small_float(std::uint32_t bits, int exponent_bits, int mantissa_bits, int bias) {
  const std::uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  const std::uint32_t exponent = (bits >> mantissa_bits) & ((1U << exponent_bits) - 1);
  const double sign = ((bits >> (mantissa_bits + exponent_bits)) & 1) != 0 ? -1 : 1;
  const bool ieee = exponent_bits + mantissa_bits == 15;
  if (ieee && exponent == (1U << exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1U << mantissa_bits),
                           static_cast<int>(exponent) - bias - mantissa_bits);
}

double decode_float(DataType type, std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  if (type == DataType::kFloat) return std::bit_cast<float>(low);
  if (type == DataType::kDouble) return std::bit_cast<double>(bits);
  if (type == DataType::kFloat16) return decode_small_float(low & 0xffff, 5, 10, 15);
  if (type == DataType::kBfloat16) return std::bit_cast<float>(low << 16);
  // 8-bit and 4-bit types: no shape depends on them.
  return std::numeric_limits<double>::quiet_NaN();
}

std::int64_t sign_extend(std::uint64_t bits, int width, bool is_signed) {
  if (width == 64) return static_cast<std::int64_t>(bits);
  bits &= (std::uint64_t{1} << width) - 1;
  if (is_signed && ((bits >> (width - 1)) & 1) != 0) bits |= ~std::uint64_t{0} << width;
  return static_cast<std::int64_t>(bits);
}

void decode_raw(DataType type, std::string_view raw, std::int64_t count, Constant& constant) {
  const int width = data_type_bits(type);
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    if (width >= 8) {
      std::memcpy(&bits, raw.data() + i * (width / 8), static_cast<std::size_t>(width / 8));
    } else {
      const auto position = static_cast<std::size_t>(i * width);
      bits = static_cast<unsigned char>(raw[position / 8]) >> (position % 8);
    }
    if (is_floating(type)) {
      constant.floats.push_back(decode_float(type, bits));
    } else {
      constant.ints.push_back(sign_extend(bits, width, is_signed_integer(type)));
    }
  }
}

// Maximum number of elements of this type to keep.
std::int64_t constant_limit(DataType type) {
  if (is_floating(type)) return kMaxConstantFloats;
  if (is_integer(type) || type == DataType::kBool || type == DataType::kString) {
    return kMaxConstantInts;
  }
  return -1;
}

struct TensorFields {
  std::string_view name;
  Shape shape;
  DataType dtype = DataType::kUndefined;
  std::string_view raw;
  bool has_raw = false;
  bool is_external = false;
  ExternalLocation external;
  std::vector<WireReader> typed;  // the *_data fields
  std::int64_t strings = 0;
};

void read_external_entry(std::string_view message, ExternalLocation& external) {
  std::string_view key;
  std::string_view value;
  for (WireReader in(message); in.next();) {
    if (in.field() == onnx::StringStringEntryProto::kKeyFieldNumber) key = in.bytes();
    if (in.field() == onnx::StringStringEntryProto::kValueFieldNumber) value = in.bytes();
  }
  if (key == "location") external.location = value;
  if (key != "offset" && key != "length") return;
  const auto number = parse_int(value);
  if (!number || *number < 0) {
    throw InputError("external data has an invalid " + std::string(key), escape_terminal(value));
  }
  if (key == "offset") external.offset = *number;
  if (key == "length") external.length = *number;
}

TensorFields read_fields(std::string_view message) {
  TensorFields fields;
  for (WireReader in(message); in.next();) {
    switch (in.field()) {
      case TensorProto::kDimsFieldNumber:
        in.integers([&](std::int64_t extent) { fields.shape.push_back(extent); });
        break;
      case TensorProto::kDataTypeFieldNumber: {
        const auto dtype = data_type_from_number(in.integer());
        if (!dtype)
          throw InputError("a tensor has the unknown element type " + std::to_string(in.integer()));
        fields.dtype = *dtype;
        break;
      }
      case TensorProto::kNameFieldNumber:
        fields.name = in.bytes();
        break;
      case TensorProto::kRawDataFieldNumber:
        fields.raw = in.bytes();
        fields.has_raw = true;
        break;
      case TensorProto::kExternalDataFieldNumber:
        read_external_entry(in.bytes(), fields.external);
        break;
      case TensorProto::kDataLocationFieldNumber:
        fields.is_external = in.integer() == TensorProto::EXTERNAL;
        break;
      case TensorProto::kStringDataFieldNumber:
        if (++fields.strings <= kMaxConstantInts) fields.typed.push_back(in);
        break;
      case TensorProto::kFloatDataFieldNumber:
      case TensorProto::kInt32DataFieldNumber:
      case TensorProto::kInt64DataFieldNumber:
      case TensorProto::kDoubleDataFieldNumber:
      case TensorProto::kUint64DataFieldNumber:
        if (fields.typed.size() <= kMaxConstantInts) fields.typed.push_back(in);
        break;
      default:
        break;
    }
  }
  return fields;
}

// Decodes the typed *_data fields. Ignores values that do not belong to the element type.
void decode_typed(const TensorFields& fields, std::int64_t count, Constant& constant) {
  std::string packed;  // sub-byte elements: int32_data holds the bytes
  const int width = data_type_bits(fields.dtype);
  const auto most = static_cast<std::size_t>(count);
  for (const WireReader& field : fields.typed) {
    switch (field.field()) {
      case TensorProto::kFloatDataFieldNumber:
        field.reals<float>([&](float value) { constant.floats.push_back(value); });
        break;
      case TensorProto::kDoubleDataFieldNumber:
        field.reals<double>([&](double value) { constant.floats.push_back(value); });
        break;
      case TensorProto::kStringDataFieldNumber:
        constant.strings.emplace_back(field.bytes());
        break;
      default:
        field.integers([&](std::int64_t value) {
          if (constant.ints.size() + constant.floats.size() + packed.size() > most) return;
          if (width < 8) {
            packed.push_back(static_cast<char>(value));
          } else if (is_floating(fields.dtype)) {
            constant.floats.push_back(
                decode_float(fields.dtype, static_cast<std::uint64_t>(value)));
          } else {
            constant.ints.push_back(sign_extend(static_cast<std::uint64_t>(value), width,
                                                is_signed_integer(fields.dtype)));
          }
        });
    }
  }
  if (!packed.empty() && static_cast<std::int64_t>(packed.size()) * 8 >= count * width) {
    decode_raw(fields.dtype, packed, count, constant);
  }
}

std::shared_ptr<const Constant> read_content(const TensorFields& fields, std::int64_t count,
                                             std::int64_t bytes, ExternalFolder& external) {
  const bool small = count <= constant_limit(fields.dtype);
  if (fields.dtype == DataType::kString && (fields.has_raw || fields.is_external)) {
    throw InputError("a tensor of strings must not have raw data");
  }
  if (fields.is_external) {
    if (!external.check(fields.external, bytes) || !small) return nullptr;
    auto constant = std::make_shared<Constant>();
    decode_raw(fields.dtype, external.read(fields.external, bytes), count, *constant);
    return constant;
  }
  if (fields.has_raw && static_cast<std::int64_t>(fields.raw.size()) != bytes) {
    throw InputError("a tensor of " + std::to_string(bytes) + " bytes has " +
                     std::to_string(fields.raw.size()) + " bytes of data");
  }
  if (!small) return nullptr;
  auto constant = std::make_shared<Constant>();
  if (fields.has_raw) {
    decode_raw(fields.dtype, fields.raw, count, *constant);
  } else {
    decode_typed(fields, count, *constant);
  }
  const std::size_t all =
      constant->ints.size() + constant->floats.size() + constant->strings.size();
  std::size_t stored = constant->ints.size();  // values of the element type
  if (is_floating(fields.dtype)) stored = constant->floats.size();
  if (fields.dtype == DataType::kString) stored = constant->strings.size();
  if (stored == static_cast<std::size_t>(count) && stored == all) return constant;
  if (all == 0) return nullptr;  // the file omits the weights
  throw InputError("a tensor of " + std::to_string(count) + " elements has " +
                   std::to_string(stored) + " values");
}

// Reads the shape of TypeProto.Tensor. Stores the names of extents in `symbols`.
Shape read_shape(std::string_view message, std::vector<std::string>* symbols) {
  Shape shape;
  for (WireReader in(message); in.next();) {
    if (in.field() != TensorShapeProto::kDimFieldNumber) continue;
    std::int64_t extent = kUnknownDim;
    std::string symbol;
    for (WireReader dim(in.bytes()); dim.next();) {
      if (dim.field() == TensorShapeProto::Dimension::kDimValueFieldNumber) extent = dim.integer();
      if (dim.field() == TensorShapeProto::Dimension::kDimParamFieldNumber) symbol = dim.bytes();
    }
    shape.push_back(extent < 0 ? kUnknownDim : extent);
    if (symbols != nullptr) symbols->push_back(std::move(symbol));
  }
  return shape;
}

ValueInfo read_tensor_type(std::string_view message, ValueKind kind,
                           std::vector<std::string>* symbols) {
  ValueInfo value;
  value.kind = kind;
  for (WireReader in(message); in.next();) {
    if (in.field() == TypeProto::Tensor::kElemTypeFieldNumber) {
      const auto dtype = data_type_from_number(in.integer());
      if (!dtype)
        throw InputError("a tensor has the unknown element type " + std::to_string(in.integer()));
      value.dtype = *dtype;
    }
    if (in.field() == TypeProto::Tensor::kShapeFieldNumber) {
      value.shape = read_shape(in.bytes(), symbols);
    }
  }
  if (value.shape) checked_element_count(*value.shape, "");
  return value;
}

// Reads TypeProto.Sequence, Optional or Map, with the element type in field 1, 1 and 2.
ValueInfo read_container_type(std::string_view message, ValueKind kind, int depth) {
  ValueInfo value;
  value.kind = kind;
  const int element_field = kind == ValueKind::kMap ? TypeProto::Map::kValueTypeFieldNumber : 1;
  for (WireReader in(message); in.next();) {
    if (in.field() == element_field) {
      value.element = std::make_shared<ValueInfo>(read_type(in.bytes(), nullptr, depth + 1));
    } else if (in.field() == TypeProto::Map::kKeyTypeFieldNumber) {
      value.dtype = data_type_from_number(in.integer()).value_or(DataType::kUndefined);
    }
  }
  return value;
}

void check_depth(int depth) {
  if (depth > kMaxTypeDepth) throw InputError("the types of the model are nested too deeply");
}

ValueInfo container(ValueKind kind, std::vector<ValueInfo> items) {
  ValueInfo value;
  value.kind = kind;
  if (!items.empty()) {
    ValueInfo element = items.front();
    element.constant = nullptr;
    for (const ValueInfo& item : items) {
      if (item.shape != element.shape) element.shape = std::nullopt;
    }
    value.element = std::make_shared<ValueInfo>(std::move(element));
  }
  value.items = std::make_shared<const std::vector<ValueInfo>>(std::move(items));
  return value;
}

}  // namespace

NamedValue read_tensor(std::string_view message, ExternalFolder& external) {
  TensorFields fields = read_fields(message);
  NamedValue named;
  named.name = fields.name;
  named.value.dtype = fields.dtype;
  try {
    const auto count = checked_element_count(fields.shape, "");
    if (!count) throw InputError("a tensor has a negative dimension");
    const std::int64_t bytes = (*count * data_type_bits(fields.dtype) + 7) / 8;
    named.value.constant = read_content(fields, *count, bytes, external);
  } catch (const InputError& error) {
    throw InputError(error.what(), "tensor '" + escape_terminal(fields.name) + "'");
  }
  named.value.shape = std::move(fields.shape);
  return named;
}

NamedValue read_sparse_tensor(std::string_view message, ExternalFolder& external) {
  NamedValue named;
  Shape shape;
  for (WireReader in(message); in.next();) {
    if (in.field() == SparseTensorProto::kValuesFieldNumber) {
      const NamedValue values = read_tensor(in.bytes(), external);
      named.name = values.name;
      named.value.dtype = values.value.dtype;
    } else if (in.field() == SparseTensorProto::kDimsFieldNumber) {
      in.integers([&](std::int64_t extent) { shape.push_back(extent); });
    }
  }
  if (!checked_element_count(shape, named.name))
    throw InputError("a tensor has a negative dimension");
  named.value.kind = ValueKind::kSparseTensor;
  named.value.shape = std::move(shape);
  return named;
}

ValueInfo read_type(std::string_view message, std::vector<std::string>* symbols, int depth) {
  check_depth(depth);
  ValueInfo value;
  for (WireReader in(message); in.next();) {
    switch (in.field()) {
      case TypeProto::kTensorTypeFieldNumber:
        value = read_tensor_type(in.bytes(), ValueKind::kTensor, symbols);
        break;
      case TypeProto::kSparseTensorTypeFieldNumber:
        value = read_tensor_type(in.bytes(), ValueKind::kSparseTensor, symbols);
        break;
      case TypeProto::kSequenceTypeFieldNumber:
        value = read_container_type(in.bytes(), ValueKind::kSequence, depth);
        break;
      case TypeProto::kOptionalTypeFieldNumber:
        value = read_container_type(in.bytes(), ValueKind::kOptional, depth);
        break;
      case TypeProto::kMapTypeFieldNumber:
        value = read_container_type(in.bytes(), ValueKind::kMap, depth);
        break;
      case TypeProto::kOpaqueTypeFieldNumber:
        value.kind = ValueKind::kOpaque;
        break;
      default:
        break;
    }
  }
  return value;
}

NamedValue read_value_info(std::string_view message) {
  NamedValue named;
  for (WireReader in(message); in.next();) {
    if (in.field() == ValueInfoProto::kNameFieldNumber) named.name = in.bytes();
    if (in.field() == ValueInfoProto::kTypeFieldNumber) {
      named.symbols.clear();
      named.value = read_type(in.bytes(), &named.symbols);
    }
  }
  return named;
}

namespace {

// Reads a SequenceProto, or an OptionalProto, whose fields have the same numbers.
ValueInfo read_items(ValueKind kind, std::string_view message, ExternalFolder& external,
                     int depth) {
  check_depth(depth);
  std::vector<ValueInfo> items;
  for (WireReader in(message); in.next();) {
    switch (in.field()) {
      case SequenceProto::kTensorValuesFieldNumber:
        items.push_back(read_tensor(in.bytes(), external).value);
        break;
      case SequenceProto::kSparseTensorValuesFieldNumber:
        items.push_back(read_sparse_tensor(in.bytes(), external).value);
        break;
      case SequenceProto::kSequenceValuesFieldNumber:
        items.push_back(read_sequence(in.bytes(), external, depth + 1));
        break;
      case SequenceProto::kOptionalValuesFieldNumber:
        items.push_back(read_optional(in.bytes(), external, depth + 1));
        break;
      default:
        break;
    }
  }
  return container(kind, std::move(items));
}

}  // namespace

ValueInfo read_sequence(std::string_view message, ExternalFolder& external, int depth) {
  return read_items(ValueKind::kSequence, message, external, depth);
}

ValueInfo read_optional(std::string_view message, ExternalFolder& external, int depth) {
  return read_items(ValueKind::kOptional, message, external, depth);
}

}  // namespace ridgewatt::workload::onnx_format
