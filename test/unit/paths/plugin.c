/* Two of these are built, with the way from the library to the call in another place. */
static volatile int sink;

#ifdef SECOND
__attribute__((noinline)) static void inner(void (*probe)(const char *), const char *label) {
  sink++;
  probe(label);
  sink++;
}
void plugin(void (*probe)(const char *), const char *label) {
  char room[600];
  room[sink & 511] = 3;
  inner(probe, label);
  sink += room[5];
}
#else
void plugin(void (*probe)(const char *), const char *label) {
  probe(label);
  sink++;
}
#endif
