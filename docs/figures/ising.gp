set multiplot
unset colorbox
set palette defined (0 "#303060", 0.5 "#d04040", 1 "#f0f0e0", 1.5 "#e08030")
set cbrange [0:1.5]
set size 0.3, 0.5
set bmargin 3
unset key
unset tics
unset grid
set yrange [31.5:-0.5]
set xrange [-0.5:31.5]
set origin 0, 0.5
set xlabel "before a cluster move"
plot "ising_move.tsv" using 1:2:3 skip 1 with image
set origin 0.3, 0.5
set xlabel "after it: the cluster in colour"
plot "" using 1:2:4 skip 1 with image
set tics
set grid
set key
set xrange [*:*]
set size 0.4, 0.5
set origin 0.6, 0.5
set key left center
set xtics 0.1
set ytics 0.5
set xlabel "coupling J"
set ylabel "left after 100 sweeps"
set yrange [-0.1:1.1]
plot "ising_memory.tsv" using 1:2 skip 1 with linespoints title "single sites", \
     "" using 1:3 skip 1 with linespoints title "clusters"
set size 0.5, 0.5
set key top right
set xtics 100
set origin 0, 0
set xlabel "sweep, critical coupling"
set ylabel "squared magnetisation"
set yrange [0:1.3]
plot "ising_squares.tsv" using 1:2 skip 1 with lines title "single sites", \
     "" using 1:3 skip 1 with lines title "clusters"
set origin 0.5, 0
set xtics 50
set xlabel "sweep, J = 0.5"
set ylabel "magnetisation"
set yrange [-1.1:1.9]
plot "ising_cold.tsv" using 1:2 skip 1 with lines title "single sites", \
     "" using 1:3 skip 1 with lines title "clusters"
unset multiplot
