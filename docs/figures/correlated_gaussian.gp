set xlabel "lag (iterations)"
set ylabel "autocorrelation of x"
set yrange [-0.8:1]
set key top right
plot "correlated_gaussian_acf.tsv" using 1:2 skip 1 with lines lw 2 title "Gibbs, random scan", \
     "" using 1:3 skip 1 with lines lw 2 title "Gibbs, sweep", \
     "" using 1:4 skip 1 with lines lw 2 title "Metropolis 1.5 I", \
     "" using 1:5 skip 1 with linespoints lw 2 pt 7 ps 0.4 title "HMC, 10 steps of 0.3"
