#include "model/replicates/data_text.hpp"

#include "io/json_writer.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::model {
namespace {
using lang::Value;

class ValueText {
 public:
  ValueText(io::JsonWriter& json, const Value& value, std::span<const double> instead = {})
      : json_(json), value_(value), instead_(instead), dims_(lang::dims_of(value)) {
    if (dims_.count > 0) strides_ = lang::strides_of(lang::base_of(value), dims_);
  }
  void write() { level(0, 0); }

 private:
  void level(int d, Index place) {
    if (d == dims_.count) return number(place);
    json_.begin_array();
    for (Index i = 0; i < dims_[d]; ++i)
      level(d + 1, place + i * strides_[static_cast<std::size_t>(d)]);
    json_.end_array();
  }
  void number(Index place) {
    if (!instead_.empty() && (value_.is_int() || value_.is_ints()))
      json_.integer(std::llround(instead_[static_cast<std::size_t>(place)]));
    else if (!instead_.empty())
      json_.number(instead_[static_cast<std::size_t>(place)]);
    else if (value_.is_int())
      json_.integer(value_.integer());
    else if (value_.is_ints())
      json_.integer(value_.ints()->values[static_cast<std::size_t>(place)]);
    else
      json_.number(lang::scalar_of(value_, place).known);
  }

  io::JsonWriter& json_;
  const Value& value_;
  std::span<const double> instead_;
  lang::Dims dims_;
  std::array<Index, lang::Dims::kMax> strides_{};
};

void write_value(io::JsonWriter& json, const Value& value) {
  if (!value.is_tuple()) return ValueText(json, value).write();
  json.begin_object();
  for (std::size_t k = 0; k < value.tuple()->elements.size(); ++k) {
    json.key(std::to_string(k + 1));
    write_value(json, value.tuple()->elements[k]);
  }
  json.end_object();
}
}  // namespace

std::string data_text(lang::Machine& machine, const ValuesInstead& instead) {
  io::JsonWriter json;
  json.begin_object();
  const auto& globals = machine.program().globals;
  for (std::size_t slot = 0; slot < globals.size(); ++slot) {
    if (globals[slot].block != lang::typed::BlockKind::data) continue;
    json.line_break().key(globals[slot].name);
    const Value& value = machine.global(static_cast<int>(slot));
    if (const auto other = instead.find(globals[slot].name); other != instead.end())
      ValueText(json, value, other->second).write();
    else
      write_value(json, value);
  }
  return json.end_object().text() + "\n";
}

}  // namespace credo::model
