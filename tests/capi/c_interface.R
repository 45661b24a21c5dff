# usage: Rscript c_interface.R libcredo_c.so
#
# The functions for R's .C: a density and its derivatives in closed form, draws, JSON, a message.
library <- commandArgs(trailingOnly = TRUE)[1]
dyn.load(library)
faults <- 0
claim <- function(holds, words) {
  if (isTRUE(holds)) return(invisible())
  faults <<- faults + 1
  cat("c_interface.R: false:", words, "\n")
}

program <- "parameters { real mu; real<lower=0> sigma; } model { mu ~ normal(1, sigma); sigma ~ exponential(2); }
  generated quantities { real z = normal_rng(mu, sigma); }"
opened <- .C("credo_model_open_R", program, "", 1L, model = raw(8), message = "", pointer = raw(8))
model <- opened$model
claim(any(model != 0), paste("a model:", opened$message))
claim(.C("bs_name_R", model, name = "")$name == "program_model", "its name")
claim(.C("bs_param_names_R", model, 1L, 1L, names = "")$names == "mu,sigma,z", "names")
claim(.C("bs_param_unc_num_R", model, number = 0L)$number == 2, "dimension")

# log density -s - (mu - 1)^2 / (2 e^2s) - 2 e^s + s, constants left out, s = log sigma
point <- c(0.3, -0.4)
d <- point[1] - 1
s <- point[2]
value <- -s - d^2 / 2 * exp(-2 * s) - 2 * exp(s) + s
gradient <- c(-d * exp(-2 * s), d^2 * exp(-2 * s) - 2 * exp(s))
hessian <- matrix(c(-exp(-2 * s), 2 * d * exp(-2 * s), 2 * d * exp(-2 * s), -2 * d^2 * exp(-2 * s) - 2 * exp(s)), 2)
same <- function(x, y) all(abs(x - y) <= 1e-13 * pmax(1, abs(y)))
got <- .C("bs_log_density_hessian_R", model, 1L, 1L, point, value = 0, gradient = numeric(2), hessian = numeric(4), code = 0L,
          message = "", pointer = raw(8))
claim(got$code == 0 && same(got$value, value) && same(got$gradient, gradient), "value and gradient")
claim(same(got$hessian, c(hessian)), "Hessian")
vector <- c(0.7, -1.1)
product <- .C("bs_log_density_hessian_vector_product_R", model, 1L, 1L, point, vector, value = 0, product = numeric(2),
              code = 0L, message = "", pointer = raw(8))
claim(product$code == 0 && same(product$product, c(hessian %*% vector)), "Hessian times vector")

rng <- .C("bs_rng_construct_R", 5L, rng = raw(8), message = "", pointer = raw(8))$rng
draw <- .C("bs_param_constrain_R", model, 0L, 1L, point, theta = numeric(3), rng, code = 0L, message = "", pointer = raw(8))
claim(draw$code == 0 && same(draw$theta[1:2], c(0.3, exp(-0.4))) && is.finite(draw$theta[3]), "a draw")
json <- .C("bs_param_unconstrain_json_R", model, "{\"mu\": 0.3, \"sigma\": 2}", point = numeric(2), code = 0L, message = "",
           pointer = raw(8))
claim(json$code == 0 && same(json$point, c(0.3, log(2))), "a point from JSON")
wrong <- .C("bs_param_unconstrain_R", model, c(0, -1), point = numeric(2), code = 0L, message = "", pointer = raw(8))
claim(wrong$code == -1 && grepl("sigma", wrong$message), "a message")
invisible(.C("bs_free_error_msg_R", wrong$pointer))
invisible(.C("bs_rng_destruct_R", rng))
invisible(.C("bs_model_destruct_R", model))
cat("c_interface.R:", faults, "false claims\n")
quit(status = if (faults > 0) 1 else 0)
