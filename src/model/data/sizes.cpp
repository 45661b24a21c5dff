#include "model/data/sizes.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;

class SizeFinder {
 public:
  SizeFinder(const typed::Program& program, const io::DataTable& data)
      : program_(program), data_(data) {}

  std::vector<SuppliedSize> all() {
    for (const typed::GlobalVariable& variable : program_.globals)
      if (variable.block == typed::BlockKind::data && variable.sized_type != nullptr)
        if (const io::DataValue* value = data_.find(variable.name);
            value != nullptr && value->column != nullptr)
          look_at(variable, *value);
    for (const std::string& name : data_.names()) look_at_name(name, *data_.find(name));
    for (const auto& [name, num_levels] : data_.absent_factors()) look_at_absent(name, num_levels);
    return std::move(sizes_);
  }

 private:
  void look_at(const typed::GlobalVariable& variable, const io::DataValue& value) {
    const io::ColumnFacts& column = *value.column;
    const typed::SizedType& type = *variable.sized_type;
    if (column.lines != nullptr) {
      std::vector<const typed::Expression*> sizes;
      for (const typed::Expression& size : type.array_sizes) sizes.push_back(&size);
      for (const typed::Expression& size : type.sizes) sizes.push_back(&size);
      for (std::size_t d = 0; d < std::min(sizes.size(), value.dims.size()); ++d)
        if (const auto* wanted = missing_int(*sizes[d]))
          supply(*wanted, value.dims[d], reason_of_size(variable.name, column, d));
    }
    if (column.num_codes > 0 && type.upper != nullptr)
      if (const auto* wanted = missing_int(*type.upper))
        supply(*wanted, column.num_codes,
               column.numbers_rows ? fmt::format("the number of rows of {}", column.lines->source)
                                   : fmt::format("the number of levels of {}", variable.name));
  }

  void look_at_name(const std::string& name, const io::DataValue& value) {
    if (value.column != nullptr && !value.column->levels.empty())
      supply_named(name, value.column->num_codes);
  }
  void supply_named(const std::string& name, Index num_levels) {
    for (const typed::GlobalVariable& variable : program_.globals)
      for (const char* prefix : {"num_", "N_", "K_"})
        if (variable.name == prefix + name && is_missing_int(variable))
          supply(variable, num_levels, fmt::format("the number of levels of {}", name));
  }

  void look_at_absent(const std::string& name, Index num_levels) {
    for (const typed::GlobalVariable& variable : program_.globals)
      if (variable.name == name && variable.sized_type != nullptr &&
          variable.sized_type->upper != nullptr)
        if (const auto* wanted = missing_int(*variable.sized_type->upper))
          supply(*wanted, num_levels, fmt::format("the number of levels of {}", name));
    supply_named(name, num_levels);
  }

  static std::string reason_of_size(const std::string& name, const io::ColumnFacts& column,
                                    std::size_t d) {
    if (d > 0) return fmt::format("the number of columns of {}", name);
    if (column.numbers_rows || !column.rows.empty())
      return fmt::format("the number of values of {}", name);
    return fmt::format("the number of rows of {}", column.lines->source);
  }

  bool is_missing_int(const typed::GlobalVariable& variable) const {
    return variable.block == typed::BlockKind::data && variable.type.is(lang::BaseType::integer) &&
           data_.find(variable.name) == nullptr;
  }

  // The missing int that an expression names, if it is a bare variable.
  const typed::GlobalVariable* missing_int(const typed::Expression& e) const {
    const auto* use = std::get_if<typed::VariableUse>(&e.node);
    if (use == nullptr || use->slot.local) return nullptr;
    const auto& variable = program_.globals[static_cast<std::size_t>(use->slot.index)];
    return is_missing_int(variable) ? &variable : nullptr;
  }

  void supply(const typed::GlobalVariable& variable, Index value, const std::string& reason) {
    for (const SuppliedSize& size : sizes_) {
      if (size.name != variable.name) continue;
      if (size.value == value) return;
      throw Error(
          ErrorCode::data,
          fmt::format("{} isn't in the data, and can't be taken from them: {} is {}, {} is {}",
                      variable.name, size.reason, size.value, reason, value),
          data_.source(),
          fmt::format("give {} in a JSON file beside: --data FILE.json", variable.name));
    }
    sizes_.push_back({variable.name, value, reason});
  }

  const typed::Program& program_;
  const io::DataTable& data_;
  std::vector<SuppliedSize> sizes_;
};
}  // namespace

std::vector<SuppliedSize> supplied_sizes(const typed::Program& program, const io::DataTable& data) {
  return SizeFinder(program, data).all();
}

}  // namespace credo::model
