set xlabel "magnetisation of 16 sites"
set ylabel "probability"
set yrange [0:0.12]
set key top left
set style fill solid 0.3
set boxwidth 1.4
plot "ising_flip_free.tsv" using 1:2 skip 1 with boxes title "no field, exact", \
     "" using 1:3 skip 1 with points pt 7 ps 0.6 title "found", \
     "ising_flip_field.tsv" using 1:2 skip 1 with lines lw 2 title "field 0.05, exact", \
     "" using 1:3 skip 1 with points pt 6 ps 0.8 title "found"
