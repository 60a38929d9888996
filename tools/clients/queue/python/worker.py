"""A beanstalk client that uses and watches one tube."""

import socket

from checks import PATIENCE


class Worker:
    def __init__(self, address, tube):
        self.socket = socket.create_connection(address, PATIENCE)
        self.lines = self.socket.makefile("rb")
        for command in "use " + tube, "watch " + tube, "ignore default":
            self.say(command)

    def say(self, command):
        self.socket.sendall(command.encode() + b"\r\n")
        return self.lines.readline().decode().rstrip("\r\n")

    def put(self, body, pri=1024, ttr=60):
        return int(self.say("put %d 0 %d %d\r\n%s" % (pri, ttr, len(body), body)).split()[1])

    def reserve(self, seconds):
        word, *rest = self.say("reserve-with-timeout %d" % seconds).split()
        if word != "RESERVED":
            return None, None
        index, size = map(int, rest)
        return index, self.lines.read(size + 2)[:-2].decode()

    def close(self):
        self.lines.close()
        self.socket.close()
