set xlabel "mean (m)"
set ylabel "precision (1/m^2)"
plot "normal_precision_draws.tsv" using 1:2:(0.0004):(0) skip 1 every 2 with vectors nohead lw 2.5 lc 1 notitle
