/* Both headers in one C program: a worker that marks its phases. Nobody measures it and no
 * controller listens, so that marks do nothing and connecting fails. */
#include "ridgewatt_mark.h"
#include "ridgewatt_worker.h"

int main(void) {
  struct ridgewatt_worker worker;
  ridgewatt_phase_begin("load");
  ridgewatt_fetched();
  ridgewatt_minibatch();
  ridgewatt_phase_end("load");
  if (ridgewatt_worker_connect(&worker, "/nonexistent/ridgewatt.sock", "training", "c") == 0) {
    if (ridgewatt_worker_begin(&worker) == 0) ridgewatt_worker_end(&worker);
    ridgewatt_worker_disconnect(&worker);
    return 1;
  }
  return errno == ENOENT && worker.fd == -1 ? 0 : 2;
}
