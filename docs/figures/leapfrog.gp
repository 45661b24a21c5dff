set logscale xy
set xlabel "step size"
set ylabel "largest energy error in time 2"
set key top left
plot "leapfrog_errors.tsv" using 1:2 skip 1 with linespoints pt 7 ps 0.6 title "leapfrog, slope 2", \
     "" using 1:3 skip 1 with linespoints pt 6 ps 0.6 title "Euler, slope 1"
