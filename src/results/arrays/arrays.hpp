// A result as groups of named arrays. Files, tables and JSON are made from the descriptions of the arrays, so that a
// new question needs no format of its own (docs/design/arrays.md).
//
//   ArrayList answer;
//   answer.set("method", "kalman");
//   ArrayList::Builder stats = answer.add_group("filter_stats", {{"repeat", 10}, {"time", 100}});
//   stats.add({.name = "ess", .dims = {"repeat", "time"}}, values);
//   write_arrays(answer, {.path = "f.nc"});                       // results/arrays/array_file.hpp
//   read_arrays("f.nc")->find("filter_stats", "ess")              // the same arrays
#pragma once
#include <functional>
#include <variant>

#include "density/kind.hpp"

namespace credo::results {

struct Dimension {
  std::string name;
  Index size = 0;
};

// How a command's JSON shows NaN and empty texts.
enum class Missing {
  shown,      // "NaN" and ""
  left_out,   // without the member, or the element of a list
  null,       // null
  as_before,  // shown if the row's field before this one is there, otherwise left out
};

using Texts = std::vector<std::pair<std::string, std::string>>;  // by their names
std::string text_of(const Texts& texts, std::string_view name);  // empty if the name is missing

// How NetCDF files have a field, as far as its description leaves it open.
struct FieldInFile {
  std::vector<Index> chunks =
      {};  // sizes of the parts in which values are stored; empty: the library's choice
  bool is_short = false;  // whole numbers have 32 bits
  bool has_check_sums = true;
  // The field stands for this text, whose characters the file has along the dimension NAME_bytes. Null: it is an array.
  std::shared_ptr<const std::string> text = nullptr;
  Texts attributes = {};
};

// An array of a group. Values are stored with the first dimension slowest. Texts are places in `labels`.
//
// `key` is the name in the command's JSON (results/arrays/answer_json.hpp): empty, the own name; "a.b", a member of the
// object a; "a[]", further elements of the list a, "a[][]" a list of lists, whatever the dimensions; kHidden, none.
struct Field {
  std::string name;
  std::vector<std::string> dims = {};  // names of dimensions of the group; none: one number
  density::Kind kind = density::Kind::real;
  std::string help = {}, unit = {};
  std::vector<std::string> labels = {};  // not empty: a value is a place in this list, from 0
  std::string key = {};
  Missing missing = Missing::shown;
  FieldInFile file = {};
};
inline constexpr const char* kHidden = "-";

// A group in the command's JSON: a list of objects, one for each place of the first dimension; the object of the only place; a list of the values of
// its first field that is no coordinate; an object, with the fields' arrays as members; or an object whose members are named by
// its first field that is no coordinate: the values of its last field, or, if that is the same, the groups within its rows.
enum class Shape { rows, row, values, object, named };
struct InJson {
  std::string key =
      {};  // the same rule as for a field. Lists of one key are one list, whose objects have the members of all
  Shape shape = Shape::rows;
  // A group within whose rows this one is shown: the field with the name of that group's first dimension
  // says to which row each of these belongs.
  std::string of = {};
  bool only = false;      // files have the same numbers in another layout
  bool has_lines = true;  // in a list of objects each is on a line of its own
};
// Key of a group whose members are those of the object that it is within: rows that lack some members are no rows of such a group.
inline constexpr const char* kWithin = ".";

struct Group {
  std::string name;
  std::vector<Dimension> dims = {};
  std::vector<Field> fields = {};
  InJson json = {};
  Texts attributes = {};     // in files
  bool keeps_empty = false;  // files have the group and its fields even if there are no values

  const Field* find(std::string_view field) const;  // null if there is no such field
  Index size_of(std::string_view dimension) const;  // 0: there is no such dimension
  std::vector<Index> shape(const Field& field) const;
  Index num_values(const Field& field) const;
};

using Attribute = std::variant<std::string, Index, double, bool>;
std::string text_of(const Attribute& attribute);

class ArrayResult {
 public:
  virtual ~ArrayResult() = default;
  // In the order in which they were added.
  virtual const std::vector<std::pair<std::string, Attribute>>& attributes() const = 0;
  virtual const std::vector<Group>& groups() const = 0;
  // Values from `first` to first + count - 1 along the field's first dimension; count -1: all from `first` on. Fields
  // without dimensions have one row. Memory: the values that are returned.
  virtual std::vector<double> read(const Group& group, const Field& field, Index first = 0,
                                   Index count = -1) const = 0;

  // Places [start, start + count) of each dimension of a field.
  struct Box {
    std::vector<Index> start, count;
  };
  using TakePart = std::function<void(const Box&, std::span<const double>)>;
  // Gives all values of a field in parts, which have an order that suits the source: here rows along the first dimension, 1
  // MiB at a time. Memory: a part.
  virtual void for_each_part(const Group& group, const Field& field, const TakePart& take) const;

  const Group* find_group(std::string_view name) const;  // null if there is no such group
  // All values of a field; empty if the field or its group is missing.
  std::vector<double> find(std::string_view group, std::string_view field) const;
  // Empty or NaN if there is no such attribute.
  std::string text(std::string_view attribute) const;
  double number(std::string_view attribute) const;
};

// The element of a row of elements_within, any other row itself.
template <class Row>
const auto& content_of(const Row& row) {
  if constexpr (requires { row.element; })
    return row.element;
  else
    return row;
}

// Elements of the lists that the rows have, with the row's place: what a group within their group is made of.
template <class Rows, class ListOf>
auto elements_within(const Rows& rows, ListOf list_of) {
  using List = std::remove_cvref_t<decltype(std::invoke(list_of, content_of(*std::begin(rows))))>;
  struct Within {
    Index row;
    typename List::value_type element;
  };
  std::vector<Within> all;
  Index place = 0;
  for (const auto& row : rows) {
    for (const auto& element : std::invoke(list_of, content_of(row)))
      all.push_back({place, element});
    ++place;
  }
  return all;
}

// A result in memory.
class ArrayList final : public ArrayResult {
 public:
  ArrayList() = default;
  // Answer of a command: attributes question and version, which its JSON doesn't have.
  explicit ArrayList(const std::string& question);

