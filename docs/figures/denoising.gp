set multiplot layout 2, 3
unset key
unset colorbox
unset tics
unset grid
set size ratio -1
set yrange [63.5:-0.5]
set xrange [-0.5:63.5]
set palette gray
set cbrange [-1:1]
set tmargin 0.2
set bmargin 2
set xlabel "image with noise" offset 0, 0.2
set cbrange [-4:4]
plot "denoising_pixels.tsv" using 1:2:4 skip 1 with image
set cbrange [-1:1]
set xlabel "after one sweep"
plot "" using 1:2:5 skip 1 with image
set xlabel "after five sweeps"
plot "" using 1:2:6 skip 1 with image
set xlabel "mean of 15 sweeps"
plot "" using 1:2:7 skip 1 with image
set xlabel "mean field"
plot "" using 1:2:8 skip 1 with image
set xrange [-0.5:7.5]
set yrange [7.5:-0.5]
set cbrange [0:1]
set xlabel "the two colours of a grid"
plot "denoising_board.tsv" using 1:2:3 skip 1 with image
unset multiplot
