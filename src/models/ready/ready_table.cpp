#include "models/ready/ready_table.hpp"

#include <fmt/format.h>

#include "models/ready/ready_models.hpp"
#include "numerics/special.hpp"

namespace credo::models {
namespace {
using infer::at_least;
using infer::FieldSpec;
using infer::positive;
using Numbers = std::vector<double>;

// ---- what several models have

RowMatrix square_matrix(const Numbers& values, std::size_t n, const char* name) {
  if (values.size() != n * n)
    throw Error(ErrorCode::data,
                fmt::format("{} has {} numbers, must have {} x {}", name, values.size(), n, n),
                name, "give it row by row");
  return {static_cast<Index>(n), static_cast<Index>(n), values};
}

std::vector<Index> whole_values(const Numbers& values, const char* name) {
  std::vector<Index> whole;
  for (const double x : values) {
    if (x != std::floor(x) || std::abs(x) > 1e15)
      throw Error(ErrorCode::data, fmt::format("{} must be whole numbers, has {}", name, x), name);
    whole.push_back(static_cast<Index>(x));
  }
  return whole;
}

constexpr FieldSpec kPointsField{.name = "points", .help = "N points of D numbers, point by point"};
constexpr FieldSpec kScaleField{
    .name = "scale", .help = "scale of the inverse Wishart prior of covariances, D x D, by rows"};
constexpr FieldSpec kDofField{
    .name = "dof", .help = "its degrees of freedom, above D - 1", .range = positive()};

struct NoiseFields {
  double noise_shape = 2.0, noise_rate = 1.0;
  static void describe(auto& self, auto&& field) {
    field(self.noise_shape, FieldSpec{.name = "noise_shape",
                                      .help = "shape of the inverse gamma prior of the variance of "
                                              "the noise",
                                      .range = positive()});
    field(self.noise_rate,
          FieldSpec{.name = "noise_rate", .help = "its rate", .range = positive()});
  }
  NoisePrior prior() const { return {.shape = noise_shape, .rate = noise_rate}; }
};

// ---- mixtures

struct MixtureFields {
  Numbers points, concentrations = {1.0, 1.0}, mean = {0.0}, mean_covariance = {1.0}, scale = {1.0};
  double dof = 2.0;
  static void describe(auto& self, auto&& field) {
    field(self.points, kPointsField);
    field(
        self.concentrations,
        FieldSpec{
            .name = "concentrations",
            .help = "concentrations of the Dirichlet prior of the weights, one for each component",
            .range = positive()});
    field(self.mean,
          FieldSpec{.name = "mean", .help = "prior mean of a component's mean, D numbers"});
    field(self.mean_covariance,
          FieldSpec{.name = "mean_covariance", .help = "its prior covariance, D x D, by rows"});
    field(self.scale, kScaleField);
    field(self.dof, kDofField);
  }
};

Ready make_gaussian_mixture(const MixtureFields& own) {
  const std::size_t d = own.mean.size();
  return gaussian_mixture_model(
      own.points, {.concentrations = own.concentrations,
                   .mean = own.mean,
                   .mean_covariance = square_matrix(own.mean_covariance, d, "mean_covariance"),
                   .scale = square_matrix(own.scale, d, "scale"),
                   .dof = own.dof});
}

struct CollapsedFields {
  Numbers points, mean = {0.0}, scale = {1.0};
  double mean_weight = 0.01, dof = 2.0, concentration = 1.0;
  Index num_components = 0;
  static void describe(auto& self, auto&& field) {
    field(self.points, kPointsField);
    field(self.num_components,
          FieldSpec{.name = "num_components",
                    .help = "components of the mixture; 0: any number, a Dirichlet process",
                    .range = at_least(0)});
    field(self.concentration,
          FieldSpec{.name = "concentration",
                    .help = "concentration of the Dirichlet process, or of a Dirichlet prior with "
                            "concentration / num_components for each weight",
                    .range = positive()});
    field(self.mean,
          FieldSpec{.name = "mean", .help = "prior mean of a component's mean, D numbers"});
    field(self.mean_weight, FieldSpec{.name = "mean_weight",
                                      .help = "weight of the prior mean, in observations",
                                      .range = positive()});
    field(self.scale, kScaleField);
    field(self.dof, kDofField);
  }
};

Ready make_collapsed_mixture(const CollapsedFields& own) {
  return collapsed_mixture_model(
      own.points,
      {.mean = own.mean,
       .mean_weight = own.mean_weight,
       .scale = square_matrix(own.scale, own.mean.size(), "scale"),
       .dof = own.dof},
      own.num_components > 0
          ? PartitionPrior::dirichlet_multinomial(own.concentration, own.num_components)
          : PartitionPrior::chinese_restaurant(own.concentration));
}

struct KnownMixtureFields {
  Numbers weights, means, covariances;
  static void describe(auto& self, auto&& field) {
    field(self.weights, FieldSpec{.name = "weights",
                                  .help = "weights of the K components, which sum to 1",
                                  .range = positive()});
    field(self.means, FieldSpec{.name = "means", .help = "K means of D numbers"});
    field(self.covariances,
          FieldSpec{.name = "covariances", .help = "K covariances, D x D, by rows"});
  }
};

Ready make_known_mixture(const KnownMixtureFields& own) {
  const std::size_t k = own.weights.size(), d = k == 0 ? 0 : own.means.size() / k;
  if (k == 0 || d == 0 || own.means.size() != k * d || own.covariances.size() != k * d * d)
    throw Error(ErrorCode::data,
                fmt::format("{} weights, {} numbers in means and {} in covariances don't fit", k,
                            own.means.size(), own.covariances.size()),
                "known_mixture", "K components of D dimensions have K, K x D and K x D x D");
  GaussianMixture mixture{.weights = own.weights, .means = {}, .covariances = {}};
  for (std::size_t c = 0; c < k; ++c) {
    const auto of = [&](const Numbers& all, std::size_t size) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(c * size);
      return Numbers(first, first + static_cast<std::ptrdiff_t>(size));
    };
    mixture.means.push_back(of(own.means, d));
    mixture.covariances.push_back(square_matrix(of(own.covariances, d * d), d, "covariances"));
  }
  return known_mixture_model(std::move(mixture));
}

// ---- one normal distribution

struct PrecisionFields {
  Numbers y;
  NormalPrecisionPrior prior;
  static void describe(auto& self, auto&& field) {
    field(self.y, FieldSpec{.name = "y", .help = "observations"});
    field(self.prior.mean, FieldSpec{.name = "mean", .help = "prior mean of the mean"});
    field(self.prior.mean_precision, FieldSpec{.name = "mean_precision",
                                               .help = "its prior precision; 0: a flat prior",
                                               .range = at_least(0)});
    field(self.prior.shape, FieldSpec{.name = "shape",
                                      .help = "shape of the gamma prior of the precision; 0: the "
                                              "prior 1 / precision",
                                      .range = at_least(0)});
    field(self.prior.rate, FieldSpec{.name = "rate", .help = "its rate", .range = at_least(0)});
  }
};

Ready make_normal_precision(const PrecisionFields& own) {
  return normal_precision_model(own.y, own.prior);
}

// ---- topics

struct TopicFields {
  Numbers document, word;
  TopicOptions options;
  static void describe(auto& self, auto&& field) {
    field(self.document, FieldSpec{.name = "document",
                                   .help = "document of each token, counted from 0",
                                   .range = at_least(0)});
    field(self.word, FieldSpec{.name = "word",
                               .help = "word of each token in the vocabulary, counted from 0",
                               .range = at_least(0)});
    field(self.options.num_topics,
          FieldSpec{.name = "num_topics", .help = "number of topics", .range = at_least(1)});
    field(self.options.num_words,
          FieldSpec{.name = "num_words", .help = "size of the vocabulary", .range = at_least(1)});
    field(self.options.document_concentration,
          FieldSpec{.name = "document_concentration",
                    .help = "concentration of the Dirichlet prior of a document's topics",
                    .range = positive()});
    field(self.options.word_concentration,
          FieldSpec{.name = "word_concentration",
                    .help = "concentration of the Dirichlet prior of a topic's words",
                    .range = positive()});
  }
};

Ready make_topics(const TopicFields& own) {
  const std::vector<Index> documents = whole_values(own.document, "document"),
                           words = whole_values(own.word, "word");
  if (documents.size() != words.size())
    throw Error(ErrorCode::data,
                fmt::format("document has {} numbers, word has {}", documents.size(), words.size()),
                "topics", "each token has a document and a word");
  std::vector<Token> tokens;
  for (std::size_t t = 0; t < words.size(); ++t)
    tokens.push_back({.document = documents[t], .word = words[t]});
  return topic_model(std::move(tokens), own.options);
}

// ---- lattices

struct LatticeFields {
  Index rows = 0, cols = 0, num_values = 2;
  double coupling = 0.0;
  bool periodic = false;
  Numbers log_evidence;
  LatticeKernel kernel = LatticeKernel::clusters;
  static void describe(auto& self, auto&& field) {
    field(self.rows,
          FieldSpec{.name = "rows", .help = "rows of the lattice", .range = at_least(1)});
    field(self.cols, FieldSpec{.name = "cols", .help = "its columns", .range = at_least(1)});
    field(self.num_values, FieldSpec{.name = "num_values",
                                     .help = "values of a site: 2 for Ising's model",
                                     .range = {.lo = 2.0, .hi = 256.0}});
    field(self.coupling,
          FieldSpec{.name = "coupling", .help = "log weight of two neighbours with equal values"});
    field(self.periodic,
          FieldSpec{.name = "periodic", .help = "opposite edges of the lattice are neighbours"});
    field(self.log_evidence,
          FieldSpec{.name = "log_evidence",
                    .help = "log weight of each value at each site, rows x cols x num_values; "
                            "none: all 0"});
    field(self.kernel,
          FieldSpec{.name = "kernel",
                    .help = "moves: all clusters or one, which need a coupling of at least 0; "
                            "or single sites, by a checkerboard or one after the other"});
  }
};

Ready make_lattice(const LatticeFields& own) {
  Lattice lattice = Lattice::potts({.rows = own.rows,
                                    .cols = own.cols,
                                    .num_values = own.num_values,
                                    .coupling = own.coupling,
                                    .periodic = own.periodic});
  if (!own.log_evidence.empty()) lattice = lattice.with_evidence(own.log_evidence);
  return lattice_model(lattice, own.kernel);
}

// ---- hidden Markov models

struct HiddenMarkovFields {
  Numbers symbols;
  HiddenMarkovPrior prior;
  static void describe(auto& self, auto&& field) {
    field(self.symbols, FieldSpec{.name = "symbols",
                                  .help = "observed symbols in their order, counted from 0",
                                  .range = at_least(0)});
    field(self.prior.num_states,
          FieldSpec{.name = "num_states", .help = "hidden states", .range = at_least(1)});
    field(self.prior.num_symbols,
          FieldSpec{.name = "num_symbols", .help = "symbols that there are", .range = at_least(1)});
    field(self.prior.initial,
          FieldSpec{.name = "initial",
                    .help = "concentration of the Dirichlet prior of the first state",
                    .range = positive()});
    field(self.prior.transition,
          FieldSpec{
              .name = "transition",
              .help = "concentration of the Dirichlet prior of each row of the transition matrix",
              .range = positive()});
    field(self.prior.emission,
          FieldSpec{.name = "emission",
                    .help = "concentration of the Dirichlet prior of each state's symbols",
                    .range = positive()});
  }
};

Ready make_hidden_markov(const HiddenMarkovFields& own) {
  return hidden_markov_model(whole_values(own.symbols, "symbols"), own.prior);
}

// ---- regressions

struct SelectionFields {
  Numbers y, candidates, fixed, log_prior_of_number;
  double fixed_scale = 3.0, candidate_scale = 3.0;
  NoiseFields noise;
  static void describe(auto& self, auto&& field) {
    field(self.y, FieldSpec{.name = "y", .help = "N outcomes"});
    field(self.candidates,
          FieldSpec{.name = "candidates", .help = "N x C predictors, observation by observation"});
    field(self.fixed, FieldSpec{.name = "fixed",
                                .help = "N x F predictors that are always in the regression; "
                                        "none: an intercept"});
    field(self.fixed_scale,
          FieldSpec{.name = "fixed_scale",
                    .help = "prior standard deviation of their coefficients, in units of the noise",
                    .range = positive()});
    field(self.candidate_scale,
          FieldSpec{
              .name = "candidate_scale",
              .help =
                  "prior standard deviation of the candidates' coefficients, in units of the noise",
              .range = positive()});
    field(self.log_prior_of_number,
          FieldSpec{.name = "log_prior_of_number",
                    .help = "log weight of 0, 1, ..., C predictors; none: all sets alike"});
    NoiseFields::describe(self.noise, field);
  }
};

Ready make_selection(const SelectionFields& own) {
  if (own.y.empty()) throw Error(ErrorCode::data, "there is no observation", "y");
  InclusionProblem problem{.fixed = own.fixed.empty() ? Numbers(own.y.size(), 1.0) : own.fixed,
                           .candidates = own.candidates,
                           .y = own.y,
                           .fixed_scale = own.fixed_scale,
                           .candidate_scale = own.candidate_scale,
                           .noise = own.noise.prior(),
                           .log_prior_of_number = own.log_prior_of_number};
  const Index num_candidates = ssize(own.candidates) / ssize(own.y);
  // A set of k of C has the weight p(k) / binomial(C, k).
  for (Index k = 0; own.log_prior_of_number.empty() && k <= num_candidates; ++k)
    problem.log_prior_of_number.push_back(
        numerics::lchoose(static_cast<double>(num_candidates), static_cast<double>(k)));
  return inclusion_model(problem);
}

struct RadialBasisFields {
  RbfProblem problem;
  NoiseFields noise;
  Numbers at;
  static void describe(auto& self, auto&& field) {
    field(self.problem.x, FieldSpec{.name = "x", .help = "N points of d inputs, point by point"});
    field(self.problem.y, FieldSpec{.name = "y", .help = "N outcomes"});
    field(self.at,
          FieldSpec{.name = "at", .help = "points of d inputs at which the mean of y is reported"});
    field(self.problem.num_inputs,
          FieldSpec{.name = "num_inputs",
                    .help = "d",
                    .range = {.lo = 1.0, .hi = static_cast<double>(kMostInputs)}});
    field(self.problem.width, FieldSpec{.name = "width",
                                        .help = "standard deviation of a basis function",
                                        .range = positive()});
    field(self.problem.max_centres,
          FieldSpec{.name = "max_centres", .help = "centres at most", .range = at_least(0)});
    field(self.problem.expected_centres,
          FieldSpec{.name = "expected_centres",
                    .help = "rate of the Poisson prior of their number",
                    .range = positive()});
    field(self.problem.centre_mean,
          FieldSpec{.name = "centre_mean", .help = "prior mean of a coordinate of a centre"});
    field(self.problem.centre_sd,
          FieldSpec{
              .name = "centre_sd", .help = "its prior standard deviation", .range = positive()});
    field(self.problem.bump_scale,
          FieldSpec{.name = "bump_scale",
                    .help = "prior standard deviation of a basis function's coefficient, in units "
                            "of the noise",
                    .range = positive()});
    field(
        self.problem.line_scale,
        FieldSpec{.name = "line_scale",
                  .help = "prior standard deviation of intercept and slopes, in units of the noise",
                  .range = positive()});
    NoiseFields::describe(self.noise, field);
  }
};

Ready make_radial_basis(const RadialBasisFields& own) {
  RbfProblem problem = own.problem;
  problem.noise = own.noise.prior();
  return radial_basis_model(problem, own.at);
}

// ---- a stochastic differential equation

struct TankFields {
  TankData data{.scheme = TankScheme::log_euler};
  Numbers observed_at;
  static void describe(auto& self, auto&& field) {
    field(self.data.rain, FieldSpec{.name = "rain", .help = "inflow during each of N steps"});
    field(self.observed_at, FieldSpec{.name = "observed_at",
                                      .help = "steps of the observations, increasing, from 0 to N",
                                      .range = at_least(0)});
    field(self.data.observed,
          FieldSpec{.name = "observed", .help = "observed contents, with normal noise"});
    field(self.data.time_step,
          FieldSpec{.name = "time_step", .help = "length of a step", .range = positive()});
    describe_prior(self.data.initial, field, kInitial);
    describe_prior(self.data.prior[0], field, kRate);
    describe_prior(self.data.prior[1], field, kNoise);
    describe_prior(self.data.prior[2], field, kNoiseSd);
  }

