set multiplot layout 1, 2
set key top center
set xlabel "t"
set ylabel "relative entropy of N(0.7 + t, 1.5 + t)"
plot "fisher_metric_along.tsv" using 1:2 skip 1 with lines title "KL", \
     "" using 1:3 skip 1 with lines dt 2 title "D'GD / 2"
set key top left
set logscale xy
set format y "10^{%L}"
set format x "10^{%L}"
set xlabel "t"
set ylabel "|KL - D'GD / 2|"
plot "fisher_metric_errors.tsv" using 1:2 skip 1 with linespoints pt 7 ps 0.4 title "normal", \
     "" using 1:3 skip 1 with linespoints pt 7 ps 0.4 title "Bernoulli", \
     "" using 1:4 skip 1 with linespoints pt 7 ps 0.4 title "Poisson", \
     "" using 1:5 skip 1 with linespoints pt 7 ps 0.4 title "gamma", \
     x**3 with lines dt 2 lc rgb "gray" title "t^3"
