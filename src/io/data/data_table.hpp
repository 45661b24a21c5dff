// Data as they came from a file: named values with their shapes, independent of the format and of
// any program.
//
// A program requests a variable by its declaration (`Wanted`) and gets the numbers, or an
// Error{data} that names variable, place in the file, the value found and the expected one.
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

// On which lines of a file the rows of its table stand.
struct RowLines {
  std::string source;
  Index header_line = 1;
  std::vector<std::pair<Index, Index>> runs = {};  // (row, line): rows from there on, a line each
  Index line_of(Index row) const;                  // rows from 0, lines from 1
};

// Facts of a value that comes from a column of a table (CSV, TSV), or of a factor of R.
struct ColumnFacts {
  std::string name = {};                 // name of the column in the file
  std::vector<std::string> levels = {};  // of a factor: what the codes 1, 2, ... stand for
  Index num_codes = 0;  // codes run from 1 to this: levels, or rows that are numbered; 0: no codes
  bool numbers_rows = false;         // the values are numbers of rows
  std::vector<Index> rows = {};      // that the elements stand in, from 0; empty: in their order
  std::vector<Index> missing = {};   // elements without a value; requests for them are refused
  std::vector<Index> gaps = {};      // elements that have no value and are NaN (--missing nan)
  Index num_listed = 0;              // number of elements that --missing list left out
  std::string odd = {};              // a text among numbers, which is refused as well
  Index odd_element = 0, width = 1;  // width: columns of a matrix
  std::shared_ptr<const RowLines> lines = nullptr;  // null: not from a table

  std::string where(Index element) const;  // "cars.csv:7"
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
  std::string where_not_int;                            // ... and its place
  std::shared_ptr<const ColumnFacts> column = nullptr;  // null: from JSON and the like

  Index num_elements() const;  // product of dims
};

// Treatment of cells without a value (docs/data.md, Missing values).
enum class MissingUse { refuse, drop, nan, list };

// Codes of a factor's levels: io/data/level_order.hpp.
struct LevelOrder {
  std::string name = {};                 // the variable
  std::vector<std::string> levels = {};  // code 1 first
  bool has_rest = false;                 // other levels follow; false: others are refused
  bool numbers = false;                  // no factor: the fit has numbers, and texts are refused
  bool of_fit = false;                   // for messages: the levels are those of a fit
};

// Rules that are applied to a table once it is known which of its columns a program declares
// (io/data/settled_table.hpp).
struct ReadingRules {
  MissingUse missing = MissingUse::refuse;
  std::vector<LevelOrder> levels = {};
};

// Note on a change of a variable on its way into a table, a sentence; without a name, a note on something
// that is no variable.
struct DataNote {
  std::string variable, text;
  bool is_loss = false;  // rows or levels were left out
};

class DataTable {
 public:
  explicit DataTable(std::string source = {}) : own_{std::move(source), nullptr} {}

  // Throws Error{data} when there is a variable of this name.
  void add(std::string name, DataValue value);
  const DataValue* find(std::string_view name) const;               // nullptr: not there
  const std::vector<std::string>& names() const { return names_; }  // in the order of the file
  const std::string& source() const { return own_.source; }         // the file, for messages

  // With the file's text, messages can say where an element is: number k of a variable in the order
  // of the text, and the name itself. Without it, where the value begins, and the file.
  void keep(std::shared_ptr<const std::string> text) { own_.text = std::move(text); }
  std::string where_element(std::string_view name, Index k) const;
  std::string where_name(std::string_view name) const;

  // Takes over the values of the other table. Throws as add().
  void merge(DataTable other);
  // Replaces the value of an existing variable.
  void replace(std::string_view name, DataValue value);
  const ReadingRules& rules() const { return rules_; }
  void set_rules(ReadingRules rules) { rules_ = std::move(rules); }
  // Numbers of levels of factors without a column in the table: known from the fit, or from --levels.
  const std::map<std::string, Index, std::less<>>& absent_factors() const {
    return absent_factors_;
  }
  void add_absent_factor(const std::string& name, Index num_levels) {
    absent_factors_[name] = num_levels;
  }
  void note(DataNote note) { notes_.push_back(std::move(note)); }
  const std::vector<DataNote>& notes() const { return notes_; }
  // "weight, height, ...": the names of columns as the files have them; empty without columns.
  std::string columns_text() const;

 private:
  struct Text {
    std::string source;
    std::shared_ptr<const std::string> text;
  };
  const Text& text_of(std::string_view name) const;

  Text own_;
  std::map<std::string, Text, std::less<>> merged_;  // by variable, from other files
  std::vector<std::string> names_;
  std::map<std::string, DataValue, std::less<>> values_;
  std::vector<DataNote> notes_;
  ReadingRules rules_;
  std::map<std::string, Index, std::less<>> absent_factors_;
};

// Conditions of a declaration for a value.
struct Wanted {
  std::string name;         // "y", or "y.2" for a slot of a tuple
  std::string type;         // as the user would write it: "array[3] int"
  std::string declared_at;  // "model.stan:4:3"; may be empty
  std::vector<Index>
      dims;  // array sizes outermost first, then those of vector or matrix, then 2 if complex
};

// The numbers of a variable, row-major. `value` is nullptr when the variable is missing, which is allowed for zero
// elements. Throws Error{data} if the value doesn't fit; `source` names the file then. Columns with missing values or
// texts among numbers are refused. Gaps are NaN as reals and refused as ints. Whole numbers written with a point or
// an exponent are whole numbers. Codes of factors and row numbers are no real numbers.
std::vector<std::int32_t> int_values(const DataValue* value, const Wanted& wanted,
                                     const std::string& source);
std::vector<double> real_values(const DataValue* value, const Wanted& wanted,
                                const std::string& source);

// The slots of a tuple-valued variable. `wanted.dims` are the array sizes around the tuple. With nullptr
// every slot has zero elements.
std::span<const DataValue> tuple_slots(const DataValue* value, Index num_slots,
                                       const Wanted& wanted, const std::string& source);

// The option by which a variable takes the column `name` (": --columns y=Y"); empty if no table has such a column.
std::string way_to_take(const DataTable& table, std::string_view name, const Wanted& wanted);

// The variable of a table, by Wanted::name; nullptr if none is needed. The message of a missing
// one suggests a name that differs in case only.
const DataValue* find_or_suggest(const DataTable& table, const Wanted& wanted);
std::vector<std::int32_t> int_values(const DataTable& table, const Wanted& wanted);
std::vector<double> real_values(const DataTable& table, const Wanted& wanted);

// "an array of 3 x 2 real numbers", "an integer", "a tuple of 2".
std::string describe(const DataValue& value);

}  // namespace credo::io