 private:
  using Names = std::array<std::array<std::string_view, 2>, 2>;  // name and help, of mean and sd
  static constexpr Names kInitial{
      {{"initial_log_mean", "prior mean of the log of the first content"},
       {"initial_log_sd", "its standard deviation"}}},
      kRate{{{"rate_log_mean", "prior mean of the log of the rate of the outflow"},
             {"rate_log_sd", "its standard deviation"}}},
      kNoise{{{"noise_log_mean", "prior mean of the log of the noise of the outflow"},
              {"noise_log_sd", "its standard deviation"}}},
      kNoiseSd{{{"noise_sd_log_mean", "prior mean of the log of the noise of observations"},
                {"noise_sd_log_sd", "its standard deviation"}}};
  static void describe_prior(auto& prior, auto&& field, const Names& names) {
    field(prior.log_mean, FieldSpec{.name = names[0][0], .help = names[0][1]});
    field(prior.log_sd, FieldSpec{.name = names[1][0], .help = names[1][1], .range = positive()});
  }
};

Ready make_tank(const TankFields& own) {
  TankData data = own.data;
  data.observed_at = whole_values(own.observed_at, "observed_at");
  return tank_model(data);
}

struct TankPathFields {
  TankPaths paths;
  static void describe(auto& self, auto&& field) {
    field(self.paths.rain,
          FieldSpec{.name = "rain", .help = "inflow during each of N steps", .range = at_least(0)});
    field(self.paths.parameters.rate,
          FieldSpec{.name = "rate", .help = "mean rate of the outflow", .range = positive()});
    field(self.paths.parameters.noise,
          FieldSpec{.name = "noise", .help = "noise of that rate", .range = positive()});
    field(self.paths.time_step,
          FieldSpec{.name = "time_step", .help = "length of a step", .range = positive()});
    field(self.paths.start,
          FieldSpec{.name = "start", .help = "content at the start", .range = positive()});
  }
};

Ready make_tank_path(const TankPathFields& own) { return tank_path_model(own.paths); }

// ---- the table

template <class Fields, Ready (*make)(const Fields&)>
ReadyRow ready_row(std::string_view name, std::string_view summary, std::string_view reference,
                   std::vector<std::string_view> required) {
  return {.name = name,
          .summary = summary,
          .reference = reference,
          .required = std::move(required),
          .fields = [] { return infer::KernelOptions(Fields{}); },
          .make = [](const infer::KernelOptions& fields) { return make(*fields.as<Fields>()); }};
}
}  // namespace

