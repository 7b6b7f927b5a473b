// Reads the rows of a COPY in binary format: a header, then for each row the number of columns, and
// the length and bytes of each column (postgresql.org/docs/15/sql-copy.html, "Binary Format").
// Messages from the server may begin and end in the middle of a row.
#include <array>
#include <bit>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/postgresql/session.h"

namespace ridgewatt::store {
namespace {

constexpr std::size_t kMostColumns = 32;  // more than any query of the store has
constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0", 11);
constexpr std::size_t kHeader = 19;  // signature, flags and length of the header extension
constexpr std::size_t kLength = 4;   // length field of a column

class CopiedRow : public Row {
 public:
  std::int64_t integer(int column) const override {
    const auto bytes = bytes_of(column);
    return number_in(bytes.data(), static_cast<int>(bytes.size()));
  }
  double real(int column) const override {
    return bytes_of(column).size() == 8 ? std::bit_cast<double>(integer(column)) : 0;
  }
  std::string text(int column) const override { return std::string(bytes_of(column)); }
  bool is_null(int column) const override { return bytes_of(column).data() == nullptr; }

  // Reads one row and returns its length, or 0 if `bytes` ends before the row does. Sets `end` at
  // the marker behind the last row.
  std::size_t read(std::string_view bytes, bool& end) {
    if (bytes.size() < 2) return 0;
    const auto count = number_in(bytes.data(), 2);
    end = count == -1;
    if (end) return 2;
    if (count < 0 || count > static_cast<std::int64_t>(kMostColumns)) throw_damaged();
    std::size_t at = 2;
    for (std::size_t column = 0; column < static_cast<std::size_t>(count); ++column) {
      if (bytes.size() - at < kLength) return 0;
      const auto length = number_in(bytes.data() + at, kLength);
      at += kLength;
      columns_[column] = {};
      if (length == -1) continue;
      if (length < 0) throw_damaged();
      if (bytes.size() - at < static_cast<std::size_t>(length)) return 0;
      columns_[column] = bytes.substr(at, static_cast<std::size_t>(length));
      at += static_cast<std::size_t>(length);
    }
    count_ = static_cast<std::size_t>(count);
    return at;
  }
  [[noreturn]] static void throw_damaged() {
    throw IoError("the database server sent rows in an unknown format");
  }

 private:
  std::string_view bytes_of(int column) const {
    const auto index = static_cast<std::size_t>(column);
    return index < count_ ? columns_[index] : std::string_view();
  }
  std::array<std::string_view, kMostColumns> columns_;  // a null data pointer means NULL
  std::size_t count_ = 0;
};

// Splits messages into rows.
class CopiedRows {
 public:
  explicit CopiedRows(const Connection::Each& each) : each_(each) {}

  void take(std::string_view message) {
    if (rest_.empty()) {
      rest_ = message.substr(pass_on(message));
      return;
    }
    rest_ += message;
    rest_.erase(0, pass_on(rest_));
  }
  bool complete() const { return end_ && rest_.empty(); }

 private:
  // Passes all complete rows on and returns their length.
  std::size_t pass_on(std::string_view bytes) {
    std::size_t at = 0;
    if (!begun_) {
      if (bytes.size() < kHeader) return 0;
      const auto extension = number_in(bytes.data() + kHeader - kLength, kLength);
      if (!bytes.starts_with(kSignature) || extension != 0) CopiedRow::throw_damaged();
      begun_ = true;
      at = kHeader;
    }
    while (!end_) {
      const std::size_t length = row_.read(bytes.substr(at), end_);
      if (length == 0) break;
      if (!end_) each_(row_);
      at += length;
    }
    return at;
  }

  const Connection::Each& each_;
  CopiedRow row_;
  std::string rest_;  // an incomplete row, continued by the next message
  bool begun_ = false, end_ = false;
};

}  // namespace

void PostgresqlSession::copy(const std::string& sql, const Connection::Each& each) {
  const std::string statement = "COPY (" + sql + ") TO STDOUT (FORMAT binary)";
  {
    const PostgresqlResult begun(pq_.exec(connection_, statement.c_str()));
    if (begun == nullptr || pq_.result_status(begun.get()) != libpq::kCopyOut) check(begun.get());
  }
  CopiedRows rows(each);
  char* message = nullptr;
  int length = 0;
  try {
    while ((length = pq_.get_copy_data(connection_, &message, 0)) > 0) {
      const std::unique_ptr<char, void (*)(void*)> owned(message, pq_.freemem);
      rows.take({message, static_cast<std::size_t>(length)});
    }
  } catch (...) {
    close();  // drops the remaining rows; the next query reconnects
    throw;
  }
  while (PostgresqlResult result{pq_.get_result(connection_)}) check(result.get());
  if (length != -1 || !rows.complete()) throw SessionLost{"the rows end too early"};
}

}  // namespace ridgewatt::store
