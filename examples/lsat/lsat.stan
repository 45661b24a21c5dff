// Five questions of the Law School Admission Test: which is hard, and how much does each tell [bock1970]?
// Abilities are standard normal and integrated over by a grid, so that only the questions have parameters.
functions {
  // Of patterns of answers, each given by so many people; abilities have these weights.
  real answers_lpmf(array[,] int right, vector people, vector easiness, vector discrimination,
                    vector ability, vector log_weight) {
    real total = 0;
    for (n in 1:size(right)) {
      vector[size(ability)] log_p = log_weight;
      for (i in 1:size(easiness)) {
        vector[size(ability)] log_odds = easiness[i] + discrimination[i] * ability;
        log_p += right[n, i] == 1 ? log_inv_logit(log_odds) : log1m_inv_logit(log_odds);
      }
      total += people[n] * log_sum_exp(log_p);
    }
    return total;
  }
}
data {
  int<lower=0> N;  // patterns of answers
  int<lower=1> I;  // questions
  array[N, I] int<lower=0, upper=1> right;
  vector<lower=0>[N] people;
}
transformed data {
  int num_nodes = 41;
  vector[num_nodes] ability = linspaced_vector(num_nodes, -5, 5);
  vector[num_nodes] log_weight;
  for (k in 1:num_nodes)
    log_weight[k] = std_normal_lpdf(ability[k]);
  log_weight -= log_sum_exp(log_weight);
}
parameters {
  vector[I] easiness;  // log odds of an average person
  vector<lower=0>[I] discrimination;
}
model {
  easiness ~ normal(1, 2);
  discrimination ~ lognormal(0, 0.5);
  right ~ answers(people, easiness, discrimination, ability, log_weight);
}
generated quantities {
  // the share of people who answer each question rightly
  vector[I] share;
  for (i in 1:I)
    share[i] = exp(log_sum_exp(log_weight + log_inv_logit(easiness[i] + discrimination[i] * ability)));
}
