set multiplot layout 1, 2
set xlabel "sign(x) log(1 + |x| / 0.01)"
set ylabel "nu"
set yrange [-10.5:10.5]
set xrange [-16:16]
f(x) = sgn(x) * log(1 + abs(x) / 0.01)
set key bottom right
plot "funnel_centred.tsv" using (f($1)):2 skip 1 with points pt 7 ps 0.2 lc 1 title "centred", -6 with lines lc rgb "gray" dt 2 title "nu = -6"
plot "funnel_noncentred.tsv" using (f($1)):2 skip 1 with points pt 7 ps 0.2 lc 2 title "non-centred", -6 with lines lc rgb "gray" dt 2 title "nu = -6"
unset multiplot
