#include "cli/score/protocol.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/stop.hpp"
#include "cli/load.hpp"
#include "cli/term/terminal.hpp"
#include "infer/variational/approximation.hpp"
#include "io/file.hpp"
#include "model/model.hpp"
#include "numerics/log_sum.hpp"
#include "results/draws/fit_points.hpp"
#include "results/draws/quiet_run.hpp"
#include "results/files/earlier_result.hpp"
#include "score/csv_columns.hpp"

namespace credo::cli {
namespace {
struct ProtocolLine {
  std::string data, path, where;
  bool is_learned = false;
};

std::vector<ProtocolLine> lines_of(const std::string& path) {
  const score::CsvColumns table(io::read_file(path), path);
  const auto column = [&](const char* name) {
    const auto found = table.find(name);
    if (!found)
      throw Error(ErrorCode::data, fmt::format("the protocol has no column '{}'", name), path,
                  "write the columns train (1: learned, 0: predicted) and data (files)");
    return *found;
  };
  const Index mode = column("train"), data = column("data");
  std::vector<ProtocolLine> lines;
  for (Index k = 0; k < table.num_rows(); ++k) {
    const std::string& bit = table.cell(k, mode);
    if (bit != "0" && bit != "1")
      throw Error(ErrorCode::data, fmt::format("must be 0 or 1, is '{}'", bit),
                  table.place(k, mode), "1: the data are learned, 0: they are predicted");
    const std::filesystem::path named(table.cell(k, data));
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    lines.push_back({.data = named.string(),
                     .path = (named.is_absolute() ? named : folder / named).string(),
                     .where = table.place(k, data),
                     .is_learned = bit == "1"});
    const ProtocolLine& last = lines.back();
    const bool is_seen = std::any_of(lines.begin(), lines.end() - 1, [&](const ProtocolLine& line) {
      return line.is_learned && line.path == last.path;
    });
    if (last.is_learned && is_seen)
      throw Error(ErrorCode::data, fmt::format("{} is learned twice", last.data), last.where,
                  "data count once: take the line out, or set its train to 0");
  }
  return lines;
}

class ProtocolRun {
 public:
  ProtocolRun(const ProtocolQuestion& question, Output& output, bool json)
      : question_(question), output_(output), json_(json) {
    options_ = {.sampler = question.method,
                .num_chains = 1,
                .num_warmup = 0,
                .num_draws = question.num_draws,
                .seed = question.seed};
    if (!infer::is_approximation(question.method))
      throw Error(ErrorCode::usage, fmt::format("{} is no approximation", question.method),
                  "--method", "credo approximate --help lists those there are");
    options_.kernel = infer::find_sampler(question.method).options();
    for (const std::string& text : question.settings) {
      const std::size_t equals = std::min(text.find('='), text.size());
      if (equals == text.size())
        throw Error(ErrorCode::usage, fmt::format("'{}' has no value", text), "--method-option",
                    "write NAME=VALUE, as covariance=diagonal");
      infer::set_option(options_, text.substr(0, equals), text.substr(equals + 1));
    }
  }

  ProtocolStep step(const ProtocolLine& line) {
    ProtocolStep done{.data = line.data, .is_learned = line.is_learned};
    if (!line.is_learned && belief_ == nullptr)
      throw Error(ErrorCode::data, "data are predicted before any are learned", line.where,
                  "begin with a line whose train is 1");
    if (belief_ != nullptr) score(line, done);
    if (line.is_learned) learn(line, done);
    return done;
  }

