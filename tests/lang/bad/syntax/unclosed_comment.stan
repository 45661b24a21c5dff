model {
}
/* this goes on
// expect error: unclosed-comment 3:1
