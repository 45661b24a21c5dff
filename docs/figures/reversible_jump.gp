set multiplot layout 1, 2
set xlabel "draws of each chain, L = 10"
set ylabel "odds of A"
set yrange [0.7:1.3]
set xtics 5000
set key top right
plot "reversible_jump_running.tsv" using 1:2 skip 1 with lines title "four chains", \
     for [c = 3:5] "" using 1:c skip 1 with lines notitle, 0.973043 with lines dashtype 2 linecolor "black" title "exact"
set xlabel "L"
set xtics autofreq
set logscale xy
set xrange [0.8:25]
set yrange [*:*]
set key top left
plot "reversible_jump_odds.tsv" using 1:4 skip 1 with lines linecolor "black" dashtype 2 title "exact", \
     "" using 1:2:3 skip 1 with yerrorbars pt 7 ps 0.5 title "visits, 2 standard errors"
unset multiplot
