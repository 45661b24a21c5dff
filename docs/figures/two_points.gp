set multiplot layout 2, 2
set xlabel "draw" offset 0, 0.5
set xrange [0:500]
set xtics 100
set ylabel "alpha, diffuse" offset 1
unset key
plot for [c = 2:4] "two_points_diffuse_traces.tsv" using 1:c skip 1 with lines lc (c - 1)
set xlabel "rank of sigma of 1500" offset 0, 0.5
set xrange [0:1500]
set xtics 300
set ylabel "draws, diffuse"
set yrange [0:]
plot for [c = 2:4] "two_points_diffuse_ranks.tsv" using 1:c skip 1 with fsteps lc (c - 1), 25 with lines lc rgb "gray"
set xlabel "draw" offset 0, 0.5
set xrange [0:500]
set xtics 100
set ylabel "alpha, sensible"
set yrange [*:*]
plot for [c = 2:4] "two_points_sensible_traces.tsv" using 1:c skip 1 with lines lc (c - 1)
set xlabel "rank of sigma of 1500" offset 0, 0.5
set xrange [0:1500]
set xtics 300
set ylabel "draws, sensible"
set yrange [0:]
plot for [c = 2:4] "two_points_sensible_ranks.tsv" using 1:c skip 1 with fsteps lc (c - 1), 25 with lines lc rgb "gray"
unset multiplot
