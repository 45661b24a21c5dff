#include "report/report.hpp"

#include <fmt/format.h>

#include <atomic>

#include "base/error.hpp"
#include "diagnose/weights.hpp"
#include "io/json_writer.hpp"
#include "numerics/radix_sort.hpp"
#include "report/arrangement.hpp"
#include "report/facts.hpp"
#include "report/kinds.hpp"
#include "report/packed.hpp"
#include "report/page.hpp"
#include "report/tasks.hpp"
#include "results/draws/summary.hpp"
#include "results/draws/weights.hpp"
#include "verdict/report.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kBatch = 16;  // quantities a task

// Contents of the page for one quantity.
struct QuantityPart {
  io::SummaryRow row;
  Quantiles quantiles;
  std::string block;  // base64
};

// A picture of the whole run, as JSON; or the reason why it is missing.
struct PicturePart {
  const PictureKind* kind;
  std::string json, refusal;
};

std::vector<Index> all_quantities(const results::Fit& fit) {
  std::vector<Index> all;
  if (const auto lp = results::find_quantity(fit, "lp__")) all.push_back(*lp);
  for (Index e = 0; e < fit.layout().size(); ++e) all.push_back(results::first_output(fit) + e);
  return all;
}

class Report {
 public:
  Report(const Material& material, const ReportOptions& options)
      : material_(material), options_(options), quantities_(options.quantities) {
    if (quantities_.empty()) quantities_ = all_quantities(fit());
    parts_ = std::vector<QuantityPart>(quantities_.size());
    for (std::size_t k = 0; k < quantities_.size(); ++k) place_of_[quantities_[k]] = k;
    sizes_ = packed_sizes(material, ssize(quantities_), options.most_values);
    log_weights_ = results::log_weights_of(fit());
    for (const PictureKind* kind : picture_kinds())
      if (kind->most_quantities == 0 && ssize(material.subjects()) >= kind->least_fits)
        pictures_.push_back({kind, {}, {}});
  }

  // Quantities first, as the verdict asks for the figures of all; what takes longest comes before the rest.
  void work(const Judge& judge) {
    report_progress("draws from the prior", 0, 0);
    knows_prior();
    std::vector<std::function<void()>> tasks;
    for (std::size_t first = 0; first < parts_.size(); first += kBatch)
      tasks.emplace_back([this, first] {
        for (std::size_t k = first; k < std::min(first + kBatch, parts_.size()); ++k)
          make(parts_[k], quantities_[k]),
              report_progress("figures of quantities", ++num_made_, ssize(parts_));
      });
    do_all(tasks);
    tasks.clear();
    tasks.emplace_back(
        [&] { verdict_ = judge([this](Index output) { return known_figures(output); }); });
    for (PicturePart& picture : pictures_) tasks.emplace_back([&] { draw(picture); });
    std::atomic<Index> num_done = 0;
    const Index total = ssize(tasks);
    report_progress("verdict and pictures", 0, total);
    for (std::function<void()>& task : tasks)
      task = [this, &num_done, total, work = std::move(task)] {
        work();
        report_progress("verdict and pictures", ++num_done, total);
      };
    do_all(tasks);
  }

  std::string html() const {
    const std::string title = options_.title.empty() ? fit().origin().model_name : options_.title;
    std::string json = json_text(title);
    std::size_t bytes = page_template().size() + json.size() +
                        parts_.size() * (parts_.empty() ? 0 : parts_[0].block.size());
    std::string page;
    page.reserve(bytes + 4096);
    for (std::string_view rest = page_template(); !rest.empty();) {
      const std::size_t at = std::min(rest.find("%REPORT_"), rest.size());
      page += rest.substr(0, at);
      rest.remove_prefix(at);
      for (const auto& [mark, add] :
           std::array<std::pair<std::string_view, std::function<void()>>, 5>{
               {{"%REPORT_TITLE%", [&] { page += escaped_html(title); }},
                {"%REPORT_VERDICT%", [&] { page += verdict_html(verdict_); }},
                {"%REPORT_ANSWERS%", [&] { page += answers_html(options_.answers); }},
                {"%REPORT_JSON%", [&] { append_json(page, json); }},
                {"%REPORT_DRAWS%", [&] {
                   for (const QuantityPart& part : parts_) page += part.block;
                 }}}})
        if (rest.starts_with(mark)) rest.remove_prefix(mark.size()), add();
    }
    return page;
  }

