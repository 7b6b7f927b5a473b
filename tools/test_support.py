"""Functions for tests that use other programs."""
import http.server
import shutil
import socket
import threading
import unittest


def needs(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    return unittest.skipIf(missing, f"skipped: no {', '.join(missing)}")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def serve_metrics(file):
    """Serves a file of metrics on loopback, for scraping, and returns the server."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = file.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:  # the scrape timed out on a busy machine
                pass

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
