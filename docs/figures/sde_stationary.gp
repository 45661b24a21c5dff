set xlabel "x"
set ylabel "P(X > x)"
set logscale xy
set yrange [1e-4:1]
plot "sde_stationary_tails.tsv" using 1:2 skip 1 with points pt 7 ps 0.4 title "Itô, simulated", \
     "" using 1:3 skip 1 with lines title "InvGamma(5, 4)", \
     "" using 1:4 skip 1 with points pt 7 ps 0.4 title "Stratonovich, simulated", \
     "" using 1:5 skip 1 with lines title "InvGamma(4, 4)"
