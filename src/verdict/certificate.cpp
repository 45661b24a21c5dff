#include "verdict/certificate.hpp"

#include "diagnose/weights.hpp"
#include "infer/evidence/points.hpp"
#include "infer/evidence/unseen_modes.hpp"
#include "verdict/case.hpp"
#include "verdict/probe.hpp"
#include "verdict/stream.hpp"

namespace credo::verdict {
namespace {
constexpr double kSmallMode = 0.02;
constexpr Index kFewestDriftPoints = 32;

// A mode that climbs from the prior find, with more than 2 % of the mass.
void search_mode(Certificate& certificate, const Case& at_hand,
                 const std::vector<double>& log_weights) {
  const Probe* probe = at_hand.probe();
  density::Draws points(probe->num_points(), 1, probe->dimension());
  for (Index m = 0; m < probe->num_points(); ++m) points.set(m, 0, probe->point(m));
  const infer::LogEvidence evidence = infer::log_mean(log_weights, ssize(log_weights), 1);
  const auto search =
      infer::search_unseen_modes(*at_hand.evidence.model, points, evidence, {.seed = 1});
  certificate.unseen_share = 0.0;
  if (!search.unseen || !(search.lacking_share > kSmallMode)) return;
  certificate.unseen_share = search.lacking_share;
  certificate.share_of_draws_there = search.unseen->share;
}

// Elements of the parameters that are real numbers.
std::vector<Index> real_parameters(const density::Model& model) {
  const density::Layout& outputs = model.outputs();
  std::vector<Index> elements;
  for (Index v = 0; v < ssize(outputs.variables()); ++v) {
    const density::Variable& variable = outputs.variables()[static_cast<std::size_t>(v)];
    if (variable.block != density::Block::parameters || variable.kind != density::Kind::real)
      continue;
    for (Index k = 0; k < variable.size(); ++k) elements.push_back(outputs.first(v) + k);
  }
  return elements;
}

// Such elements at points; no rows where the program refuses a point.
infer::OutputsOfPoints outputs_at(const density::Model& model, std::vector<Index> elements) {
  return [&model, elements = std::move(elements)](std::span<const std::vector<double>> points) {
    std::vector<std::vector<double>> rows;
    std::vector<density::DrawRequest> requests;
    const Rng rng({.seed = 1, .purpose = kVerdictStream, .chain = 0, .iteration = 1});
    for (const std::vector<double>& point : points)
      requests.push_back({.point = point, .rng = rng});
    try {
      model.writers()
          .require(model.name())
          .make_writer(
              {.last = density::Block::parameters, .density_prints = false, .columns = elements})
          ->write(requests);
    } catch (
        const Error&) {  // constraints that points far from the draws break in their last digits
      return rows;
    }
    for (density::DrawRequest& request : requests) rows.push_back(std::move(request.row));
    return rows;
  };
}

void measure_reach(Certificate& certificate, const Case& at_hand,
                   std::span<const std::vector<double>> points, Index num_draws) {
  const density::Model& model = *at_hand.evidence.model;
  const std::vector<Index> elements = real_parameters(model);
  certificate.unreached =
      infer::unreached_mass(model, points, num_draws, outputs_at(model, elements));
  if (certificate.unreached && certificate.unreached->output >= 0)
    certificate.far_output = model.outputs().element_name(
        elements[static_cast<std::size_t>(certificate.unreached->output)]);
}

struct PlainMoments {
  double mean = 0.0, sd = 0.0;
};
PlainMoments moments_of(std::span<const double> values) {
  const double count = static_cast<double>(values.size());
  PlainMoments moments;
  for (const double v : values) moments.mean += v / count;
  for (const double v : values) moments.sd += (v - moments.mean) * (v - moments.mean) / count;
  moments.sd = std::sqrt(moments.sd);
  return moments;
}

// True if a coordinate has one value, as points of an approximation have. Transitions of the posterior would move it.
bool has_held_coordinate(std::span<const std::vector<double>> points) {
  for (std::size_t d = 0; d < points.front().size(); ++d)
    if (std::ranges::all_of(points, [&](const auto& x) { return x[d] == points.front()[d]; }))
      return true;
  return false;
}

void measure_drift(Certificate& certificate, const Case& at_hand,
                   std::span<const std::vector<double>> points) {
  if (ssize(points) < kFewestDriftPoints || has_held_coordinate(points)) return;
  certificate.drift = infer::clearest_drift(*at_hand.evidence.model, points);
  certificate.drifting =
      at_hand.probe()
          ->names()[static_cast<std::size_t>(std::max<Index>(0, certificate.drift->coordinate))];
}
void take_correction(Certificate& certificate, const Column& column, std::span<const double> values,
                     std::span<const double> log_weights) {
  const diagnose::Summary with = diagnose::weighted_summary(values, log_weights);
  const PlainMoments plain = moments_of(values);
  const double shift = std::fabs(with.mean - plain.mean) / with.sd,
               stretch = std::fabs(std::log(with.sd / plain.sd));
  if (shift > certificate.mean_correction)
    certificate.mean_correction = shift, certificate.corrected_mean = column.name;
  if (stretch > certificate.sd_correction)
    certificate.sd_correction = stretch, certificate.corrected_sd = column.name;
}

// How far the weights move the means of the sampled outputs, in standard deviations, and the logs of these.
void measure_correction(Certificate& certificate, const Case& at_hand,
                        std::span<const double> log_weights) {
  constexpr Index kTogether = 128;
  const Index count = ssize(at_hand.columns);
  for (Index first = 0; first < count; first += kTogether) {
    const Index together = std::min(kTogether, count - first);
    const density::Draws drawn = at_hand.evidence.draws->read_unweighted(first, together);
    for (Index k = 0; k < together; ++k) {
      const Column& column = at_hand.columns[static_cast<std::size_t>(first + k)];
      if (column.sampled && !column.constant)
        take_correction(certificate, column, drawn.quantity(k), log_weights);
    }
  }
}
}  // namespace

Certificate make_certificate(const Case& at_hand) {
  const std::vector<double> log_weights = at_hand.evidence.draws->log_weights();
  Certificate certificate{.weights = infer::weight_figures(log_weights)};
  measure_correction(certificate, at_hand, log_weights);
  certificate.is_checked = at_hand.evidence.model != nullptr && at_hand.probe() != nullptr;
  const bool is_poor = certificate.weights.grade == infer::Grade::poor;
  if (!certificate.is_checked || (is_poor && !certificate.may_be_cleared())) return certificate;
  std::vector<std::vector<double>> points;
  for (Index m = 0; m < at_hand.probe()->num_points(); ++m)
    points.push_back(at_hand.probe()->point(m));
  try {
    measure_reach(certificate, at_hand, points, ssize(log_weights));
  } catch (const Error&) {  // points far from the draws may be refused
    certificate.unreached.reset();
  }
  try {
    search_mode(certificate, at_hand, log_weights);
    if (certificate.grade() != infer::Grade::poor) measure_drift(certificate, at_hand, points);
  } catch (const Error&) {  // points far from the draws may be refused
    certificate.is_checked = false;
  }
  return certificate;
}

}  // namespace credo::verdict
