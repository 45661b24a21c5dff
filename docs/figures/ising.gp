set multiplot layout 1, 2
set xlabel "sweep, critical coupling"
set ylabel "squared magnetisation a site"
set yrange [0:1]
plot "ising_squares.tsv" using 1:2 skip 1 with lines title "checkerboard", \
     "" using 1:3 skip 1 with lines title "Swendsen-Wang"
set xlabel "sweep, J = 0.5"
set ylabel "magnetisation a site"
set yrange [-1.1:1.4]
plot "ising_cold.tsv" using 1:2 skip 1 with lines title "checkerboard", \
     "" using 1:3 skip 1 with lines title "Swendsen-Wang"
unset multiplot
