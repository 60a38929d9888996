"""What the extension uses of greenstalk 2, for when it is not installed: names and behaviour are those of
its documentation, the code is not. With greenstalk installed, this is not used."""

import socket

DEFAULT_PRIORITY, DEFAULT_DELAY, DEFAULT_TTR = 2**16, 0, 60


class Error(Exception):
    pass


class BeanstalkdError(Error):
    pass


class UnknownResponseError(Error):
    def __init__(self, status, values):
        self.status, self.values = status, values


ERROR_RESPONSES = {}
for _word in "BAD_FORMAT BURIED DEADLINE_SOON DRAINING EXPECTED_CRLF INTERNAL_ERROR JOB_TOO_BIG NOT_FOUND NOT_IGNORED OUT_OF_MEMORY TIMED_OUT UNKNOWN_COMMAND".split():
    _name = _word.title().replace("_", "").removesuffix("Error") + "Error"
    globals()[_name] = ERROR_RESPONSES[_word.encode()] = type(_name, (BeanstalkdError,), {})


class Job:
    def __init__(self, id, body):
        self.id, self.body = id, body


class Client:
    def __init__(self, address, encoding="utf-8", use="default", watch="default"):
        self._sock = socket.create_connection(address)
        self._reader = self._sock.makefile("rb")
        self.encoding = encoding
        self._command(b"use " + use.encode())
        self._command(b"watch " + watch.encode())
        if watch != "default":
            self._command(b"ignore default")

    def _command(self, command):
        self._sock.sendall(command + b"\r\n")
        word, *values = self._reader.readline().split()
        if word in ERROR_RESPONSES:
            raise ERROR_RESPONSES[word](values)
        return values

    def put(self, body, priority, delay, ttr):
        return int(self._command(b"put %d %d %d %d\r\n%b" % (priority, delay, ttr, len(body), body))[0])

    def reserve(self, timeout=None):
        id, size = self._command(b"reserve" if timeout is None else b"reserve-with-timeout %d" % timeout)
        return Job(int(id), self._reader.read(int(size) + 2)[:-2])

    def delete(self, job):
        self._command(b"delete %d" % job.id)
