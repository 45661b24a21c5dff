transformed data { array[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] matrix[1,1] x; x[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] = 1; print(x); }
model { }
