// Data as they came from a file: named values with their shapes, independent of the format and of
// any program.
//
// A program asks for a variable by what its declaration says (Wanted) and gets the numbers, or an
// Error{data} that names variable, place in the file, what was found and what is expected.
#pragma once
#include "base/types.hpp"

namespace credo::io {

inline constexpr std::string_view kNoDataFile = "no data file";  // a source

enum class DataKind {
  integers,  // every number is written as an integer and fits 32 bits
  reals,     // numbers, at least one of them not such an integer
  tuples,    // objects with keys "1", "2", ...
  empty      // no element at all: [], [[],[]], ...
};

// One variable, or one slot of a tuple.
struct DataValue {
  DataKind kind = DataKind::empty;
  std::vector<Index> dims;  // sizes of the nested arrays, outermost first; none for a scalar
  std::vector<std::int32_t> integers;  // row-major (last index fastest); kind integers
  std::vector<double> reals;           // row-major; kind reals
  // kind tuples: slot k holds element k+1 of all tuples stacked, so its dims begin with those of
  // this value.
  std::vector<DataValue> slots;

  std::string where;       // "data.json:3:8", where the value begins
  std::size_t offset = 0;  // the same in the file's text
  std::string not_int;     // kind reals: text of the first number that isn't a 32-bit integer ...
  std::string where_not_int;  // ... and its place

  Index num_elements() const;  // product of dims
};

class DataTable {
 public:
  explicit DataTable(std::string source = {}) : source_(std::move(source)) {}

  // Throws Error{data} when there is a variable of this name.
  void add(std::string name, DataValue value);
  const DataValue* find(std::string_view name) const;               // nullptr: not there
  const std::vector<std::string>& names() const { return names_; }  // in the order of the file
  const std::string& source() const { return source_; }             // the file, for messages

  // With the file's text, messages can say where an element is: number k of a variable in the order
  // of the text, and the name itself. Without it, where the value begins, and the file.
  void keep(std::shared_ptr<const std::string> text) { text_ = std::move(text); }
  std::string where_element(std::string_view name, Index k) const;
  std::string where_name(std::string_view name) const;

 private:
  std::string place(std::size_t offset) const;

  std::string source_;
  std::shared_ptr<const std::string> text_;
  std::vector<std::string> names_;
  std::map<std::string, DataValue, std::less<>> values_;
};

// What a declaration asks of a value.
struct Wanted {
  std::string name;         // "y", or "y.2" for a slot of a tuple
  std::string type;         // as the user would write it: "array[3] int"
  std::string declared_at;  // "model.stan:4:3"; may be empty
  std::vector<Index>
      dims;  // array sizes outermost first, then those of vector or matrix, then 2 if complex
};

// The numbers of a variable, row-major. `value` is nullptr when the variable is missing: fine for
// zero elements. Throws Error{data} where the value doesn't fit; `source` names the file then.
std::vector<std::int32_t> int_values(const DataValue* value, const Wanted& wanted,
                                     const std::string& source);
std::vector<double> real_values(const DataValue* value, const Wanted& wanted,
                                const std::string& source);

// The slots of a tuple-valued variable. wanted.dims are the array sizes around the tuple. nullptr
// as above, then every slot has zero elements.
std::span<const DataValue> tuple_slots(const DataValue* value, Index num_slots,
                                       const Wanted& wanted, const std::string& source);

// The variable of a table, by Wanted::name; nullptr where none is needed. The message of a missing
// one suggests a name that differs in case only.
const DataValue* find_or_suggest(const DataTable& table, const Wanted& wanted);
std::vector<std::int32_t> int_values(const DataTable& table, const Wanted& wanted);
std::vector<double> real_values(const DataTable& table, const Wanted& wanted);

// "an array of 3 x 2 real numbers", "an integer", "a tuple of 2".
std::string describe(const DataValue& value);

}  // namespace credo::io
