#include "results/files/adaptation_groups.hpp"

#include <fmt/ranges.h>

#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "io/number_text.hpp"

namespace credo::results {
namespace {
using infer::ChainResult;
using infer::Divergence;
using infer::RunResult;
using io::JsonValue;

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
constexpr const char* kLengths = "lengths";

// A list for each chain; shorter ones end in NaN, and the attribute says where.
void add_lists(ArrayList::Builder& group, const std::string& name, const Lists& lists) {
  std::size_t size = 0;
  for (const auto& list : lists) size = std::max(size, list.size());
  if (size == 0) return;
  std::vector<std::size_t> lengths;
  std::vector<double> values;
  for (std::vector<double> list : lists) {
    lengths.push_back(list.size());
    list.resize(size, kNaN);
    values.insert(values.end(), list.begin(), list.end());
  }
  const std::string dimension = name + "_dim_0";
  Field field{.name = name, .dims = {"chain", dimension}};
  field.file.attributes = {{kLengths, fmt::format("{}", fmt::join(lengths, " "))}};
  group.add_dimension(dimension, static_cast<Index>(size)).add(std::move(field), std::move(values));
}

Lists lists_of(const Field& field, std::span<const double> values, std::size_t num_chains) {
  const std::size_t size = num_chains == 0 ? 0 : values.size() / num_chains;
  Lists lists;
  const std::string lengths = text_of(field.file.attributes, kLengths);
  const char* next = lengths.c_str();
  for (std::size_t c = 0; c < num_chains; ++c) {
    char* end = nullptr;
    const auto length = std::min<std::size_t>(std::strtoull(next, &end, 10), size);
    next = end;
    const auto list = values.subspan(c * size, length);
    lists.emplace_back(list.begin(), list.end());
  }
  return lists;
}

constexpr std::string_view kTuned = "tuned_";

void add_lists_of(ArrayList::Builder& group, std::span<const ChainResult> chains) {
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
  add_lists(group, "inv_metric", metrics);
  add_lists(group, "initial_point", points);
  for (const auto& [name, lists] : tuned) add_lists(group, std::string(kTuned) + name, lists);
}

void take_field(const Field& field, const std::vector<double>& values,
                std::vector<ChainResult>& chains) {
  if (field.dims.size() == 1) {
    for (std::size_t c = 0; c < chains.size(); ++c) {
      if (field.name == "step_size") chains[c].step_size = values.at(c);
      for (const Count& count : kCountFields)
        if (field.name == count.name) chains[c].*count.member = io::count_said(values.at(c));
    }
    return;
  }
  const Lists lists = lists_of(field, values, chains.size());
  for (std::size_t c = 0; c < chains.size(); ++c) {
    if (field.name == "inv_metric") chains[c].inv_metric = lists[c];
    if (field.name == "initial_point") chains[c].initial_point = lists[c];
    if (field.name.starts_with(kTuned))
      chains[c].tuned.push_back({field.name.substr(kTuned.size()), lists[c]});
  }
}

// ---- words

std::string metric_name(const RunResult& result) {
  return std::string(infer::kMetricNames[static_cast<std::size_t>(result.chains[0].metric)]);
}

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

std::vector<Divergence> divergences_of(const ArrayResult& arrays) {
  const auto read = [&](const char* name) { return arrays.find("divergences", name); };
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

void add_adaptation(const Fit& fit, ArrayList& arrays) {
  const RunResult& result = fit.result();
  const std::vector<ChainResult>& chains = result.chains;
  if (chains.empty()) return;
  auto group = arrays.add_group("adaptation", {{"chain", ssize(chains)}});
  group.set("metric", metric_name(result))
      .set("free_names", json_by([&](auto& json) { json.value(fit.origin().free_names); }))
      .set("refusals", json_by([&](io::JsonWriter& json) {
             json.array(result.refusals, [&](const infer::Refusal& r) {
               json.object("reason", r.reason, "count", r.count, "kind", r.kind);
             });
           }))
      .set("warnings", json_by([&](auto& json) { json.value(result.warnings); }))
      .set("notes", json_by([&](auto& json) { write_notes(json, fit.notes()); }))
      .add_column({.name = "step_size"}, chains, &ChainResult::step_size);
  for (const Count& count : kCountFields)
    group.add_column({.name = count.name}, chains, count.member);
  add_lists_of(group, chains);
}

void add_divergences(const Fit& fit, ArrayList& arrays) {
  const std::vector<Divergence>& all = fit.result().divergences;
  if (all.empty()) return;
  auto group =
      arrays.add_group("divergences", {{"divergence", ssize(all)}, {"free", ssize(all[0].start)}});
  group.add_column({.name = "chain"}, all, &Divergence::chain)
      .add_column({.name = "iteration"}, all, &Divergence::iteration)
      .add_column({.name = "warmup"}, all, &Divergence::warmup)
      .add_column({.name = "energy_error"}, all, &Divergence::energy_error);
  for (const auto& [name, member] :
       {std::pair("start", &Divergence::start), std::pair("end", &Divergence::end)}) {
    std::vector<double> values;
    for (const Divergence& one : all)
      values.insert(values.end(), (one.*member).begin(), (one.*member).end());
    group.add({.name = name, .dims = {"divergence", "free"}}, std::move(values));
  }
}

Adaptation adaptation_of(const ArrayResult& arrays, const std::string& source) {
  Adaptation all;
  const Group* group = arrays.find_group("adaptation");
  if (group == nullptr) return all;
  const auto list = [&](const char* name) {
    const std::string text = text_of(group->attributes, name);
    return text.empty() ? JsonValue{} : io::parse_json_value(text, source);
  };
  for (const JsonValue& name : list("free_names").items) all.free_names.push_back(name.text);
  for (const JsonValue& text : list("warnings").items) all.result.warnings.push_back(text.text);
  for (const JsonValue& r : list("refusals").items)
    all.result.refusals.push_back(
        {.reason = text_member(r, "reason"), .count = count_of(r), .kind = text_member(r, "kind")});
  for (const JsonValue& note : list("notes").items)
    all.notes.push_back({text_member(note, "text"), count_of(note)});
  for (const Field& field : group->fields) {
    if (field.dims.empty()) continue;
    all.result.chains.resize(static_cast<std::size_t>(group->size_of(field.dims.front())));
    take_field(field, arrays.read(*group, field), all.result.chains);
  }
  const auto name = std::ranges::find(infer::kMetricNames, text_of(group->attributes, "metric"));
  for (ChainResult& chain : all.result.chains)
    if (name != infer::kMetricNames.end())
      chain.metric = static_cast<infer::MetricKind>(name - infer::kMetricNames.begin());
  all.result.divergences = divergences_of(arrays);
  return all;
}

}  // namespace credo::results
