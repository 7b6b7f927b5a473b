/* A worker of `ridgewatt schedule run`, a program that trains or serves on a shared device, in C
 * (C99 or later) or C++. A single header without dependencies.
 *
 *   struct ridgewatt_worker worker;
 *   if (ridgewatt_worker_connect(&worker, NULL, "training", "resnet18") != 0) perror("ridgewatt");
 *   while (more_to_do) {
 *     if (ridgewatt_worker_begin(&worker) != 0) break;   // waits for the device
 *     train_one_minibatch();                             // and waits for the device to finish it
 *     ridgewatt_worker_end(&worker);
 *   }
 *   ridgewatt_worker_disconnect(&worker);
 *
 * An inference worker calls ridgewatt_worker_begin when it has collected worker.batch requests.
 * Alternatively, it reports its requests, and the controller decides how many of them form a batch.
 * Schedules that change their plan need this:
 *
 *   ridgewatt_worker_count(&worker);             // once, after connecting
 *   ridgewatt_worker_arrived(&worker, 3, 1500);  // at any time: three requests came 1.5 ms ago
 *   ridgewatt_worker_begin(&worker);             // whenever the worker is idle
 *   serve(worker.requests, worker.aside);        // skips the `aside` oldest, serves `requests`
 *
 * All functions return 0, or -1 with errno set. ECONNRESET means that the controller has ended: the
 * device must not be used any more.
 */
#ifndef RIDGEWATT_WORKER_H
#define RIDGEWATT_WORKER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERCRED
#define SO_PEERCRED 17
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct ridgewatt_worker {
  int fd;
  int batch;                   /* planned number of requests per inference minibatch */
  long long period_us;         /* period of the cycle; 0: none */
  unsigned long long sequence; /* number of the current minibatch; 0: none */
  long long deadline_us;       /* time limit of the minibatch */
  int counting;                /* the controller counts the requests */
  int requests;                /* requests to serve in the current minibatch, if counted */
  int aside;                   /* number of oldest waiting requests to skip */
  char pending[256];           /* received bytes that are not yet complete lines */
  size_t pending_size;
};

