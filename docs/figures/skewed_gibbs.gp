set multiplot layout 1, 2
set key bottom right
set xlabel "x"
set ylabel "y"
set xrange [-3:3]
set yrange [-3:3]
set size ratio -1
plot "skewed_gibbs_ridge.tsv" using 1:2 skip 1 with lines lc rgb "gray" lw 2 title "95 % of the law", \
     "skewed_gibbs_stairs.tsv" using 1:2 skip 1 with lines lc 1 title "40 sweeps"
set size noratio
set key left top
set xlabel "correlation r"
set ylabel "autocorrelation of one sweep"
set xrange [0:1]
set yrange [-0.05:1.05]
plot x * x with lines lc 1 title "r^2", \
     "skewed_gibbs_memory.tsv" using 1:2 skip 1 with points pt 7 ps 0.6 lc 1 title "Gibbs", \
     "" using 1:3 skip 1 with points pt 6 ps 0.6 lc 2 title "turned by 45 degrees"
unset multiplot
