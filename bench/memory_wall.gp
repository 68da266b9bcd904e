# The plot of memory_wall.csv: gnuplot -e "csv='build/test/memory_wall.csv'; png='docs/memory_wall.png'" this-file
set datafile separator ","
set terminal pngcairo size 900,560 font "sans,11"
set output png
set title "Peak memory by partitions in flight (2^{18} rows, BLS12-381, prove stage ten times slower than synthesis)"
set xlabel "partitions in flight"
set ylabel "MiB"
set key top left
set grid ytics
set xrange [0:18]
set yrange [0:*]
mib(bytes) = bytes / 1048576.0
short(queue, value) = queue == 40 ? value : 1/0
long(queue, value) = queue == 200 ? value : 1/0
plot csv every ::1 using 1:(short($2, mib($3))) with linespoints pt 4 title "predicted: the budget", \
     csv every ::1 using 1:(short($2, mib($5))) with linespoints pt 7 title "measured, queue of 40", \
     csv every ::1 using 1:(long($2, mib($5))) with points pt 6 ps 2 title "measured, queue of 200", \
     csv every ::1 using 1:(short($2, mib($6))) with linespoints pt 1 title "of it in segments"
