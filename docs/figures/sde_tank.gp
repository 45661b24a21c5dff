set key top center
set xlabel "t"
set ylabel "content x"
set style fill solid 0.25 noborder
plot "sde_tank_path.tsv" using 1:2:4 skip 1 with filledcurves lc rgb "#4477aa" title "90 % of the posterior", \
     "" using 1:3 skip 1 with lines lc rgb "#4477aa" title "its mean", \
     "" using 1:5 skip 1 with lines lc rgb "#222222" title "true path", \
     "" using 1:6 skip 1 with points pt 7 ps 0.5 lc rgb "#cc3311" title "observed"
