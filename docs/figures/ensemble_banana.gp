set multiplot layout 1,2
set xlabel "x"
set ylabel "y"
set xrange [-32:32]
set yrange [-15:80]
set title "one covariance, 400 draws"
plot "ensemble_banana_draws.tsv" using 1:2:(0.3):(0) skip 1 with vectors nohead lw 2.5 lc 1 notitle
set title "ensemble, 25 draws of each of 16 walkers"
plot "ensemble_banana_draws.tsv" using 3:4:(0.3):(0) skip 1 with vectors nohead lw 2.5 lc 1 notitle
unset multiplot
