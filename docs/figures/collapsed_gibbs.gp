set multiplot layout 1, 2
set xlabel "iteration"
set ylabel "log probability of the data and labels"
set logscale x
set yrange [-1850:-1230]
set key bottom right
plot "collapsed_gibbs_runs.tsv" using 1:2 skip 1 with lines lc 1 title "with parameters, 20 starts", \
     "" using 1:3 skip 1 with lines lc 2 title "collapsed"
set key bottom right samplen 2 spacing 0.9 font ",10"
set yrange [-1950:-1230]
plot "collapsed_gibbs_quantiles.tsv" using 1:4 skip 1 with lines lc 1 lw 2 title "full: median", \
     "" using 1:3 skip 1 with lines lc 1 dt 2 title "quartiles", \
     "" using 1:5 skip 1 with lines lc 1 dt 2 notitle, \
     "" using 1:2 skip 1 with lines lc 1 dt 3 title "5 % and 95 %", \
     "" using 1:6 skip 1 with lines lc 1 dt 3 notitle, \
     "" using 1:9 skip 1 with lines lc 2 lw 2 title "collapsed: median", \
     "" using 1:8 skip 1 with lines lc 2 dt 2 title "quartiles", \
     "" using 1:10 skip 1 with lines lc 2 dt 2 notitle, \
     "" using 1:7 skip 1 with lines lc 2 dt 3 title "5 % and 95 %", \
     "" using 1:11 skip 1 with lines lc 2 dt 3 notitle
unset multiplot
