set multiplot layout 1, 2
set xlabel "beta 1 of group 1, less its mean over groups"
set ylabel "sigma 1"
set logscale y
set yrange [0.003:3]
set xrange [-2:2]
plot "correlated_weights_centred.tsv" using 1:2 skip 1 with points pt 7 ps 0.2 lc 1 title "centred"
plot "correlated_weights_noncentred.tsv" using 1:2 skip 1 with points pt 7 ps 0.2 lc 2 title "non-centred"
unset multiplot
