// The one description of named arrays of numbers that lie one after another: the coordinates of a
// position, the outputs of a model, the columns of a result.
//
//   Layout layout({{.name = "mu"}, {.name = "theta", .dims = {2, 3}}});
//   layout.size()             7
//   layout.element_name(2)    "theta.2.1": the first index varies fastest
//   layout.find("theta.2.1")  2; also "theta[2,1]"
//
// Names of elements are made on request; a layout of ten million elements is as small
// as one of ten.
#pragma once
#include <map>

#include "density/kind.hpp"

namespace credo::density {

enum class Block { unknown, parameters, transformed_parameters, generated_quantities };
std::string_view name_of(Block block);  // "transformed parameters"; empty where it is unknown
Block block_named(std::string_view name);

struct Variable {
  std::string name;              // "theta"; "t:2" of the second slot of a tuple t
  std::vector<Index> dims = {};  // none: a scalar
  Kind kind = Kind::real;
  Block block = Block::unknown;
  // So many leading dimensions are those of an array around vectors or matrices and vary slowest,
  // the last of them fastest, as arrays lie in memory. In files all elements lie with the first
  // index fastest: 0.
  Index num_outer = 0;

  Index size() const;
  std::string element_name(Index element) const;  // "theta.2.1"
  bool operator==(const Variable&) const = default;
};

// Product of the sizes; nullopt if one is negative or the product is above `most`.
std::optional<Index> product_up_to(std::span<const Index> sizes, Index most);

class Layout {
 public:
  Layout() = default;
  explicit Layout(std::vector<Variable> variables);
  void add(Variable variable);

  const std::vector<Variable>& variables() const { return variables_; }
  Index size() const { return first_.back(); }  // number of all elements
  Index first(Index variable) const { return first_[static_cast<std::size_t>(variable)]; }
  Index variable_at(Index element) const;
  const Variable& variable_of(Index element) const {
    return variables_[static_cast<std::size_t>(variable_at(element))];
  }

  std::string element_name(Index element) const;
  std::vector<std::string> element_names() const;  // names of all; can be stopped
  std::optional<Index> find_variable(std::string_view name) const;
  std::optional<Index> find(std::string_view name) const;  // an element

  // The elements at these places, ascending. A variable of which some are missing becomes a scalar
  // for each that is there.
  Layout selected(std::span<const Index> elements) const;

 private:
  std::vector<Variable> variables_;
  std::vector<Index> first_ = {0};  // first element of each variable, and one behind the last
  std::map<std::string, Index, std::less<>> by_name_;
};

// Layout from names like "theta.2.10" alone, as CSV files have them: neighbours of one name are one variable
// if the last one's indices agree with their number, and scalars otherwise.
Layout layout_of_names(std::span<const std::string> names);

// "theta[1,2]" as "theta.1.2".
std::string dotted_name(std::string_view name);
// "theta.1.2" as "theta[1,2]", as programs write it.
std::string bracketed_name(const std::string& name);

}  // namespace credo::density
