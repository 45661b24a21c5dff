#include "live/live_state.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/error.hpp"
#include "io/json_writer.hpp"
#include "io/run_file.hpp"
#include "results/draws/summary.hpp"
#include "results/files/more_draws.hpp"

namespace credo::live {
namespace {
using results::Fit;

constexpr Index kMostValues = 2'000'000;  // values that are read for one update
constexpr Index kMostParameters = 400;
constexpr Index kMostShown = 400;  // draws of a trace, a chain
constexpr std::size_t kMostHistory = 600;
constexpr Index kMostDraws = 1'000'000'000;  // the limit of --draws
constexpr double kLookEvery = 1.0;           // seconds
constexpr double kRateOver = 30.0;           // seconds from which the remaining time is estimated

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Judged {
  Index index = 0;     // place among the layout's elements
  io::SummaryRow row;  // named as in reports
};

std::vector<Index> sampled_elements(const Fit& fit) {
  std::vector<Index> elements;
  const density::Layout& layout = fit.layout();
  for (Index v = 0; v < ssize(layout.variables()); ++v) {
    const density::Variable& variable = layout.variables()[static_cast<std::size_t>(v)];
    if (variable.block != density::Block::parameters) continue;
    for (Index k = 0; k < variable.size(); ++k) elements.push_back(layout.first(v) + k);
  }
  return elements;
}

Judged judged(const Fit& fit, Index element) {
  const density::Draws draws = fit.quantities(false, results::first_output(fit) + element, 1);
  const diagnose::Chains chains = diagnose::quantity(draws, 0);
  return {.index = element,
          .row = results::row_of(density::bracketed_name(fit.layout().element_name(element)),
                                 diagnose::summarise(chains))};
}

// The first parameters, as many as can be read in one update.
std::vector<Judged> judged_parameters(const Fit& fit, std::span<const Index> elements) {
  const Index each = std::max<Index>(1, fit.num_draws(false) * fit.num_chains());
  const Index most = std::clamp<Index>(kMostValues / each, 1, kMostParameters);
  std::vector<Judged> all;
  if (fit.num_draws(false) > 0)
    for (const Index element :
         elements.first(static_cast<std::size_t>(std::min(most, ssize(elements)))))
      all.push_back(judged(fit, element));
  return all;
}

const Judged* worst_of(std::span<const Judged> all) {
  const Judged* worst = nullptr;
  for (const Judged& one : all)
    if (!std::isnan(one.row.r_hat) && (worst == nullptr || one.row.r_hat > worst->row.r_hat))
      worst = &one;
  return worst;
}

double fewest_effective(std::span<const Judged> all) {
  double fewest = kInfinity;
  for (const Judged& one : all)
    fewest = std::fmin(fewest, std::fmin(one.row.ess_bulk, one.row.ess_tail));
  return std::isinf(fewest) ? kNaN : fewest;
}

void write_parameters(io::JsonWriter& json, std::span<const Judged> all) {
  json.key("parameters").array(all, [&](const Judged& one) {
    const io::SummaryRow& row = one.row;
    json.object("index", one.index, "name", row.name, "mean", io::if_finite(row.mean), "sd",
                io::if_finite(row.sd), "mean_text", io::text_to_precision(row.mean, row.mcse_mean),
                "sd_text", io::text_to_precision(row.sd, row.mcse_sd), "r_hat",
                io::if_finite(row.r_hat), "ess_bulk", io::if_finite(row.ess_bulk), "ess_tail",
                io::if_finite(row.ess_tail));
  });
}

// The last draws, every so many.
void write_trace(io::JsonWriter& json, const Fit& fit, Index element) {
  const bool warmup = fit.num_draws(false) == 0;
  const Index num_draws = fit.num_draws(warmup);
  const density::Draws draws = fit.quantities(warmup, results::first_output(fit) + element, 1);
  const auto divergent = results::find_quantity(fit, "divergent");
  const density::Draws marks = divergent ? fit.quantities(warmup, *divergent, 1) : density::Draws();
  const Index step = std::max<Index>(1, (num_draws + kMostShown - 1) / kMostShown);
  std::vector<std::vector<double>> values;
  std::vector<std::vector<Index>> diverged;
  for (Index c = 0; c < fit.num_chains(); ++c) {
    values.emplace_back(), diverged.emplace_back();
    for (Index s = 0; s < num_draws; s += step) values.back().push_back(draws(s, c, 0));
    for (Index s = 0; divergent && s < num_draws; ++s)
      if (marks(s, c, 0) > 0.0) diverged.back().push_back(s / step);
  }
  json.key("trace").object("index", element, "name",
                           density::bracketed_name(fit.layout().element_name(element)), "warmup",
                           warmup, "step", step, "values", values, "divergent", diverged);
}

struct Progress {
  std::vector<io::ChainState> chains;
  Index iterations = 0, total = 0;
  bool is_done = true;
};

Index whole_setting(const Fit& fit, const std::string& name) {
  const auto found = fit.origin().settings.find(name);
  return found == fit.origin().settings.end() ? 0 : std::atoll(found->second.c_str());
}

Progress progress_of(const std::string& path, const Fit& fit) {
  const io::RunFile file = io::RunFile::open(path);
  Progress progress;
  const Index each = whole_setting(fit, "num_warmup") + whole_setting(fit, "num_draws");
  for (Index c = 0; c < file.num_chains(); ++c) {
    progress.chains.push_back(file.state(c));
    progress.iterations += progress.chains.back().iteration;
    progress.total += each;
    progress.is_done = progress.is_done && progress.chains.back().finished;
  }
  return progress;
}

// Requested number of draws; nullopt without a valid request: the run itself reports an invalid one.
std::optional<Index> asked_now(const std::string& run_file) {
  try {
    return results::asked_draws(run_file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void write_chains(io::JsonWriter& json, const Fit& fit, const Progress& progress) {
  json.key("chains").begin_array();
  for (std::size_t c = 0; c < progress.chains.size(); ++c) {
    const io::ChainState& chain = progress.chains[c];
    const auto& results = fit.result().chains;
    const bool is_known = c < results.size();
    json.object("iteration", chain.iteration, "draws", chain.rows_of(io::kDraws), "finished",
                chain.finished, "divergent", is_known ? results[c].num_divergent : 0, "step_size",
                io::if_finite(is_known ? results[c].step_size : kNaN));
  }
  json.end_array();
}
}  // namespace

std::string LiveState::json(std::int64_t parameter) {
  if (state_ != "waiting" && now() < read_at_ + kLookEvery && parameter == parameter_) return text_;
  if (::access(run_file_.c_str(), F_OK) == 0) {
    try {
      read(parameter);
      was_there_ = true;
    } catch (const Error&) {
      // The file was removed meanwhile or is being created: the next update shows which.
    }
  } else if (was_there_ || has_ended()) {  // perhaps before anybody looked
    set_state("ended");
  }
  read_at_ = now(), parameter_ = parameter;
  return text_;
}

std::string LiveState::extend(std::int64_t num_draws) const {
  try {
    if (writer_() == 0 || state_ == "ended") return "the run isn't running";
    const std::optional<Index> asked = results::asked_draws(run_file_);
    if (num_draws > kMostDraws || (asked && num_draws < *asked))
      return fmt::format("{} is not a number of draws from {} to {}", num_draws, asked.value_or(0),
                         kMostDraws);
    results::require_can_extend(results::open_fit(std::span(&run_file_, 1))->origin(), num_draws);
    results::ask_for_draws(run_file_, num_draws);
    return {};
  } catch (const Error& error) {
    return error.message();
  }
}

bool LiveState::has_ended() {
  const bool goes_on = writer_() != 0;
  went_on_ = went_on_ || goes_on;
  return went_on_ && !goes_on;
}

// Changes the state only; the figures stay unchanged.
void LiveState::set_state(std::string_view state) {
  const std::string before = "\"state\":\"" + state_ + "\"";
  text_.replace(text_.find(before), before.size(), "\"state\":\"" + std::string(state) + "\"");
  state_ = state;
}

void LiveState::read(std::int64_t parameter) {
  const auto fit = results::open_fit(std::span(&run_file_, 1));
  const Progress progress = progress_of(run_file_, *fit);
  const std::vector<Index> elements = sampled_elements(*fit);
  const std::vector<Judged> parameters = judged_parameters(*fit, elements);
  const Judged* worst = worst_of(parameters);
  remember({.seconds = now(),
            .r_hat = worst == nullptr ? kNaN : worst->row.r_hat,
            .ess = fewest_effective(parameters),
            .iterations = progress.iterations});
  state_ = progress.is_done ? "ended" : writer_() != 0 ? "running" : "stopped";
  io::JsonWriter json;
  json.begin_object().members(
      "state", state_, "model", fit->origin().model_name, "sampler", fit->origin().sampler,
      "num_warmup", whole_setting(*fit, "num_warmup"), "num_draws",
      whole_setting(*fit, "num_draws"), "asked_draws", asked_now(run_file_), "seconds_left",
      io::if_finite(state_ == "running" ? seconds_left(progress.total) : kNaN));
  write_chains(json, *fit, progress);
  json.members("num_parameters", elements.size());
  write_parameters(json, parameters);
  json.key("history").array(history_, [&](const Seen& seen) {
    json.object("seconds", io::if_finite(seen.seconds - history_.front().seconds), "r_hat",
                io::if_finite(seen.r_hat), "ess", io::if_finite(seen.ess));
  });
  const bool is_known = std::find(elements.begin(), elements.end(), parameter) != elements.end();
  const Index shown = is_known           ? static_cast<Index>(parameter)
                      : worst != nullptr ? worst->index
                      : elements.empty() ? -1
                                         : elements.front();
  if (shown >= 0) write_trace(json, *fit, shown);
  json.end_object();
  text_ = json.text();
}

// Every other look of the older half goes where there are too many.
void LiveState::remember(Seen seen) {
  history_.push_back(seen);
  if (history_.size() < kMostHistory) return;
  std::vector<Seen> fewer;
  for (std::size_t k = 0; k < history_.size(); k += k < history_.size() / 2 ? 2 : 1)
    fewer.push_back(history_[k]);
  history_ = std::move(fewer);
}

double LiveState::seconds_left(Index total) const {
  const Seen& last = history_.back();
  const auto first = std::find_if(history_.begin(), history_.end(), [&](const Seen& seen) {
    return last.seconds - seen.seconds <= kRateOver;
  });
  const double rate =
      static_cast<double>(last.iterations - first->iterations) / (last.seconds - first->seconds);
  return rate > 0.0 ? static_cast<double>(total - last.iterations) / rate : kNaN;
}

}  // namespace credo::live
