set multiplot layout 1,2
set logscale xy
set xlabel "standard deviation of the step"
set key bottom center
set format y "10^{%L}"
plot "spectrum_steps.tsv" using 1:2 skip 1 with linespoints pt 7 ps 0.5 title "1 - second eigenvalue", \
     "" using 1:4 skip 1 with linespoints pt 6 ps 0.5 title "1 - largest rejection", \
     "" using 1:3 skip 1 with linespoints pt 4 ps 0.5 title "1 + smallest eigenvalue"
unset logscale x
set xlabel "step"
set ylabel "total variation from the target"
plot "spectrum_burn_in.tsv" using 1:2 skip 1 with lines lw 2 title "start at -5.475"
unset multiplot
