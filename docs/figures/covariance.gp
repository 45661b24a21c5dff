set xlabel "vectors in a sample"
set ylabel "mean of the estimated variance of x"
set logscale x
set xrange [1.7:35]
set yrange [0.4:1.1]
set key bottom right
plot 1 with lines lc rgb "gray" lw 2 title "variance", \
     "covariance_means.tsv" using 1:2:(4*$3) skip 1 with yerrorbars pt 7 ps 0.5 lc 1 title "divided by n - 1, 4 errors", \
     "" using 1:4 skip 1 with points pt 6 ps 0.8 lc 2 title "divided by n", \
     1 - 1/x with lines lc 2 title "(n - 1) / n"
