functions { } data { } transformed
  data { } parameters { } transformed parameters { } model { } generated /* two */ quantities { }
