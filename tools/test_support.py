"""What tests with other people's programs share."""
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
    """A file of metrics as a target to scrape, on loopback; returns the server."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = file.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:  # a scrape that took too long, on a machine that is busy
                pass

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
