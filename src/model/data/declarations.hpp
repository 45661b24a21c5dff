// Walks over the declarations of a block, and what a rejection there means.
#pragma once
#include "base/error.hpp"
#include "density/layout.hpp"
#include "lang/trace/machine.hpp"
#include "model/data/source.hpp"

namespace credo::model {

template <class F>
void for_each_declaration(const lang::typed::Block& block, F f) {
  for (const lang::typed::Statement& s : block.statements) {
    const auto* declaration = std::get_if<lang::typed::Declaration>(&s.node);
    if (declaration != nullptr && !declaration->slot.local) f(s, *declaration);
  }
}

// Runs work that only depends on data: if it fails and the program declares data, they don't fit it.
void with_data_alone(const ProgramSource& source, const std::function<void()>& work);

// A rejection that ends the work.
[[noreturn]] void rejected_for_good(const ProgramSource& source, const lang::Rejection& r,
                                    ErrorCode code);

// A variable in the order of storage: arrays by rows, matrices by columns.
density::Variable stored_variable(const std::string& name, lang::BaseType base,
                                  const lang::Dims& dims);
std::vector<Index> first_sizes(const lang::Dims& dims, int count);
// The variable in the order of outputs, and the places of its elements in storage: all first indices before the next second one.
density::Variable output_variable(const std::string& name, const lang::Value& value);
void add_places(const lang::Value& value, Index begin, std::vector<std::int32_t>& places);
std::vector<std::int32_t> places_of(const lang::Value& value);

}  // namespace credo::model
