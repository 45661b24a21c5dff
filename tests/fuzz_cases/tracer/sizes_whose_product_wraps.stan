transformed data { array[65536,65536,65536,65536] real x; x[60000,60000,60000,60000] = 1; print(x[1,1,1,1]); }
model { }
