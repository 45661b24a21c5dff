set multiplot layout 1, 3
set xlabel "place, from 10 and (dashed) from 17"
set ylabel "probability"
set yrange [0:0.25]
set key top left Left reverse samplen 1.5
set xtics 5
plot "slow_chains_walk.tsv" using 1:2 skip 1 with lines lc 1 title "10, 11 steps", \
     "" using 1:3 skip 1 with lines lc 1 dt 2 notitle, \
     "" using 1:4 skip 1 with lines lc 2 title "50, 51", \
     "" using 1:5 skip 1 with lines lc 2 dt 2 notitle, \
     "" using 1:6 skip 1 with lines lc 4 title "200, 201", \
     "" using 1:7 skip 1 with lines lc 4 dt 2 notitle
set xtics 2
set xlabel "shuffles of 52 cards"
set ylabel "distance (total variation)"
set yrange [0:1.05]
plot "slow_chains_shuffles.tsv" using 1:2 skip 1 with linespoints pt 7 ps 0.4 notitle
set key top right noreverse Right
set xlabel "steps between two islands"
set xtics auto
set logscale x
set format x "10^{%T}"
plot "slow_chains_islands.tsv" using 1:2 skip 1 with lines title "bridge 0.1", \
     "" using 1:3 skip 1 with lines title "0.01", \
     "" using 1:4 skip 1 with lines title "0.001"
unset multiplot
