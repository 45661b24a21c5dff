set xlabel "sweep"
set ylabel "squared magnetisation a site"
set yrange [0:1]
plot "ising_squares.tsv" using 1:2 skip 1 with lines title "checkerboard", \
     "" using 1:3 skip 1 with lines title "Swendsen-Wang"
