#include "results/files/adaptation_groups.hpp"

#include <fmt/format.h>

#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "io/number_text.hpp"

namespace credo::results {
namespace {
using infer::ChainResult;
using infer::Divergence;
using infer::RunResult;
using io::JsonValue;
using io::NetcdfFile;
using io::NetcdfReader;

// ---- numbers of chains

// A number of a chain: how it is written and read.
struct Count {
  const char* name;
  Index ChainResult::*member;
};
constexpr std::array<Count, 6> kCountFields{
    {{"num_init_tries", &ChainResult::num_init_tries},
     {"num_kept", &ChainResult::num_kept},
     {"num_divergent", &ChainResult::num_divergent},
     {"num_max_depth", &ChainResult::num_max_depth},
     {"num_evaluations", &ChainResult::num_evaluations},
     {"num_warmup_evaluations", &ChainResult::num_warmup_evaluations}}};

using Lists = std::vector<std::vector<double>>;  // one a chain

std::size_t longest(const Lists& lists) {
  std::size_t size = 0;
  for (const auto& list : lists) size = std::max(size, list.size());
  return size;
}

// A list for each chain; shorter ones end in NaN, and `lengths` says where.
void write_lists(NetcdfFile& file, NetcdfFile::Group group, const std::string& name,
                 const Lists& lists) {
  const std::size_t size = longest(lists);
  if (size == 0) return;
  const std::string dimension = name + "_dim_0";
  file.add_dimension(group, dimension, static_cast<Index>(size));
  const auto variable = file.add_variable(group, name, {.dimensions = {"chain", dimension}});
  std::vector<std::size_t> lengths;
  std::vector<double> values;
  for (std::vector<double> list : lists) {
    lengths.push_back(list.size());
    list.resize(size, kNaN);
    values.insert(values.end(), list.begin(), list.end());
  }
  file.set(variable, "lengths", fmt::format("{}", fmt::join(lengths, " ")));
  file.write(variable, values);
}

Lists read_lists(const NetcdfReader& file, const NetcdfReader::Variable& variable) {
  const std::vector<double> values = file.read(variable);
  const std::size_t num_chains = variable.sizes.at(0),
                    size = num_chains == 0 ? 0 : values.size() / num_chains;
  Lists lists;
  const std::string lengths = file.attributes(variable)["lengths"];
  const char* next = lengths.c_str();
  for (std::size_t c = 0; c < num_chains; ++c) {
    char* end = nullptr;
    const auto length = std::min<std::size_t>(std::strtoull(next, &end, 10), size);
    next = end;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(c * size);
    lists.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  return lists;
}

void write_numbers(NetcdfFile& file, NetcdfFile::Group group, std::span<const ChainResult> chains) {
  std::vector<double> values;
  for (const ChainResult& chain : chains) values.push_back(chain.step_size);
  file.write(file.add_variable(group, "step_size", {.dimensions = {"chain"}}), values);
  for (const Count& count : kCountFields) {
    values.clear();
    for (const ChainResult& chain : chains)
      values.push_back(static_cast<double>(chain.*count.member));
    file.write(file.add_variable(group, count.name,
                                 {.dimensions = {"chain"}, .kind = NetcdfFile::Kind::whole}),
               values);
  }
}

constexpr std::string_view kTuned = "tuned_";

void write_lists_of(NetcdfFile& file, NetcdfFile::Group group,
                    std::span<const ChainResult> chains) {
  Lists metrics, points;
  std::map<std::string, Lists> tuned;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    metrics.push_back(chains[c].inv_metric);
    points.push_back(chains[c].initial_point);
    for (const infer::TunedSetting& setting : chains[c].tuned) {
      Lists& lists = tuned[setting.name];
      lists.resize(chains.size());
      lists[c] = setting.values;
    }
  }
  write_lists(file, group, "inv_metric", metrics);
  write_lists(file, group, "initial_point", points);
  for (const auto& [name, lists] : tuned)
    write_lists(file, group, std::string(kTuned) + name, lists);
}

void read_variable(const NetcdfReader& file, const NetcdfReader::Variable& variable,
                   std::vector<ChainResult>& chains) {
  if (variable.dimensions.size() == 1) {
    const std::vector<double> values = file.read(variable);
    for (std::size_t c = 0; c < chains.size(); ++c) {
      if (variable.name == "step_size") chains[c].step_size = values.at(c);
      for (const Count& count : kCountFields)
        if (variable.name == count.name) chains[c].*count.member = io::count_said(values.at(c));
    }
    return;
  }
  const Lists lists = read_lists(file, variable);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    if (variable.name == "inv_metric") chains[c].inv_metric = lists.at(c);
    if (variable.name == "initial_point") chains[c].initial_point = lists.at(c);
    if (variable.name.starts_with(kTuned))
      chains[c].tuned.push_back({variable.name.substr(kTuned.size()), lists.at(c)});
  }
}

// ---- words

// The JSON that write(json) writes.
std::string json_by(const std::function<void(io::JsonWriter&)>& write) {
  io::JsonWriter json;
  write(json);
  return json.text();
}

std::string text_member(const JsonValue& object, const char* name) {
  const JsonValue* value = object.find(name);
  return value == nullptr ? std::string() : value->text;
}

Index count_of(const JsonValue& object) {
  const JsonValue* value = object.find("count");
  return value == nullptr ? 0 : io::count_said(value->number);
}

// ---- divergences

void write_divergences(NetcdfFile& file, std::span<const Divergence> all) {
  if (all.empty()) return;
  const auto group = file.add_group("divergences");
  file.add_dimension(group, "divergence", ssize(all));
  const auto write = [&](const char* name, NetcdfFile::Kind kind, auto value_of) {
    std::vector<double> values;
    for (const Divergence& one : all) values.push_back(static_cast<double>(value_of(one)));
    file.write(file.add_variable(group, name, {.dimensions = {"divergence"}, .kind = kind}),
               values);
  };
  write("chain", NetcdfFile::Kind::whole, [](const Divergence& d) { return d.chain; });
  write("iteration", NetcdfFile::Kind::whole, [](const Divergence& d) { return d.iteration; });
  write("warmup", NetcdfFile::Kind::flag, [](const Divergence& d) { return d.warmup ? 1 : 0; });
  write("energy_error", NetcdfFile::Kind::real, [](const Divergence& d) { return d.energy_error; });
  file.add_dimension(group, "free", ssize(all[0].start));
  for (const auto& [name, member] :
       {std::pair("start", &Divergence::start), std::pair("end", &Divergence::end)}) {
    std::vector<double> values;
    for (const Divergence& one : all)
      values.insert(values.end(), (one.*member).begin(), (one.*member).end());
    file.write(file.add_variable(group, name, {.dimensions = {"divergence", "free"}}), values);
  }
}

std::vector<Divergence> read_divergences(const NetcdfReader& file) {
  const auto group = file.find_group("divergences");
  if (!group) return {};
  const auto read = [&](const char* name) {
    const auto variable = file.find_variable(*group, name);
    return variable ? file.read(*variable) : std::vector<double>();
  };
  const std::vector<double> chain = read("chain"), iteration = read("iteration"),
                            warmup = read("warmup"), error = read("energy_error"),
                            start = read("start"), end = read("end");
  const std::size_t size = chain.empty() ? 0 : start.size() / chain.size();
  const auto row = [&](const std::vector<double>& values, std::size_t k) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * size);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  std::vector<Divergence> all;
  for (std::size_t k = 0; k < chain.size(); ++k)
    all.push_back({.chain = static_cast<Index>(chain[k]),
                   .iteration = static_cast<Index>(iteration.at(k)),
                   .warmup = warmup.at(k) != 0.0,
                   .start = row(start, k),
                   .end = row(end, k),
                   .energy_error = error.at(k)});
  return all;
}
}  // namespace

