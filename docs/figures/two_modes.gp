set multiplot
set lmargin 8
set bmargin 0
set tmargin 0.5
set yrange [-55:55]
set ytics (-20, 20)
set size 0.6, 0.21
set format x ""
set ylabel "step 1"
set origin 0, 0.78
plot "two_modes_traces.tsv" using 1:2 skip 1 with lines lc 1 notitle
set ylabel "step 8"
set origin 0, 0.56
plot "" using 1:3 skip 1 with lines lc 2 notitle
set ylabel "step 500"
set origin 0, 0.34
plot "" using 1:4 skip 1 with lines lc 3 notitle
set ylabel "Gibbs"
set format x
set xlabel "draw"
set bmargin 3
set size 0.6, 0.33
set origin 0, 0
plot "" using 1:5 skip 1 with lines lc 4 notitle
set size 0.4, 1
set origin 0.6, 0
set ytics auto
set yrange [-0.05:1]
set lmargin 8
set xlabel "lag"
set ylabel "autocorrelation, exact"
plot "two_modes_curves.tsv" using 1:2 skip 1 with lines lc 1 title "step 1", \
     "" using 1:3 skip 1 with lines lc 2 title "step 8", \
     "" using 1:4 skip 1 with lines lc 3 title "step 500", \
     "" using 1:5 skip 1 with lines lc 4 title "Gibbs"
unset multiplot
