set multiplot layout 1, 2
set logscale y
set yrange [0.02:60]
set xrange [-25:50]
set xlabel "effect of the first school"
set ylabel "spread between schools"
plot "schools_centred.tsv" using 1:2 skip 1 with points pt 7 ps 0.25 title "centred"
plot "schools_noncentred.tsv" using 1:2 skip 1 with points pt 7 ps 0.25 title "not centred"
unset multiplot
