// Fields from tables: features, rules, likelihoods by enumeration, weights at the mode, scores.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "models/fields/label_scores.hpp"
#include "random_field.hpp"

namespace credo::models::label_fit_test {
namespace {

struct Read {
  LabelModel model;
  LabelData data;
};

Read read(const std::string& text, LabelRequest request, LabelData* other = nullptr,
          const std::string& other_text = {}) {
  const std::map<std::string, std::string> files{{"a.csv", text}, {"b.csv", other_text}};
  const LabelTextOf text_of = [&](const std::string& path) -> const std::string& {
    return files.at(path);
  };
  LabelTable table({.files = {"a.csv"}}, text_of);
  Read made;
  made.model = make_label_model(request, table, made.data);
  if (other == nullptr) return made;
  LabelTable next({.files = {"b.csv"}}, text_of);
  UnknownFeatures unknown;
  *other = read_label_data(made.model, next, true, unknown);
  return made;
}

std::string message_of(const std::string& text, const LabelRequest& request) {
  try {
    read(text, request);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

const std::string kTable =
    "s,word,x,tag\n"
    "1,The,0.5,D\n1,dogs,1.5,N\n1,bark,-1,V\n"
    "2,A,0.1,D\n2,dog,2,N\n2,barks,-0.5,V\n2,dogs,0.25,N\n"
    "3,Bark,3,V\n";

TEST(label_features, have_the_names_and_values_of_their_terms) {
  const Read made = read(
      kTable,
      {.formula = "tag ~ lower(word) + suffix(word, 2) + prev(word) + shape(word):first() + x + 0",
       .by = "s"});
  std::map<std::string, double> row;
  for (std::size_t k = made.data.rows.first[1]; k < made.data.rows.first[2]; ++k)
    row[made.model.features.names[static_cast<std::size_t>(made.data.rows.features[k])]] =
        made.data.rows.values[k];
  const ColumnScale& scale = made.model.features.scales.at("x");
  EXPECT_NEAR(scale.mean, 5.85 / 8.0, 1e-12);
  EXPECT_EQ(row.at("lower(word)=dogs"), 1.0);
  EXPECT_EQ(row.at("suffix(word, 2)=gs"), 1.0);
  EXPECT_EQ(row.at("prev(word)=The"), 1.0);
  EXPECT_NEAR(row.at("x"), (1.5 - scale.mean) / scale.sd, 1e-12);
  EXPECT_EQ(row.size(), 4u);  // first() is 0 in the second row
  EXPECT_TRUE(made.model.features.places.contains("prev(word)=<start>"));
  EXPECT_TRUE(made.model.features.places.contains("shape(word):first()=Xx"));
  EXPECT_EQ(shape_of("McDonald-12"), "XxXx-d");
  EXPECT_EQ(suffix_of("za\xc5\x82", 2), "a\xc5\x82");
  EXPECT_EQ(prefix_of("\xc5\x82\xc4\x85ka", 2), "\xc5\x82\xc4\x85");
}

TEST(label_features, of_few_rows_are_left_out_and_counted) {
  const Read all = read(kTable, {.formula = "tag ~ word", .by = "s"}),
             few = read(kTable, {.formula = "tag ~ word", .by = "s", .min_count = 2});
  EXPECT_EQ(all.model.features.names.size(), 8u);  // seven words and the intercept
  EXPECT_EQ(few.model.features.names, (std::vector<std::string>{"(label)", "word=dogs"}));
  EXPECT_EQ(few.model.features.num_rare, 6);
}

TEST(label_tables, with_faults_are_refused_with_the_row) {
  const LabelRequest plain{.formula = "tag ~ word", .by = "s"};
  EXPECT_NE(message_of("s,word,tag\n1,a,X\n2,b,Y\n1,a,X\n", plain).find("comes back in row 3"),
            std::string::npos);
  EXPECT_NE(message_of("s,word,tag\n1,a,X\n2,b,\n2,c,Y\n", plain).find("no label in row 2"),
            std::string::npos);
  EXPECT_NE(message_of("s,word,tag\n1,a,X\n2,,Y\n", plain).find("word has no value in 1 row"),
            std::string::npos);
  EXPECT_NE(message_of("s,word,tag\n1,a,X\n2,b,X\n", plain).find("one label only"),
            std::string::npos);
  EXPECT_NE(message_of(kTable, {.formula = "tag ~ wrd", .by = "s"}).find("no column wrd"),
            std::string::npos);
  EXPECT_NE(message_of(kTable, {.formula = "tag ~ word", .by = "s", .forbidden = {"D,N"}})
                .find("row 1 has the label D and row 2 has N"),
            std::string::npos);
  LabelRequest bio{.formula = "tag ~ word", .by = "s", .is_bio = true};
  EXPECT_NE(message_of("s,word,tag\n1,a,O\n1,b,I-X\n", bio)
                .find("row 1 has the label O and row 2 has I-X"),
            std::string::npos);
  EXPECT_NE(
      message_of("s,word,tag\n1,a,I-X\n1,b,O\n", bio).find("row 1 begins a sequence with I-X"),
      std::string::npos);
  LabelRequest tree{.formula = "tag ~ word", .by = "s", .structure = "tree(h)"};
  EXPECT_NE(message_of("s,word,h,tag\n1,a,2,X\n1,b,1,Y\n", tree).find("go round in a circle"),
            std::string::npos);
  EXPECT_NE(message_of("s,word,h,tag\n1,a,0,X\n1,b,3,Y\n", tree).find("h is 3 in row 2"),
            std::string::npos);
}

// Sum of log probabilities of all sequences by enumeration.
double enumerated(const Read& made, const std::vector<double>& weights) {
  FieldLikelihood likelihood(made.model, made.data, 1);
  const std::vector<double> scores = likelihood.node_scores(weights);
  const std::vector<PairTable> pairs = pair_tables(made.model, weights);
  long double sum = 0.0L;
  for (std::size_t s = 0; s < made.data.graphs.size(); ++s) {
    const FieldGraph& graph = made.data.graphs[s];
    const FieldScores own{
        .nodes = std::span(scores).subspan(
            static_cast<std::size_t>(made.data.sequences[s].first * made.model.num_labels()),
            static_cast<std::size_t>(graph.num_scores())),
        .pairs = pairs};
    const auto labels = std::span(made.data.labels)
                            .subspan(static_cast<std::size_t>(made.data.sequences[s].first) *
                                         made.model.sets.size(),
                                     static_cast<std::size_t>(graph.num_nodes()));
    sum += static_cast<long double>(score_of(graph, own, labels)) -
           testing::enumerate(graph, own).log_z;
  }
  return static_cast<double>(sum);
}

const std::string kWide =
    "s,word,h,r,c,tag,other\n"
    "1,a,0,1,1,X,P\n1,b,1,1,2,Y,Q\n1,a,1,2,1,X,P\n1,c,3,2,2,Y,Q\n"
    "2,b,2,1,1,Y,Q\n2,b,0,1,2,X,P\n2,c,2,1,3,Z,Q\n";

struct Structure {
  const char* formula;
  const char* text;
  bool is_exact;
};
const Structure kStructures[] = {{"tag ~ word", "chain", true},
                                 {"tag + other ~ word", "fat(tag, other)", true},
                                 {"tag ~ word", "skip(word)", true},
                                 {"tag ~ word", "tree(h)", true},
                                 {"tag ~ word", "grid(r, c)", true},
                                 {"tag ~ word", "memm", false},
                                 {"tag ~ word", "dense(r, c, width = 2)", false}};

std::vector<double> some_weights(const LabelModel& model) {
  Rng rng({.seed = 3, .purpose = purpose::kTest});
  std::vector<double> weights;
  for (Index k = 0; k < model.num_weights(); ++k) weights.push_back(0.7 * rng.normal());
  return weights;
}

TEST(field_likelihood, equals_enumeration_and_its_gradient_differences) {
  for (const Structure& row : kStructures) {
    LabelRequest request{
        .formula = row.formula, .by = "s", .structure = row.text, .pairs_seen = true};
    request.num_steps = std::string_view(row.text).starts_with("dense") ? 3 : 0;
    const Read made = read(kWide, request);
    std::vector<double> weights = some_weights(made.model), gradient(weights.size());
    FieldLikelihood likelihood(made.model, made.data, 1);
    const double height = likelihood.evaluate(weights, gradient);
    if (row.is_exact) {
      EXPECT_NEAR(height, enumerated(made, weights), 1e-10) << row.text;
    }
    // Central differences with step 1e-5 of a sum of about 10: 1e-10 by the third derivative, 1e-10 by rounding.
    constexpr double kStep = 1e-5, kClose = 1e-7;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const double before = weights[d];
      weights[d] = before + kStep;
      const double up = likelihood.evaluate(weights, {});
      weights[d] = before - kStep;
      const double down = likelihood.evaluate(weights, {});
      weights[d] = before;
      EXPECT_NEAR(gradient[d], (up - down) / (2.0 * kStep), kClose) << row.text << " " << d;
    }
  }
}

std::string long_table(int sequences) {
  Rng rng({.seed = 11, .purpose = purpose::kTest});
  std::string text = "s,word,tag\n";
  for (int s = 0; s < sequences; ++s) {
    Index label = rng.index_below(3);
    for (int t = 0; t < 6; ++t) {
      const Index word = rng.uniform() < 0.6 ? label : rng.index_below(5);
      text += std::to_string(s) + ",w" + std::to_string(word) + ",L" + std::to_string(label) + "\n";
      label = rng.uniform() < 0.7 ? (label + 1) % 3 : rng.index_below(3);
    }
  }
  return text;
}

TEST(field_likelihood, has_the_same_bits_with_any_number_of_threads) {
  const Read made = read(long_table(200), {.formula = "tag ~ word + prev(word)", .by = "s"});
  const std::vector<double> weights = some_weights(made.model);
  std::vector<double> one(weights.size()), four(weights.size());
  FieldLikelihood alone(made.model, made.data, 1), together(made.model, made.data, 4);
  EXPECT_EQ(alone.evaluate(weights, one), together.evaluate(weights, four));
  EXPECT_EQ(one, four);
}

TEST(label_fit, ends_where_the_gradient_of_the_posterior_vanishes) {
  const Read made = read(long_table(60), {.formula = "tag ~ word", .by = "s"});
  const LabelFit normal =
      fit_labels(made.model, made.data, {.prior = {.scale = 2.0}, .num_threads = 1});
  EXPECT_TRUE(normal.has_converged);
  FieldLikelihood likelihood(made.model, made.data, 1);
  std::vector<double> gradient(normal.weights.size());
  likelihood.evaluate(normal.weights, gradient);
  // The search ends at 1e-8 (1 + |log posterior|), here about 3e-6.
  for (std::size_t d = 0; d < gradient.size(); ++d)
    EXPECT_NEAR(gradient[d], normal.weights[d] / 4.0, 1e-5);
  const LabelFit sparse = fit_labels(
      made.model, made.data, {.prior = {.is_laplace = true, .scale = 0.1}, .num_threads = 1});
  EXPECT_TRUE(sparse.has_converged);
  EXPECT_GT(sparse.num_zero, 3);
  EXPECT_LT(sparse.num_zero, ssize(sparse.weights));
  likelihood.evaluate(sparse.weights, gradient);
  for (std::size_t d = 0; d < gradient.size(); ++d) {
    const double w = sparse.weights[d];
    const double excess = w == 0.0 ? std::max(0.0, std::abs(gradient[d]) - 10.0)
                                   : gradient[d] - std::copysign(10.0, w);
    EXPECT_NEAR(excess, 0.0, 1e-5);
  }
}

// Data drawn from the field's own family: held-out probabilities are calibrated, and a mutant with doubled scores is not.
TEST(label_fit, has_calibrated_probabilities_on_held_out_rows) {
  const std::string all = long_table(2000);
  std::size_t half = 0;  // the first row of sequence 1000
  half = all.find("\n1000,") + 1;
  LabelData test;
  const Read made = read(all.substr(0, half), {.formula = "tag ~ word", .by = "s"}, &test,
                         "s,word,tag\n" + all.substr(half));
  LabelFit fit = fit_labels(made.model, made.data, {});
  const LabelScores scores =
      score_labels(made.model, test, predict_labels(made.model, fit, test, {}));
  // The accuracy of 6000 rows has a standard error of at most 0.0065 (rows of a sequence depend on each other: doubled).
  EXPECT_NEAR(scores.sets[0].accuracy, scores.sets[0].expected_accuracy, 4.0 * 0.013);
  EXPECT_LT(scores.sets[0].calibration_error, 0.04);
  for (double& w : fit.weights) w *= 3.0;
  const LabelScores mutant =
      score_labels(made.model, test, predict_labels(made.model, fit, test, {}));
  EXPECT_GT(mutant.sets[0].calibration_error, 0.04);
  EXPECT_LT(mutant.sets[0].log_score, scores.sets[0].log_score);
}

// With the normal approximation, probabilities are averages over weights and less extreme.
TEST(label_fit, of_the_normal_approximation_averages_over_weights) {
  const Read made = read(long_table(20), {.formula = "tag ~ word", .by = "s"});
  LabelFit fit = fit_labels(made.model, made.data,
                            {.prior = {.scale = 3.0}, .num_threads = 1, .is_laplace = true});
  const auto n = fit.weights.size();
  ASSERT_EQ(fit.covariance.size(), n * n);
  for (std::size_t d = 0; d < n; ++d)
    EXPECT_LT(fit.covariance[d * n + d], 9.0 + 1e-6);  // the prior's variance
  const LabelPredictions averaged = predict_labels(made.model, fit, made.data, {});
  fit.covariance.clear();
  const LabelPredictions plain = predict_labels(made.model, fit, made.data, {});
  EXPECT_EQ(averaged.best, plain.best);
  const double largest = *std::ranges::max_element(plain.marginals);
  EXPECT_LT(*std::ranges::max_element(averaged.marginals), largest);
  for (std::size_t row = 0; row < averaged.marginals.size(); row += 3)
    EXPECT_NEAR(averaged.marginals[row] + averaged.marginals[row + 1] + averaged.marginals[row + 2],
                1.0, 1e-10);
}

TEST(label_scores, count_chunks_whose_begin_end_and_kind_agree) {
  const std::vector<std::string> labels{"B-X", "I-X", "B-X", "O", "I-Y", "I-X"};
  EXPECT_EQ(chunks_of(labels),
            (std::vector<Chunk>{{0, 1, "X"}, {2, 2, "X"}, {4, 4, "Y"}, {5, 5, "X"}}));
  const ChunkScore score{.kind = "X", .num_right = 3, .num_predicted = 4, .num_true = 6};
  EXPECT_NEAR(score.precision(), 0.75, 1e-12);
  EXPECT_NEAR(score.recall(), 0.5, 1e-12);
  EXPECT_NEAR(score.f1(), 0.6, 1e-12);
  EXPECT_FALSE(are_chunk_labels(std::vector<std::string>{"O", "N"}));
}

// [murphy2023, sec. 19.2.1.1]: "banks" is a verb behind a pronoun and a noun behind "river"; the word behind it tells it, too.
TEST(label_fit, of_local_conditionals_shows_label_bias) {
  std::string text = "s,word,tag\n";
  for (int k = 0; k < 20; ++k) {
    const std::string s = std::to_string(k);
    text += "a" + s + ",he,P\na" + s + ",banks,V\na" + s + ",money,N\n";
    text += "b" + s + ",the,D\nb" + s + ",banks,N\nb" + s + ",flooded,V\n";
  }
  const std::string unclear = "s,word,tag\nq,hm,P\nq,banks,V\nq,money,N\n";
  std::map<std::string, double> verb;
  for (const char* structure : {"chain", "memm"}) {
    LabelData test;
    const Read made =
        read(text, {.formula = "tag ~ word", .by = "s", .structure = structure}, &test, unclear);
    const LabelFit fit = fit_labels(made.model, made.data, {.prior = {.scale = 3.0}});
    const LabelPredictions predictions = predict_labels(made.model, fit, test, {});
    const auto& names = made.model.sets[0].names;
    const auto v = static_cast<std::size_t>(std::ranges::find(names, "V") - names.begin());
    verb[structure] = predictions.marginals[names.size() + v];  // of the second row
  }
  // "money" is evidence for a verb before it, which local conditionals cannot use.
  EXPECT_GT(verb["chain"], verb["memm"] + 0.1);
}
}  // namespace
}  // namespace credo::models::label_fit_test