void write_adaptation(NetcdfFile& file, const Fit& fit) {
  const RunResult& result = fit.result();
  if (result.chains.empty()) return;
  const auto group = file.add_group("adaptation");
  const auto kind = static_cast<std::size_t>(result.chains[0].metric);
  file.set(group, "metric", std::string(infer::kMetricNames[kind]));
  file.set(group, "free_names", json_by([&](auto& json) { json.value(fit.origin().free_names); }));
  file.set(group, "refusals", json_by([&](io::JsonWriter& json) {
             json.array(result.refusals, [&](const infer::Refusal& r) {
               json.object("reason", r.reason, "count", r.count, "kind", r.kind);
             });
           }));
  file.set(group, "warnings", json_by([&](auto& json) { json.value(result.warnings); }));
  file.set(group, "notes", json_by([&](auto& json) { write_notes(json, fit.notes()); }));
  file.add_dimension(group, "chain", ssize(result.chains));
  write_numbers(file, group, result.chains);
  write_lists_of(file, group, result.chains);
  write_divergences(file, result.divergences);
}

Adaptation read_adaptation(const NetcdfReader& file) {
  Adaptation all;
  const auto group = file.find_group("adaptation");
  if (!group) return all;
  auto attributes = file.attributes(*group);
  const auto list = [&](const char* name) {
    const std::string& text = attributes[name];
    return text.empty() ? JsonValue{} : io::parse_json_value(text, file.path());
  };
  for (const JsonValue& name : list("free_names").items) all.free_names.push_back(name.text);
  for (const JsonValue& text : list("warnings").items) all.result.warnings.push_back(text.text);
  for (const JsonValue& r : list("refusals").items)
    all.result.refusals.push_back(
        {.reason = text_member(r, "reason"), .count = count_of(r), .kind = text_member(r, "kind")});
  for (const JsonValue& note : list("notes").items)
    all.notes.push_back({text_member(note, "text"), count_of(note)});
  const auto name =
      std::find(infer::kMetricNames.begin(), infer::kMetricNames.end(), attributes["metric"]);
  for (const NetcdfReader::Variable& variable : file.variables(*group)) {
    if (variable.sizes.empty()) continue;
    all.result.chains.resize(variable.sizes[0]);
    read_variable(file, variable, all.result.chains);
  }
  for (ChainResult& chain : all.result.chains)
    if (name != infer::kMetricNames.end())
      chain.metric = static_cast<infer::MetricKind>(name - infer::kMetricNames.begin());
  all.result.divergences = read_divergences(file);
  return all;
}

}  // namespace credo::results
