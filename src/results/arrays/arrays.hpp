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
#include <variant>

#include "density/kind.hpp"

namespace credo::results {

struct Dimension {
  std::string name;
  Index size = 0;
};

// An array of a group. Values are stored with the first dimension slowest.
struct Field {
  std::string name;
  std::vector<std::string> dims = {};  // names of dimensions of the group; none: one number
  density::Kind kind = density::Kind::real;
  std::string help = {}, unit = {};
  std::vector<std::string> labels = {};  // not empty: a value is a place in this list, from 0
};

struct Group {
  std::string name;
  std::vector<Dimension> dims = {};
  std::vector<Field> fields = {};

  const Field* find(std::string_view field) const;  // null: there is none
  Index size_of(std::string_view dimension) const;  // 0: there is no such dimension
  std::vector<Index> shape(const Field& field) const;
  Index num_values(const Field& field) const;
};

using Attribute = std::variant<std::string, Index, double>;
std::string text_of(const Attribute& attribute);

class ArrayResult {
 public:
  virtual ~ArrayResult() = default;
  // In the order in which they were added.
  virtual const std::vector<std::pair<std::string, Attribute>>& attributes() const = 0;
  virtual const std::vector<Group>& groups() const = 0;
  // Values of the rows [first, first + count) of the field's first dimension; count -1: all from `first` on. Fields
  // without dimensions have one row. Memory: the values that are returned.
  virtual std::vector<double> read(const Group& group, const Field& field, Index first = 0,
                                   Index count = -1) const = 0;

  const Group* find_group(std::string_view name) const;  // null: there is none
  // All values of a field; empty if the field or its group is missing.
  std::vector<double> find(std::string_view group, std::string_view field) const;
  // Empty or NaN if there is no such attribute.
  std::string text(std::string_view attribute) const;
  double number(std::string_view attribute) const;
};

// A result in memory.
class ArrayList final : public ArrayResult {
 public:
  // Adds fields to a group. Valid as long as its list.
  class Builder {
   public:
    Builder& add(Field field, std::vector<double> values);
    // Coordinate of a dimension: a field of its name with the values first, first + 1, ...
    Builder& add_numbers(const std::string& dimension, Index first);
    // Coordinate of a dimension whose places have names.
    Builder& add_labels(const std::string& dimension, std::vector<std::string> labels);
    // A field of one dimension: value_of(row) of each row.
    template <class Rows, class ValueOf>
    Builder& add_column(Field field, const Rows& rows, ValueOf value_of) {
      std::vector<double> values;
      for (const auto& row : rows) values.push_back(static_cast<double>(value_of(row)));
      return add(std::move(field), std::move(values));
    }

   private:
    friend class ArrayList;
    Builder(ArrayList& list, std::size_t place) : list_(&list), place_(place) {}
    ArrayList* list_;
    std::size_t place_;
  };

  void set(std::string name, Attribute value) {
    attributes_.emplace_back(std::move(name), std::move(value));
  }
  Builder add_group(std::string name, std::vector<Dimension> dims);

  const std::vector<std::pair<std::string, Attribute>>& attributes() const override {
    return attributes_;
  }
  const std::vector<Group>& groups() const override { return groups_; }
  std::vector<double> read(const Group& group, const Field& field, Index first = 0,
                           Index count = -1) const override;

 private:
  std::vector<std::pair<std::string, Attribute>> attributes_;
  std::vector<Group> groups_;
  std::vector<std::vector<std::vector<double>>> values_;  // by group and field
};

}  // namespace credo::results
