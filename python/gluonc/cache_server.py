"""A small server for remote caches: `python -m gluonc.cache_server FOLDER`.

GET and PUT of /NAME, a file each in FOLDER, as `GLUONC_REMOTE_CACHE=FOLDER` has them. It checks no
signatures, which readers do, and nobody's identity: who can reach it can fill its disk, up to --max-mb, and
replace entries by ones that are refused. So it listens on this machine alone, unless --bind says otherwise.
"""

import argparse
import http.server
import os
import pathlib
import re
import secrets
import shutil
import sys

_NAME = re.compile(r"/([0-9a-f]{64})")
_MOST_ENTRY = 64 << 20


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "gluonc-cache"
    # An answer is one packet, where it fits: else its second one waits for the client's acknowledgement.
    wbufsize, disable_nagle_algorithm = 1 << 16, True
    # Of a client that sends nothing.
    timeout = 30

    def _answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _path(self):
        """Where an entry is; None, answered, for what is none."""
        name = _NAME.fullmatch(self.path)
        if name is None:
            # What a PUT sends is not read.
            self.close_connection = self.close_connection or self.command == "PUT"
            self._answer(404)
            return None
        return self.server.folder / name[1][:2] / name[1]

    def do_GET(self):
        path = self._path()
        if path is None:
            return
        try:
            data = path.read_bytes()
        except OSError:
            self._answer(404)
            return
        self._answer(200, data)

    do_HEAD = do_GET

    def do_PUT(self):
        path = self._path()
        if path is None:
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _MOST_ENTRY:
            self.close_connection = True
            self._answer(413 if length.isdigit() else 411)
            return
        data = self.rfile.read(int(length))
        if len(data) != int(length):
            self.close_connection = True
            return
        if self.server.read_only:
            self._answer(403)
        elif not self.server.has_room(len(data)):
            self._answer(507)
        else:
            self._store(path, data)
            self._answer(204)

    @staticmethod
    def _store(path, data):
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
        try:
            temporary.write_bytes(data)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)

    def log_message(self, format, *args):
        if self.server.verbose:
            super().log_message(format, *args)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address, folder, *, read_only=False, max_bytes=10_000_000_000, verbose=False):
        self.folder, self.read_only, self.verbose = pathlib.Path(folder).resolve(), read_only, verbose
        self.folder.mkdir(parents=True, exist_ok=True)
        self._left = max_bytes - sum(file.stat().st_size for file in self.folder.glob("*/*"))
        super().__init__(address, Handler)

    def has_room(self, size):
        """Counts what is put, replaced or not; a new server counts anew."""
        self._left -= size
        return self._left >= 0 and shutil.disk_usage(self.folder).free > 2 * size


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m gluonc.cache_server", description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="where entries are; made where it is missing")
    parser.add_argument("--bind", default="127.0.0.1", help="address to listen on (default: this machine alone)")
    parser.add_argument("--port", type=int, default=8118, help="0: any that is free (default: %(default)s)")
    parser.add_argument("--read-only", action="store_true", help="nobody puts anything")
    parser.add_argument("--max-mb", type=int, default=10_000, help="what the folder may have (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="a line for each request")
    given = parser.parse_args(arguments)
    server = Server((given.bind, given.port), given.folder, read_only=given.read_only,
                    max_bytes=given.max_mb * 1_000_000, verbose=given.verbose)
    host, port = server.server_address[:2]
    print(f"http://{host}:{port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
