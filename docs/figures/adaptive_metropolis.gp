set terminal svg size 800,460 font 'sans-serif,11' background 'white'
set multiplot
set xrange [-3.2:3.2]
set yrange [-3.2:3.2]
set xtics 2
set ytics 2
set size 0.25, 0.5
set origin 0, 0.5
set title "too small"
plot "adaptive_metropolis_steps.tsv" using 1:2 skip 1 every ::::200 with lines lw 0.8 lc 1 notitle
set origin 0.25, 0.5
set title "too large"
plot "" using 3:4 skip 1 every ::::200 with lines lw 0.8 lc 1 notitle
set origin 0.5, 0.5
set title "wrong shape"
plot "" using 5:6 skip 1 every ::::200 with lines lw 0.8 lc 1 notitle
set origin 0.75, 0.5
set title "right shape"
plot "" using 7:8 skip 1 every ::::200 with lines lw 0.8 lc 1 notitle
set size 0.5, 0.5
set autoscale
set xtics auto
set ytics auto
set logscale xy
set xrange [4:50]
set xtics (5, 10, 20, 40)
set xlabel "dimensions"
set origin 0, 0
set title "autocorrelation time"
plot "adaptive_metropolis_dimension.tsv" using 1:2 skip 1 with linespoints pt 7 ps 0.6 lc 1 title "step as 1 / sqrt(d)"
set origin 0.5, 0
set title "acceptance"
set key bottom left
plot "" using 1:3 skip 1 with linespoints pt 7 ps 0.6 lc 1 title "step as 1 / sqrt(d)", \
     "" using 1:4 skip 1 with linespoints pt 6 ps 0.6 lc 2 title "the same step"
unset multiplot
