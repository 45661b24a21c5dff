2 // the number
