"""A proxy for a server on loopback, which can be interrupted: Proxy(port).cut(), .restore().

cut() closes the current connections. Until restore(), new connections are accepted but get no
answer, as in a network that loses all packets."""
import selectors
import socket
import threading


class Proxy:
    def __init__(self, target_port):
        self.target_port = target_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.whole = True
        self.pairs = []
        self.carried = 0
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        with self.lock:
            self.whole = False
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # already closed

    def restore(self):
        self.whole = True

    def _accept(self):
        waiting = []
        while True:
            client, _ = self.listener.accept()
            if not self.whole:
                waiting.append(client)  # it gets no answer
                continue
            for old in waiting:
                old.close()
            waiting.clear()
            try:
                server = socket.create_connection(("127.0.0.1", self.target_port), timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            with self.lock:
                self.pairs.append((client, server))
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client, server):
        other = {client: server, server: client}
        try:
            with selectors.DefaultSelector() as ready:
                for end in other:
                    ready.register(end, selectors.EVENT_READ)
                while True:
                    for key, _ in ready.select():
                        data = key.fileobj.recv(65536)
                        if not data:
                            return
                        self.carried += len(data)
                        other[key.fileobj].sendall(data)
        except OSError:
            pass
        finally:
            with self.lock:
                if (client, server) in self.pairs:
                    self.pairs.remove((client, server))
            client.close()
            server.close()
