/* Marks minibatches and phases of a program for `ridgewatt measure`, in C and C++. A single header
 * without a library. The functions do nothing if the program is not being measured.
 *
 *     ridgewatt_phase_begin("warm-up"); ...; ridgewatt_phase_end("warm-up");
 *     for (;;) { load(); ridgewatt_fetched(); compute(); synchronize(); ridgewatt_minibatch(); }
 *     ridgewatt_note("runs on the CPU"); ridgewatt_value("accuracy", 0.91);
 */
#ifndef RIDGEWATT_MARK_H
#define RIDGEWATT_MARK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline void ridgewatt_mark_line(const char* kind, const char* name) {
  char line[200];
  struct timespec now;
  const char* descriptor = getenv("RIDGEWATT_MARK_FD");
  int length;
  if (descriptor == NULL) return;
  clock_gettime(CLOCK_MONOTONIC, &now);
  length = snprintf(line, sizeof line, "%s%s%.100s %lld.%09ld\n", kind, *name ? " " : "", name,
                    (long long)now.tv_sec, now.tv_nsec);
  /* A single write, so that lines of several threads do not mix. */
  if (length > 0 && write(atoi(descriptor), line, (size_t)length) < 0) return;
}

static inline void ridgewatt_tell(const char* text, int length) {
  const char* descriptor = getenv("RIDGEWATT_MARK_FD");
  if (descriptor == NULL || length <= 0) return;
  if (write(atoi(descriptor), text, (size_t)length) < 0) return;
}

/* Adds a line to the report. Only the first 200 characters of `text` are used. */
static inline void ridgewatt_note(const char* text) {
  char line[256];
  ridgewatt_tell(line, snprintf(line, sizeof line, "note %.200s\n", text));
}
/* Reports a result of the program, such as its accuracy. `name` must not contain blanks. */
static inline void ridgewatt_value(const char* name, double number) {
  char line[256];
  ridgewatt_tell(line, snprintf(line, sizeof line, "value %.100s %.17g\n", name, number));
}
/* Marks the end of a minibatch. The device must have finished it. */
static inline void ridgewatt_minibatch(void) {
  ridgewatt_mark_line("minibatch", "");
}
/* Marks the moment at which the data of the next minibatch is available. */
static inline void ridgewatt_fetched(void) {
  ridgewatt_mark_line("fetched", "");
}
/* Mark the beginning and the end of a named phase. */
static inline void ridgewatt_phase_begin(const char* phase) {
  ridgewatt_mark_line("begin", phase);
}
static inline void ridgewatt_phase_end(const char* phase) {
  ridgewatt_mark_line("end", phase);
}

#endif