 private:
  const results::Fit& fit() const { return material_.fit(); }
  void report_progress(std::string_view what, Index done, Index total) const {
    if (options_.on_progress) options_.on_progress(what, done, total);
  }

  bool knows_prior() {
    try {
      material_.prior(0);
      return true;
    } catch (const Error& error) {
      const std::lock_guard lock(refusal_mutex_);
      prior_refusal_ = error.what();
      return false;
    }
  }

  static void draw(PicturePart& part, const Material& material) {
    try {
      io::JsonWriter json;
      write_json(json, part.kind->draw(material, {}));
      part.json = json.text();
    } catch (const Error& error) {
      part.refusal = error.what();
    }
  }
  void draw(PicturePart& part) { draw(part, material_); }

  void make(QuantityPart& part, Index quantity) {
    const density::Draws draws = material_.draws(quantity);
    diagnose::Chains chains = diagnose::quantity(draws, 0);
    const std::vector<std::uint32_t> order = numerics::order_of(chains.values);
    chains.order = order;
    part.row = results::row_of(material_.name(quantity),
                               log_weights_.empty()
                                   ? diagnose::summarise(chains)
                                   : diagnose::weighted_summary(chains.values, log_weights_));
    part.quantiles = quantiles_of(chains, material_.weights());
    part.block = base64(packed_block(material_, chains, quantity, sizes_, knows_prior()));
  }

  std::optional<diagnose::Convergence> known_figures(Index output) {
    const auto place = place_of_.find(results::first_output(fit()) + output);
    if (place == place_of_.end() || !log_weights_.empty()) return std::nullopt;
    const io::SummaryRow& row = parts_[place->second].row;
    return diagnose::Convergence{
        .r_hat = row.r_hat, .ess_bulk = row.ess_bulk, .ess_tail = row.ess_tail};
  }

  // A "<" only stands in strings.
  static void append_json(std::string& page, std::string_view json) {
    for (const char c : json) {
      if (c == '<')
        page += "\\u003c";
      else
        page += c;
    }
  }

  std::string json_text(const std::string& title) const;
  void write_quantities(io::JsonWriter& json) const;
  void write_layout(io::JsonWriter& json) const;
  void write_groups(io::JsonWriter& json) const;
  void write_panels(io::JsonWriter& json, std::span<const QuantityGroup> panels) const;

  const Material& material_;
  const ReportOptions& options_;
  std::vector<Index> quantities_;
  std::unordered_map<Index, std::size_t> place_of_;  // place of a quantity among them
  std::vector<double> log_weights_;
  PackedSizes sizes_;
  std::vector<QuantityPart> parts_;
  std::vector<PicturePart> pictures_;
  verdict::Verdict verdict_;
  std::atomic<Index> num_made_ = 0;
  std::mutex refusal_mutex_;
  std::string prior_refusal_;
};

// Layout of a block, and the draws that it has.
void Report::write_layout(io::JsonWriter& json) const {
  json.key("packed").begin_object().members(
      "num_bytes", sizes_.num_bytes(), "num_places", sizes_.num_places, "num_lags", sizes_.num_lags,
      "num_bins", sizes_.num_bins, "rank_unit", sizes_.rank_unit);
  json.key("kept").begin_array();
  for (const auto& chain : sizes_.kept)
    ssize(chain) == fit().num_draws(false) ? json.null() : json.value(chain);
  json.end_array().end_object();
  json.key("divergent").begin_array();  // among all draws, one chain after another
  const Series divergent = material_.statistic("divergent");
  for (std::size_t i = 0; i < divergent.size(); ++i)
    if (divergent[i] != 0.0) json.integer(static_cast<std::int64_t>(i));
  json.end_array();
}

