#include "model/data/declarations.hpp"

#include "base/stop.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::model {

void with_data_alone(const ProgramSource& source, const std::function<void()>& work) {
  const bool has_data = !source.program.data.statements.empty();
  constexpr const char* kHint =
      "this is computed from the data alone: check the values in their file";
  try {
    work();
  } catch (const lang::Rejection& r) {
    throw Error(has_data ? ErrorCode::data : ErrorCode::evaluation,
                lang::message(r.failure, r.value), source.where(r.failure.statement),
                has_data ? kHint : "");
  } catch (const lang::OutOfLimit&) {
    throw;  // with any data
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation || !has_data) throw;
    throw Error(ErrorCode::data, error.message(), error.where(),
                error.hint().empty() ? kHint : error.hint());
  }
}

void rejected_for_good(const ProgramSource& source, const lang::Rejection& r, ErrorCode code) {
  throw Error(code, lang::message(r.failure, r.value), source.where(r.failure.statement));
}

std::vector<Index> first_sizes(const lang::Dims& dims, int count) {
  std::vector<Index> sizes;
  for (int d = 0; d < count; ++d) sizes.push_back(dims[d]);
  return sizes;
}

density::Variable stored_variable(const std::string& name, lang::BaseType base,
                                  const lang::Dims& dims) {
  return {.name = name,
          .dims = first_sizes(dims, dims.count),
          .kind = base == lang::BaseType::integer ? density::Kind::whole : density::Kind::real,
          .block = density::Block::parameters,
          .num_outer = dims.count - lang::inner_dims(base)};
}

density::Variable output_variable(const std::string& name, const lang::Value& value) {
  density::Variable variable = stored_variable(name, lang::base_of(value), lang::dims_of(value));
  variable.block = density::Block::unknown;
  variable.num_outer = 0;
  return variable;
}

void add_places(const lang::Value& value, Index begin, std::vector<std::int32_t>& places) {
  const lang::Dims dims = lang::dims_of(value);
  if (dims.count == 0) return places.push_back(static_cast<std::int32_t>(begin));
  const auto strides = lang::strides_of(lang::base_of(value), dims);
  for (Index element = 0; element < dims.total(); ++element) {
    stop_if_asked();
    Index rest = element, place = begin;
    for (int d = 0; d < dims.count; ++d) {
      place += rest % dims[d] * strides[static_cast<std::size_t>(d)];
      rest /= dims[d];
    }
    places.push_back(static_cast<std::int32_t>(place));
  }
}

std::vector<std::int32_t> places_of(const lang::Value& value) {
  std::vector<std::int32_t> places;
  add_places(value, 0, places);
  return places;
}

}  // namespace credo::model
