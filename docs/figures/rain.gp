set multiplot
set size 0.68, 1
set xlabel "day"
set ylabel "rain"
set yrange [-1.5:6]
set key top left
set style fill solid 0.3 noborder
plot "rain_series.tsv" using 1:5:6 skip 1 with filledcurves lc 3 title "90 % of the posterior", \
     "" using 1:4 skip 1 with lines lc 3 lw 1.5 title "its mean", \
     "" using 1:2 skip 1 with lines lc rgb "black" lw 1 title "truth", \
     "" using 1:3 skip 1 with points pt 7 ps 0.3 lc 4 title "gauge"
set origin 0.68, 0
set size 0.32, 1
set xlabel "days of a window"
set ylabel "updates accepted"
set logscale xy
set autoscale y
set xrange [0.8:20]
plot "rain_windows.tsv" using 1:2 skip 1 with linespoints pt 7 ps 0.6 lc 1 notitle
unset multiplot