void Report::write_quantities(io::JsonWriter& json) const {
  const auto column = [&](const char* name, auto value) {
    json.line_break().key(name).array(parts_, [&](const QuantityPart& p) { json.value(value(p)); });
  };
  json.key("quantities").begin_object();
  column("name", [](auto& p) { return p.row.name; });
  column("mean", [](auto& p) { return p.row.mean; });
  column("sd", [](auto& p) { return p.row.sd; });
  column("mcse_mean", [](auto& p) { return p.row.mcse_mean; });
  column("q5", [](auto& p) { return p.quantiles.q5; });
  column("q25", [](auto& p) { return p.quantiles.q25; });
  column("q50", [](auto& p) { return p.quantiles.q50; });
  column("q75", [](auto& p) { return p.quantiles.q75; });
  column("q95", [](auto& p) { return p.quantiles.q95; });
  column("ess_bulk", [](auto& p) { return p.row.ess_bulk; });
  column("ess_tail", [](auto& p) { return p.row.ess_tail; });
  column("r_hat", [](auto& p) { return p.row.r_hat; });
  column("mean_text", [](auto& p) { return io::text_to_precision(p.row.mean, p.row.mcse_mean); });
  column("sd_text", [](auto& p) { return io::text_to_precision(p.row.sd, p.row.mcse_sd); });
  column("q5_text", [](auto& p) { return io::text_to_precision(p.row.q5, p.row.mcse_q5); });
  column("q50_text", [](auto& p) { return io::text_to_precision(p.row.q50, p.row.mcse_q50); });
  column("q95_text", [](auto& p) { return io::text_to_precision(p.row.q95, p.row.mcse_q95); });
  json.line_break().key("block").array(quantities_, [&](Index q) {
    const Index first = results::first_output(fit());
    json.string(q < first ? "" : density::name_of(fit().layout().variable_of(q - first).block));
  });
  json.line_break().key("whole").array(quantities_,
                                       [&](Index q) { json.boolean(material_.is_whole(q)); });
  json.end_object();
}

// Indices of the panels' quantities in the page.
void Report::write_panels(io::JsonWriter& json, std::span<const QuantityGroup> panels) const {
  json.lines(panels, [&](const QuantityGroup& panel) {
    std::vector<std::size_t> places;
    for (const Index q : panel.quantities) places.push_back(place_of_.at(q));
    json.object("title", panel.title, "index", panel.index, "quantities", places, "along",
                panel.along);
  });
}

// Arrays first, each with the panels of both pictures, then all single quantities as one group with an empty name.
void Report::write_groups(io::JsonWriter& json) const {
  std::vector<QuantityGroup> single;
  std::map<std::string, std::vector<QuantityGroup>> arrays;
  std::vector<std::string> names;
  std::vector<Index> outputs;
  for (const Index q : quantities_)
    if (q >= results::first_output(fit())) outputs.push_back(q);
  for (QuantityGroup& group : groups_of(material_, outputs)) {
    const std::string name = material_.name(group.quantities.front());
    const std::string variable = name.substr(0, name.find('['));
    if (group.title.empty() && group.quantities.size() == 1) {
      single.push_back(std::move(group));
      continue;
    }
    if (arrays[variable].empty()) names.push_back(variable);
    arrays[variable].push_back(std::move(group));
  }
  json.line_break().key("groups").begin_array();
  for (const std::string& name : names) {
    json.begin_object().key("name").string(name);
    json.key("path");
    write_panels(json, arrays[name]);
    json.key("forest");
    write_panels(json, joined_by_scale(material_, std::move(arrays[name])));
    json.end_object();
  }
  if (!single.empty()) {
    json.begin_object().key("name").string("").key("path").begin_array().end_array();
    json.key("forest");
    write_panels(json, joined_by_scale(material_, std::move(single)));
    json.end_object();
  }
  json.end_array();
}

std::string Report::json_text(const std::string& title) const {
  io::JsonWriter json;
  json.begin_object().key("title").string(title).key("verdict").begin_object();
  verdict::write_json(json, verdict_);
  json.end_object();
  write_facts(json, material_, options_.command);
  write_layout(json);
  json.members("num_prior_draws", prior_refusal_.empty() ? material_.options().num_prior_draws : 0,
               "weighted", !log_weights_.empty());
  write_quantities(json);
  write_groups(json);
  json.key("refusals").begin_array();
  for (const PicturePart& part : pictures_)
    if (!part.refusal.empty())
      json.object("kind", part.kind->name, "summary", part.kind->summary, "reason", part.refusal);
  if (!prior_refusal_.empty())
    json.object("kind", "prior", "summary", "prior against posterior", "reason", prior_refusal_);
  json.end_array().end_object();
  std::string text = json.text();
  text.pop_back();  // pictures are JSON already
  text += ",\"pictures\":[";
  const char* before = "";
  for (const PicturePart& part : pictures_)
    if (!part.json.empty()) text += std::exchange(before, ",") + part.json;
  return text + "]}";
}
}  // namespace

std::string report_html(const Material& material, const Judge& judge,
                        const ReportOptions& options) {
  Report report(material, options);
  report.work(judge);
  return report.html();
}

}  // namespace credo::report
