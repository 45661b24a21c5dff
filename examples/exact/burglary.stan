// Pearl's burglar alarm: who rang, and what it says of the house. The tables are those of Russell & Norvig (2020), ch. 13.
parameters {
  int<lower=0, upper=1> burglary;
  int<lower=0, upper=1> earthquake;
  int<lower=0, upper=1> alarm;
  int<lower=0, upper=1> john_calls;
  int<lower=0, upper=1> mary_calls;
}
model {
  burglary ~ bernoulli(0.001);
  earthquake ~ bernoulli(0.002);
  alarm ~ bernoulli(burglary == 1 ? (earthquake == 1 ? 0.95 : 0.94) : (earthquake == 1 ? 0.29 : 0.001));
  john_calls ~ bernoulli(alarm == 1 ? 0.9 : 0.05);
  mary_calls ~ bernoulli(alarm == 1 ? 0.7 : 0.01);
}
