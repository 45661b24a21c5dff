set multiplot layout 2, 3
unset key
unset colorbox
unset tics
unset grid
set size ratio -1
set yrange [31.5:-0.5]
set xrange [-0.5:31.5]
set palette defined (0 "#303060", 0.5 "#d04040", 1 "#f0f0e0", 1.5 "#e08030")
set cbrange [0:1.5]
set bmargin 2
set xlabel "before a cluster move"
plot "ising_move.tsv" using 1:2:3 skip 1 with image
set xlabel "after it (the cluster in colour)"
plot "" using 1:2:4 skip 1 with image
set key
set tics
set grid
set size noratio
set bmargin 3
set xrange [*:*]
set key bottom right
set xlabel "coupling J"
set ylabel "magnetisation left after 100 sweeps"
set yrange [-0.1:1.1]
plot "ising_memory.tsv" using 1:2 skip 1 with linespoints title "checkerboard", \
     "" using 1:3 skip 1 with linespoints title "Swendsen-Wang"
set key top right
set xlabel "sweep, critical coupling"
set ylabel "squared magnetisation a site"
set yrange [0:1.3]
plot "ising_squares.tsv" using 1:2 skip 1 with lines title "checkerboard", \
     "" using 1:3 skip 1 with lines title "Swendsen-Wang"
set xlabel "sweep, J = 0.5"
set ylabel "magnetisation a site"
set yrange [-1.1:1.8]
plot "ising_cold.tsv" using 1:2 skip 1 with lines title "checkerboard", \
     "" using 1:3 skip 1 with lines title "Swendsen-Wang"
unset multiplot
