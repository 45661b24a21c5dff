set multiplot layout 1, 2
set yrange [-3:3]
set xlabel "draw; chains at different levels"
set ylabel "mean of eight draws"
plot for [c=2:5] "nonconvergence_levels.tsv" using 1:c skip 1 with lines notitle
set xlabel "draw; chains that drift together"
plot for [c=2:5] "nonconvergence_drift.tsv" using 1:c skip 1 with lines notitle
unset multiplot
