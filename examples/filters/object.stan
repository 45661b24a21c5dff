// An object in a video, told by its colours [murphy2023, 13.3.2]. Pixels are red, grey, or of the ground; what is around a place has the
// histogram h of colours, pixels weighed by their distance, and p(frame | place) is proportional to exp(-strength d^2), d^2 = 1 - sum of
// sqrt(h template) Bhattacharyya's distance to what the object looks like. The state is (x, y, velocities).
//   credo filter examples/filters/object.stan --data examples/filters/object.json --particles 250 --resample-below 0.6
// The video is drawn from data: a red object of 3 by 3 pixels along `path`, and a wall of 5 by 5, red (`wall_is_red`) or grey.
functions {
  real near(real x, real y, real at_x, real at_y, real half) {
    return abs(x - at_x) <= half && abs(y - at_y) <= half ? 1 : 0;
  }
  // The shares of red and grey around (x, y).
  row_vector colours(real x, real y, vector pixel_x, vector pixel_y, row_vector red, row_vector grey, real width) {
    vector[num_elements(pixel_x)] w = exp(-0.5 * (square(pixel_x - x) + square(pixel_y - y)) / width^2);
    real total = sum(w) + 1e-9;
    return [red * w, grey * w] / total;
  }
  vector initial_rng(array[] vector path) {
    return append_row(to_vector(normal_rng(path[1], 1)), to_vector(normal_rng(zeros_vector(2), 0.3)));
  }
  vector transition_rng(vector before) {
    return append_row(to_vector(normal_rng(before[1:2] + before[3:4], 0.3)), to_vector(normal_rng(before[3:4], 0.1)));
  }
  real observation_lpdf(row_vector red, vector z, row_vector grey, vector pixel_x, vector pixel_y, real width, real strength,
                        row_vector template) {
    row_vector[2] h = colours(z[1], z[2], pixel_x, pixel_y, red, grey, width);
    real alike = sum(sqrt(h .* template)) + sqrt(fmax(0, 1 - sum(h)) * (1 - sum(template)));
    return -strength * (1 - alike);
  }
}
data {
  int<lower=1> T, W, H;
  array[T] vector[2] path;
  array[2] real wall;
  int<lower=0, upper=1> wall_is_red;
  real<lower=0> width, strength;
}
transformed data {
  vector[W * H] pixel_x;
  vector[W * H] pixel_y;
  matrix[T, W * H] red;
  matrix[T, W * H] grey;
  for (i in 1:W)
    for (j in 1:H) {
      int k = (i - 1) * H + j;
      pixel_x[k] = i;
      pixel_y[k] = j;
      for (t in 1:T) {
        real of_object = near(i, j, path[t][1], path[t][2], 1.5);
        real of_wall = (1 - of_object) * near(i, j, wall[1], wall[2], 2.5);
        red[t, k] = of_object + wall_is_red * of_wall;
        grey[t, k] = (1 - wall_is_red) * of_wall;
      }
    }
  row_vector[2] template = colours(path[1][1], path[1][2], pixel_x, pixel_y, red[1], grey[1], width);
}
