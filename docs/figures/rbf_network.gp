set multiplot layout 1, 3
set xlabel "x, test set"
set ylabel "y"
set key top right samplen 1
set yrange [-1:4.5]
plot "rbf_network_test.tsv" using 1:2 skip 1 with points pt 7 ps 0.2 linecolor "gray50" notitle, \
     "rbf_network_curve.tsv" using 1:3 skip 1 with lines linewidth 1 title "25 centres", \
     "" using 1:2 skip 1 with lines linewidth 2 title "k unknown"
set xlabel "iteration"
set ylabel "share of k so far"
set yrange [0:1]
set xtics 5000
plot for [c = 2:7] "rbf_network_shares.tsv" using 1:c skip 1 with lines title sprintf("k = %d", c - 2)
set xlabel "k"
set ylabel "p(k | D)"
set xtics 1
set style fill solid 0.6
set boxwidth 0.25
plot "rbf_network_numbers.tsv" using ($1 - 0.25):2 skip 1 with boxes title "sampled", \
     "" using 1:3 skip 1 with boxes title "integrated out", \
     "" using ($1 + 0.25):4 skip 1 with boxes title "among inputs", \
     "" using 1:5 skip 1 with points pt 7 linecolor "black" title "prior"
unset multiplot