static inline int ridgewatt_send_(struct ridgewatt_worker* worker, const char* line) {
  size_t size = strlen(line), sent = 0;
  while (sent < size) {
    ssize_t count = send(worker->fd, line + sent, size - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return -1;
    sent += (size_t)count;
  }
  return 0;
}

/* Receives the next line into `line` (at least 256 bytes), without its '\n'. */
static inline int ridgewatt_receive_(struct ridgewatt_worker* worker, char* line) {
  for (;;) {
    char* end = (char*)memchr(worker->pending, '\n', worker->pending_size);
    if (end != NULL) {
      size_t length = (size_t)(end - worker->pending);
      memcpy(line, worker->pending, length);
      line[length] = '\0';
      worker->pending_size -= length + 1;
      memmove(worker->pending, end + 1, worker->pending_size);
      return 0;
    }
    if (worker->pending_size == sizeof worker->pending) {
      errno = EPROTO;
      return -1;
    }
    ssize_t count = recv(worker->fd, worker->pending + worker->pending_size,
                         sizeof worker->pending - worker->pending_size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) {
      errno = ECONNRESET;
      return -1;
    }
    worker->pending_size += (size_t)count;
  }
}

static inline void ridgewatt_worker_disconnect(struct ridgewatt_worker* worker) {
  if (worker->fd >= 0) {
    ridgewatt_send_(worker, "bye\n");
    close(worker->fd);
  }
  worker->fd = -1;
}

/* Writes the path where `ridgewatt schedule run` listens by default into `path`. Returns -1 if the
 * environment names no folder or the path is too long. */
static inline int ridgewatt_default_socket_(char* path, size_t size) {
  const char* folder = getenv("XDG_RUNTIME_DIR");
  const char* inside = "";
  int length;
  if (folder == NULL || *folder == '\0') {
    folder = geteuid() == 0 ? "/run/ridgewatt" : getenv("HOME");
    if (geteuid() != 0) inside = "/.local/state/ridgewatt/run";
  }
  length = folder == NULL ? -1 : snprintf(path, size, "%s%s/ridgewatt.sock", folder, inside);
  if (length >= 0 && (size_t)length < size) return 0;
  errno = EINVAL;
  return -1;
}

/* Checks the user of the controller, because another user may have created the socket first. */
static inline int ridgewatt_check_peer_(int fd) {
  struct {
    int process;
    unsigned user, group;
  } peer; /* struct ucred, which C99 alone does not declare */
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  if (size == sizeof peer && peer.user == geteuid()) return 0;
  errno = EPERM;
  return -1;
}

/* Connects to the controller. `path` is its socket; NULL means $RIDGEWATT_SOCKET or, if that is not
 * set, the default of `schedule run`: ridgewatt.sock in $XDG_RUNTIME_DIR. `kind` is "inference" or
 * "training". `name` has 1 to 32 characters of A-Z a-z 0-9 _ . - . EPERM: the controller belongs to
 * another user. */
static inline int ridgewatt_worker_connect(struct ridgewatt_worker* worker, const char* path,
                                           const char* kind, const char* name) {
  struct sockaddr_un address;
  char line[256];
  memset(worker, 0, sizeof *worker);
  memset(&address, 0, sizeof address);
  if (path == NULL) path = getenv("RIDGEWATT_SOCKET");
  worker->fd = -1;
  if (path == NULL) {
    if (ridgewatt_default_socket_(address.sun_path, sizeof address.sun_path) != 0) return -1;
    path = address.sun_path;
  }
  if (strlen(path) >= sizeof address.sun_path || strlen(name) > 32) {
    errno = EINVAL;
    return -1;
  }
  address.sun_family = AF_UNIX;
  if (path != address.sun_path) strcpy(address.sun_path, path);
  worker->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (worker->fd < 0) return -1;
  snprintf(line, sizeof line, "hello 1 %s %s\n", kind, name);
  if (connect(worker->fd, (struct sockaddr*)&address, sizeof address) == 0 &&
      ridgewatt_check_peer_(worker->fd) == 0 && ridgewatt_send_(worker, line) == 0 &&
      ridgewatt_receive_(worker, line) == 0) {
    if (sscanf(line, "welcome 1 %d %lld", &worker->batch, &worker->period_us) == 2) return 0;
    errno = EPROTO;
  }
  {
    int saved = errno;
    close(worker->fd);
    worker->fd = -1;
    errno = saved;
  }
  return -1;
}

/* Lets the controller count the requests that this worker reports from now on. EPROTO: the
 * controller is too old for this, and nothing has changed. */
static inline int ridgewatt_worker_count(struct ridgewatt_worker* worker) {
  char line[256];
  if (ridgewatt_send_(worker, "counting\n") != 0) return -1;
  if (ridgewatt_receive_(worker, line) != 0) return -1;
  if (strcmp(line, "counting") == 0) {
    worker->counting = 1;
    return 0;
  }
  errno = EPROTO;
  return -1;
}

/* Reports that `count` requests arrived `age_us` microseconds ago. Can be called from another
 * thread while one waits in ridgewatt_worker_begin. */
static inline int ridgewatt_worker_arrived(struct ridgewatt_worker* worker, int count,
                                           long long age_us) {
  char line[64];
  snprintf(line, sizeof line, "arrived %d %lld\n", count, age_us);
  return ridgewatt_send_(worker, line);
}

/* Asks for the device without waiting. Poll worker.fd, then call ridgewatt_worker_granted. */
static inline int ridgewatt_worker_ask(struct ridgewatt_worker* worker) {
  return ridgewatt_send_(worker, "ready\n");
}

/* Waits until the device is granted. Requires ridgewatt_worker_ask. */
static inline int ridgewatt_worker_granted(struct ridgewatt_worker* worker) {
  char line[256];
  for (;;) {
    if (ridgewatt_receive_(worker, line) != 0) return -1;
    worker->requests = worker->aside = 0;
    if (sscanf(line, "grant %llu %lld %d %d", &worker->sequence, &worker->deadline_us,
               &worker->requests, &worker->aside) >= 2) {
      return 0;
    }
    if (strncmp(line, "revoke", 6) == 0) continue; /* for a minibatch that has ended */
    errno = strcmp(line, "bye") == 0 ? ECONNRESET : EPROTO;
    return -1;
  }
}

/* Asks for the device and waits until it is granted. */
static inline int ridgewatt_worker_begin(struct ridgewatt_worker* worker) {
  return ridgewatt_worker_ask(worker) == 0 ? ridgewatt_worker_granted(worker) : -1;
}

/* Reports the end of the minibatch. None of its work may still run on the device. */
static inline int ridgewatt_worker_end(struct ridgewatt_worker* worker) {
  char line[64];
  snprintf(line, sizeof line, "done %llu\n", worker->sequence);
  worker->sequence = 0;
  return ridgewatt_send_(worker, line);
}

#ifdef __cplusplus
}
#endif
#endif
