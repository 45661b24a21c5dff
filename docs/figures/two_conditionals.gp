set xlabel "iteration"
set ylabel "u = 1 / (1 + x), uniform"
set yrange [0:1]
set key outside top center horizontal
plot "two_conditionals_trace.tsv" using 1:2 skip 1 with linespoints pt 7 ps 0.3 title "sweep", \
     "" using 1:3 skip 1 with steps title "random scan"