std::span<const ReadyRow> ready_table() {
  static const std::array kRows{
      ready_row<CollapsedFields, make_collapsed_mixture>(
          "collapsed_mixture",
          "clusters of points by a mixture of normals whose parameters are integrated out; of any "
          "number by a Dirichlet process",
          "neal2000", {"points"}),
      ready_row<MixtureFields, make_gaussian_mixture>(
          "gaussian_mixture", "a mixture of normals with its weights, means and covariances",
          "murphy2023", {"points"}),
      ready_row<HiddenMarkovFields, make_hidden_markov>(
          "hidden_markov", "hidden states behind a sequence of symbols", "murphy2023", {"symbols"}),
      ready_row<KnownMixtureFields, make_known_mixture>(
          "known_mixture",
          "a mixture of normals with known parameters itself: a point and its component in turn",
          "murphy2023", {"weights", "means", "covariances"}),
      ready_row<LatticeFields, make_lattice>("lattice", "Ising and Potts models of a lattice",
                                             "swendsen1987", {"rows", "cols"}),
      ready_row<PrecisionFields, make_normal_precision>(
          "normal_precision", "mean and precision of normal data", "murphy2023", {"y"}),
      ready_row<RadialBasisFields, make_radial_basis>(
          "radial_basis", "regression on basis functions whose number isn't known", "andrieu2001",
          {"x", "y"}),
      ready_row<SelectionFields, make_selection>("selection",
                                                 "which predictors belong to a linear regression",
                                                 "gelman2013", {"y", "candidates"}),
      ready_row<TankFields, make_tank>(
          "tank", "path and parameters of a stochastic differential equation, a tank under rain",
          "albert2016", {"rain", "observed_at", "observed"}),
      ready_row<TankPathFields, make_tank_path>(
          "tank_path",
          "paths of that equation with known parameters, and how they compare with its stationary "
          "distribution",
          "maruyama1955", {"rain"}),
      ready_row<TopicFields, make_topics>("topics", "topics of the words of documents",
                                          "griffiths2004", {"document", "word"})};
  return kRows;
}

const ReadyRow* find_ready(std::string_view name) {
  const auto rows = ready_table();
  const auto row = std::ranges::find(rows, name, &ReadyRow::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace credo::models