 private:
  // The program with the line's data, after all that was learned if it is to be learned.
  std::unique_ptr<model::Model> model_of(const ProtocolLine& line, bool is_after) {
    ModelArguments arguments;
    arguments.model = question_.program;
    arguments.reading.files = {line.path};
    arguments.seed = question_.seed;
    arguments.is_noted = false;
    if (is_after) {
      arguments.after = kBelief;
      arguments.equal_data = true;  // the protocol may repeat data, and says so
      arguments.files.add(kBelief, results::to_json(*belief_));
    }
    return load_model(arguments, output_, json_);
  }
  void learn(const ProtocolLine& line, ProtocolStep& done) {
    const auto model = model_of(line, belief_ != nullptr);
    const results::QuietRun run(*model, options_);
    const results::FitPoints points(run.fit(), *model);
    points_ = points.read(0, 0, run.fit().num_draws(false));
    belief_ = std::make_unique<density::EarlierPosterior>(results::earlier_of(
        run.fit().result(), {.names = model->free_names(), .source = line.path}, *model));
    done.num_rows = model->num_rows();
  }
  // By draws of the belief: the log of the mean likelihood of each row.
  void score(const ProtocolLine& line, ProtocolStep& done) {
    const auto model = model_of(line, false);
    const Index num_rows = model->num_rows();
    if (model->free_names() != belief_->names)
      throw Error(ErrorCode::data, "the program has other parameters with these data", line.where,
                  "a protocol is one of data whose parameters have the same sizes");
    const auto evaluator = model->make_evaluator();
    std::vector<std::vector<double>> by_row(static_cast<std::size_t>(num_rows));
    std::vector<double> rows(static_cast<std::size_t>(num_rows));
    for (const std::vector<double>& point : points_) {
      stop_if_asked();
      density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = rows};
      density::Request* batch[] = {&request};
      evaluator->evaluate(density::Want::pointwise, batch);
      for (std::size_t n = 0; n < rows.size(); ++n)
        by_row[n].push_back(request.status.ok() ? rows[n] : -kInfinity);
    }
    std::vector<double> scores;
    for (const std::vector<double>& one : by_row)
      scores.push_back(numerics::log_sum_exp(one) - std::log(static_cast<double>(one.size())));
    done.num_rows = num_rows;
    const double count = static_cast<double>(num_rows);
    done.log_score = std::accumulate(scores.begin(), scores.end(), 0.0) / count;
    double squares = 0.0;
    for (const double s : scores) squares += (s - done.log_score) * (s - done.log_score);
    done.error = num_rows > 1 ? std::sqrt(squares / (count - 1.0) / count) : kNaN;
  }

  static constexpr const char* kBelief = "the belief before";
  const ProtocolQuestion& question_;
  Output& output_;
  bool json_;
  infer::SampleOptions options_;
  std::unique_ptr<density::EarlierPosterior> belief_;
  std::vector<std::vector<double>> points_;  // draws of the belief
};

std::vector<ProtocolLoss> losses_of(std::span<const ProtocolStep> steps) {
  std::vector<ProtocolLoss> losses;
  for (const ProtocolStep& step : steps) {
    if (step.is_learned) continue;
    auto known = std::ranges::find(losses, step.data, &ProtocolLoss::data);
    if (known == losses.end()) {
      losses.push_back({step.data, step.log_score, step.log_score, step.log_score, 0.0});
      continue;
    }
    known->best = std::max(known->best, step.log_score);
    known->last = step.log_score;
    known->forgotten = known->best - known->last;
  }
  return losses;
}
}  // namespace

ProtocolScores score_by_protocol(const ProtocolQuestion& question, Output& output, bool json) {
  ProtocolRun run(question, output, json);
  ProtocolScores scores;
  for (const ProtocolLine& line : lines_of(question.protocol))
    scores.steps.push_back(run.step(line));
  scores.losses = losses_of(scores.steps);
  return scores;
}

results::ArrayList arrays_of(const ProtocolScores& scores, const ProtocolQuestion& question) {
  results::ArrayList answer("score");
  answer.set("source", question.protocol);
  answer.set("program", question.program);
  answer.set("method", question.method);
  auto add = answer.add_rows("steps", scores.steps).columns(scores.steps);
  add("data", &ProtocolStep::data), add("is_learned", &ProtocolStep::is_learned);
  add("num_rows", &ProtocolStep::num_rows);
  add("log_score", &ProtocolStep::log_score, "mean by row, before the data are learned");
  add("log_score_error", &ProtocolStep::error);
  auto lost = answer.add_rows("predicted", scores.losses).columns(scores.losses);
  lost("data", &ProtocolLoss::data), lost("first", &ProtocolLoss::first);
  lost("best", &ProtocolLoss::best), lost("last", &ProtocolLoss::last);
  lost("forgotten", &ProtocolLoss::forgotten, "best less last");
  return answer;
}

std::string text_of(const ProtocolScores& scores) {
  const auto number = [](double value) {
    return std::isnan(value) ? std::string("-") : fmt::format("{:.4f}", value);
  };
  std::vector<std::vector<std::string>> rows{{"step", "data", "", "rows", "log score", "error"}};
  for (const ProtocolStep& step : scores.steps)
    rows.push_back({fmt::format("{}", rows.size()), step.data,
                    step.is_learned ? "learned" : "predicted", fmt::format("{}", step.num_rows),
                    number(step.log_score), number(step.error)});
  std::string text = text_columns(rows);
  std::vector<std::vector<std::string>> lost{{"predicted", "first", "best", "last", "forgotten"}};
  for (const ProtocolLoss& loss : scores.losses)
    lost.push_back({loss.data, number(loss.first), number(loss.best), number(loss.last),
                    number(loss.forgotten)});
  if (lost.size() > 1) text += "\n" + text_columns(lost);
  return text +
         "\nlog score: mean by row of the log predictive density, before the data are "
         "learned\n";
}

}  // namespace credo::cli