  // Adds fields to a group. Valid as long as its list.
  class Builder {
   public:
    Builder& add(Field field, std::vector<double> values);
    // A field whose values are made each time they are read.
    Builder& add_source(Field field, std::function<std::vector<double>()> values);
    Builder& add_dimension(const std::string& name, Index size);
    Builder& set(const std::string& attribute,
                 std::string text);  // an attribute of the group in files
    Builder& keep_empty();
    // Coordinate of a dimension: a field of its name with the values first, first + 1, ...
    Builder& add_numbers(const std::string& dimension, Index first, FieldInFile file = {});
    // Coordinate of a dimension whose places have names.
    Builder& add_labels(const std::string& dimension, std::vector<std::string> labels,
                        std::string key = {});
    // Texts in the place of numbers.
    Builder& add_texts(Field field, const std::vector<std::string>& texts);
    // value_of(row), a number, flag or text, for each row along the group's first dimension, which `field` may omit; for
    // elements_within value_of(element).
    template <class Rows, class ValueOf>
    Builder& add_column(Field field, const Rows& rows, ValueOf value_of) {
      const auto value_at = [&](const auto& row) { return std::invoke(value_of, content_of(row)); };
      using Value = decltype(value_at(*std::begin(rows)));
      if (field.dims.empty()) field.dims = {first_dimension()};
      if constexpr (std::is_convertible_v<Value, std::string_view>) {
        std::vector<std::string> texts;
        for (const auto& row : rows) texts.emplace_back(value_at(row));
        return add_texts(std::move(field), texts);
      } else {
        field.kind = density::kind_of<Value>();
        std::vector<double> values;
        for (const auto& row : rows) values.push_back(static_cast<double>(value_at(row)));
        return add(std::move(field), std::move(values));
      }
    }
    // Adds columns of the same rows, one a call: add(name, value_of, help, key).
    template <class Rows>
    auto columns(const Rows& rows, Missing missing = Missing::shown) {
      return [own = *this, &rows, missing](const std::string& name, auto value_of,
                                           const char* help = "",
                                           const std::string& key = {}) mutable {
        own.add_column({.name = name, .help = help, .key = key, .missing = missing}, rows,
                       value_of);
      };
    }

   private:
    friend class ArrayList;
    Builder(ArrayList& list, std::size_t place) : list_(&list), place_(place) {}
    Group& own() { return list_->groups_[place_]; }
    const std::string& first_dimension() { return own().dims.front().name; }
    Builder& add_links(std::vector<double> places);
    ArrayList* list_;
    std::size_t place_;
  };

  // `key`: as that of a field. Missing values that aren't shown aren't attributes either, nor are values without a name,
  // which only JSON has.
  void set(std::string name, Attribute value, std::string key = {},
           Missing missing = Missing::shown);
  // Names and values in turn.
  void set_all() {}
  template <class Value, class... Rest>
  void set_all(std::string name, Value value, const Rest&... rest) {
    set(std::move(name), Attribute(std::move(value)));
    set_all(rest...);
  }
  Builder add_group(std::string name, std::vector<Dimension> dims, InJson json = {});
  Builder group(std::string_view name);  // more fields for a group that is there
  // A group whose first dimension has its name: rows, with `json.of` elements_within the rows of another group.
  template <class Rows>
  Builder add_rows(const std::string& name, const Rows& rows, InJson json = {},
                   std::vector<Dimension> more = {}) {
    std::vector<double> places;
    if constexpr (requires { rows.begin()->element; })
      for (const auto& row : rows) places.push_back(static_cast<double>(row.row));
    const bool has_links = !json.of.empty();
    more.insert(more.begin(), {name, static_cast<Index>(std::size(rows))});
    Builder group = add_group(name, std::move(more), std::move(json));
    if (has_links) group.add_links(std::move(places));
    return group;
  }
  // A list within each row of the group `of`, shown as the member `key`; all in one group OF_KEY.
  template <class Rows>
  void add_lists(const std::string& of, const std::string& key, const Rows& elements,
                 bool only_json = false) {
    std::string name = of + "_" + key;
    std::ranges::replace(name, '.', '_');
    add_rows(name, elements, {.key = key, .shape = Shape::values, .of = of, .only = only_json})
        .add_column({.name = "value"}, elements, std::identity());
  }

  struct Member {
    std::string key;
    Attribute value;
    Missing missing;
  };
  const std::vector<Member>& members() const { return members_; }  // attributes as JSON shows them

  const std::vector<std::pair<std::string, Attribute>>& attributes() const override {
    return attributes_;
  }
  const std::vector<Group>& groups() const override { return groups_; }
  std::vector<double> read(const Group& group, const Field& field, Index first = 0,
                           Index count = -1) const override;
  void for_each_part(const Group& group, const Field& field, const TakePart& take) const override;

 private:
  struct Values {
    std::vector<double> kept = {};
    std::function<std::vector<double>()> source = nullptr;  // null: they are kept
  };
  const Values& values_of(const Group& group, const Field& field) const;
  std::vector<std::pair<std::string, Attribute>> attributes_;
  std::vector<Member> members_;
  std::vector<Group> groups_;
  std::vector<std::vector<Values>> values_;  // by group and field
};

}  // namespace credo::results
