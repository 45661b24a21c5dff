// Tables of which one row is chosen by options of its own and not by its name: ways of leaving data out (loo), sources of data (sbc). A new row
// is a file with a class and its row, and the name of the row in the table; its options, and whether it was chosen, belong to it.
//
//   struct Own final : LooScheme { ... };
//   extern const ChosenRow<LooScheme> own_scheme{.name = "own", .chosen_by = "--own", .group = "...", .example = "--own 3", .make = make_chosen<LooScheme, Own>};
#pragma once
#include "cli/options/arguments.hpp"

namespace credo::cli {

// A Kind has `void describe(Arguments&, const std::string& alone)`, where `alone` is the condition that no other row is chosen
// ("!--folds,!--future"), and `bool is_chosen() const`.
template <class Kind>
struct ChosenRow {
  std::string_view name;
  std::string_view
      chosen_by;             // options joined by commas; empty: it is the one if no other is chosen
  std::string_view group;    // title of its options in help
  std::string_view example;  // words that choose it, for suites over tables
  std::unique_ptr<Kind> (*make)();
};
template <class Kind, class Own>
std::unique_ptr<Kind> make_chosen() {
  return std::make_unique<Own>();
}
template <class Kind>
using ChosenTable = std::span<const ChosenRow<Kind>* const>;

// The condition of a row, from the options by which each row of the table is chosen: no row before it is chosen; for the one
// that is chosen by no option, no other at all.
std::string alone(std::span<const std::string_view> chosen_by, std::size_t row);

// The rows of a table with the options that a command was given.
template <class Kind>
class ChosenRows {
 public:
  explicit ChosenRows(ChosenTable<Kind> table) : table_(table) {
    for (const ChosenRow<Kind>* row : table) all_.push_back(row->make());
  }
  void describe(Arguments& arguments) {
    std::vector<std::string_view> chosen_by;
    for (const ChosenRow<Kind>* row : table_) chosen_by.push_back(row->chosen_by);
    for (std::size_t k = 0; k < all_.size(); ++k) {
      arguments.group(std::string(table_[k]->group));
      all_[k]->describe(arguments, alone(chosen_by, k));
    }
  }
  Kind& chosen() const {
    std::size_t k = 0;
    while (k < all_.size() && !all_[k]->is_chosen()) ++k;
    if (k == all_.size())
      for (k = 0; !table_[k]->chosen_by.empty();) ++k;
    return *all_[k];
  }

 private:
  ChosenTable<Kind> table_;
  std::vector<std::unique_ptr<Kind>> all_;
};

}  // namespace credo::cli
