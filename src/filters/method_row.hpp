// Tables of methods: filters, smoothers, proposals. A method is a class with its options; its row makes it from them.
#pragma once
#include "infer/core/kernel_options.hpp"
#include "model/states/state_model.hpp"

namespace credo::filters {

template <class Kind>
struct MethodRow {
  std::string_view name, summary;
  std::string_view reference;                   // a key of docs/references.bib
  infer::KernelOptions (*options)() = nullptr;  // its own, with their defaults
  std::unique_ptr<Kind> (*make)(const infer::KernelOptions& own) = nullptr;
};
template <class Kind>
using MethodTable = std::span<const MethodRow<Kind>* const>;

template <class KindOfMethod, infer::Described Options>
struct Method : KindOfMethod {
  using Kind = KindOfMethod;
  Options own = {};
};
struct NoOptions {
  static void describe(auto&, auto&&) {}
};

template <class M>
constexpr MethodRow<typename M::Kind> row_of(MethodRow<typename M::Kind> row) {
  using Options = decltype(M::own);
  row.options = [] { return infer::KernelOptions(Options{}); };
  row.make = [](const infer::KernelOptions& own) -> std::unique_ptr<typename M::Kind> {
    auto method = std::make_unique<M>();
    method->own = *own.as<Options>();
    return method;
  };
  return row;
}

template <class Kind>
std::vector<std::string_view> names_of(MethodTable<Kind> rows) {
  std::vector<std::string_view> names;
  for (const MethodRow<Kind>* row : rows) names.push_back(row->name);
  return names;
}

// Throws Error(usage) with the names there are.
template <class Kind>
const MethodRow<Kind>& row_named(MethodTable<Kind> rows, std::string_view name,
                                 const std::string& option) {
  const std::vector<std::string_view> names = names_of(rows);
  infer::check_choice(option, {names.begin(), names.end()}, std::string(name));
  return *rows[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
}

}  // namespace credo::filters
