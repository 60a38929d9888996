"""One user of a queue, as the service's Python SDK is one: HTTP without Accept but for
get, the older family of headers, and python3-websocket for the watch."""

import base64
import http.client
import json
import queue as fifo
import socket
import threading
import urllib.parse

import websocket

from checks import CALM, PATIENCE
from protobuf import decode_item, decode_list

PROTOBUF = "application/vnd.google.protobuf"
TOKEN = "secret"


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__("%d %s" % (status, text))
        self.status, self.text = status, text


class Client:
    def __init__(self, checks, address, name, user="u1", group="eas", rear=False):
        self.checks, self.address, self.name, self.user, self.group = checks, address, name, user, group
        self.path = "/api/predict/" + name
        self.headers = {
            "Authorization": TOKEN,
            "X-EAS-QueueService-Redis-Uid": user,
            "X-EAS-QueueService-Redis-Gid": group,
        }
        if rear:
            self.headers["X-EAS-QueueService-Access-Rear"] = "true"

    def another(self, user="u1", group="eas"):
        return Client(self.checks, self.address, self.name, user, group)

    def rear(self):
        return Client(self.checks, self.address, self.name, self.user, self.group, True)

    def ask(self, method, parameters, body=None, **headers):
        """An answer and its body; a status other than 2xx is an exception."""
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        query = urllib.parse.urlencode(parameters)
        headers = {**self.headers, **{k.replace("_", "-"): v for k, v in headers.items()}}
        connection.request(method, self.path + "?" + query, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if not 200 <= answer.status < 300:
            raise Refused(answer.status, text.decode())
        return answer, text

    def attributes(self):
        answer, text = self.ask("GET", {"_attrs_": "true"})
        self.checks.equal("type", answer.headers["Content-Type"], "application/json")
        return json.loads(text)

    def length(self):
        return self.attributes()["stream.length"]

    def listed(self, kind, name):
        for key, line in self.attributes().items():
            parts = dict(part.split(": ") for part in line.split(", ")) if key.startswith(kind + ".list.[") else {}
            if parts.get("Id") == name:
                return parts
        return {}

    def consumer(self):
        return self.listed("consumers", self.group + "." + self.user)

    def put(self, body, **tags):
        """The index, and the request id that the SDK demands."""
        answer, text = self.ask("POST", tags, body)
        return int(text), answer.headers["X-Eas-Queueservice-Request-Id"]

    def fill(self, n, **tags):
        return [self.put(str(i), **tags)[0] for i in range(n)]

    def get(self, index=0, length=1, timeout="5s", auto_delete=True, **tags):
        parameters = {"_index_": index, "_length_": length, "_timeout_": timeout, "_raw_": "false", "_auto_delete_": str(auto_delete).lower(), **tags}
        answer, text = self.ask("GET", parameters, Accept=PROTOBUF)
        self.checks.that("status of get", answer.status == (200 if text else 204), answer.status)
        return decode_list(text)

    def get_json(self, **parameters):
        answer, text = self.ask("GET", {"_raw_": "false", **parameters})
        return [(i["index"], base64.b64decode(i["data"], validate=True), i["tags"]) for i in json.loads(text)] if text else []

    def done(self, what, method, parameters, body=None, **headers):
        answer, text = self.ask(method, parameters, body, **headers)
        self.checks.equal(what, (answer.status, text), (200, b"OK"))

    def commit(self, *indexes):
        self.done("commit", "PUT", {"_indexes_": ",".join(map(str, indexes))})

    def delete(self, *indexes):
        self.done("delete", "DELETE", {"_indexes_": ",".join(map(str, indexes))})

    def negative(self, code, reason, *indexes):
        form = urllib.parse.urlencode({"_code_": code, "_reason_": reason})
        parameters = {"_indexes_": ",".join(map(str, indexes)), "_negative_": "true"}
        self.done("negative", "PUT", parameters, form, Content_Type="application/x-www-form-urlencoded")

    def truncate(self, index):
        self.done("truncate", "DELETE", {"_index_": index, "_trunc_": "true"})

    def clear(self):
        """Empties the queue as all SDKs do."""
        last = self.attributes().get("stream.lastEntry")
        if last:
            self.truncate(int(last) + 1)
        self.checks.equal("length after truncate", self.length(), 0)

    def search(self, index):
        return json.loads(self.ask("GET", {"_search_": "true", "_index_": index})[1])

    def watch(self, index=0, window=1, index_only=False, auto_commit=False, **tags):
        return Watcher(self, {
            "_watch_": "true", "_index_": index, "_window_": window, "_index_only_": str(index_only).lower(),
            "_auto_commit_": str(auto_commit).lower(), **tags})


class Watcher:
    """A thread reads the socket, and another one sends a ping every two seconds."""

    def __init__(self, client, parameters):
        self.client, self.checks, self.items = client, client.checks, fifo.Queue()
        address = "ws://%s:%s%s?%s" % (*client.address, client.path, urllib.parse.urlencode(parameters))
        self.socket = websocket.create_connection(address, header=client.headers, timeout=None)
        self.over, self.why = threading.Event(), None
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.ping, daemon=True).start()

    def read(self):
        try:
            while True:
                code, data = self.socket.recv_data()
                if code == websocket.ABNF.OPCODE_CLOSE:
                    break
                self.checks.equal("a binary message", code, websocket.ABNF.OPCODE_BINARY)
                self.items.put(decode_item(data))
        except Exception as error:
            self.why = error
        self.over.set()
        self.items.put(None)

    def ping(self):
        try:
            while not self.over.wait(2):
                self.socket.ping("ping")
        except (OSError, websocket.WebSocketException):
            pass

    def cut(self):
        """Closes the TCP connection without a farewell, as the SDK's close does."""
        self.over.set()
        self.socket.sock.shutdown(socket.SHUT_RDWR)

    def next(self):
        item = self.items.get(timeout=PATIENCE)
        if item is None:
            raise EOFError("the watch has ended: %s" % self.why)
        return item

    def wants(self, what, *indexes):
        item = None
        for index in indexes:
            item = self.next()
            self.checks.equal(what, item.index, index)
        return item

    def quiet(self, what):
        try:
            item = self.items.get(timeout=CALM)
            self.checks.that(what, False, "the end" if item is None else item.index)
        except fifo.Empty:
            self.checks.that(what, True, None)

    def ends(self, what):
        self.checks.that(what, self.items.get(timeout=PATIENCE) is None, "an item")
