set multiplot layout 2, 3
set key top right samplen 1.5
set xtics 25
set xlabel "per cent of the run" offset 0, 0.4
set ylabel "temperature"
set logscale y
set format y "10^{%T}"
set yrange [1e-3:2]
plot "annealing_fast.tsv" using ($1 / 0.6):2 skip 1 with lines lc 1 title "60 steps", \
     "annealing_slow.tsv" using ($1 / 60):2 skip 1 with lines lc 2 title "6000 steps"
unset logscale y
set format y
set key bottom right
set ylabel "mean log density"
set yrange [-1.2:2.2]
plot "annealing_fast.tsv" using ($1 / 0.6):3 skip 1 with lines lc 1 title "60 steps", \
     "annealing_slow.tsv" using ($1 / 60):3 skip 1 with lines lc 2 title "6000 steps"
unset key
set xtics 2
unset grid
unset colorbox
set palette defined (0 "white", 0.5 "steelblue", 1 "black")
set ylabel "y"
set xrange [-3:3]
set yrange [-3:3]
set size ratio -1
set cbrange [0:1]
set xlabel "x, T = 10"
plot "annealing_surfaces.tsv" using 1:2:3 skip 1 with image
set xlabel "x, T = 1"
plot "annealing_surfaces.tsv" using 1:2:4 skip 1 with image
set xlabel "x, T = 0.3"
plot "annealing_surfaces.tsv" using 1:2:5 skip 1 with image
set xlabel "x, T = 0.1"
plot "annealing_surfaces.tsv" using 1:2:6 skip 1 with image
unset multiplot
