set multiplot layout 1, 2
set key bottom left
set xlabel "draw"
set ylabel "v"
set yrange [-11:11]
plot "riemannian_funnel_plain.tsv" using 1:2 skip 1 with lines lc rgb "gray" title "HMC", \
     "riemannian_funnel_curved.tsv" using 1:2 skip 1 with lines lc 1 title "Riemannian, SoftAbs"
unset yrange
set key top left
set xlabel "{/Symbol m}"
set ylabel "log {/Symbol s}"
plot "riemannian_funnel_path.tsv" using 4:5 skip 1 with linespoints pt 7 ps 0.3 lc rgb "gray" title "HMC, 60 transitions", \
     "riemannian_funnel_path.tsv" using 2:3 skip 1 with linespoints pt 7 ps 0.3 lc 1 title "Riemannian, Fisher", \
     "+" using (3.65 * sin($1)):(2.3026 + 0.258 * cos($1)) with lines lc rgb "black" dt 2 title "two deviations"
