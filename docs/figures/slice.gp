stats "slice_grid.tsv" using 3 skip 1 nooutput
set multiplot layout 1, 2
set xlabel "x"
set yrange [0:0.25]
set ylabel "density"
set style fill solid 0.3
set boxwidth 0.5
plot "slice_bins.tsv" using 1:2 skip 1 with boxes lc 1 title "slice sampling", \
     "slice_curve.tsv" using 1:2 skip 1 with lines lc 2 title "density"
set xlabel "beta 1"
set ylabel "beta 2"
set xrange [-2:5]
set yrange [0:32]
set palette defined (0 "white", 1 "steelblue")
unset colorbox
plot "slice_grid.tsv" using 1:2:(exp($3 - STATS_max)) skip 1 with image title "grid", \
     "slice_cloud.tsv" using 1:2 skip 1 with points pt 7 ps 0.3 lc rgb "black" title "slice sampling"
unset multiplot
