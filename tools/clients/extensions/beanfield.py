"""What beanfield has and beanstalkd has not, for greenstalk 2: see the README beside this file."""

import ast, contextlib, functools, itertools, re, socket
from math import ceil
from urllib.parse import quote, unquote

import greenstalk

DEFAULTS = {"pri": greenstalk.DEFAULT_PRIORITY, "delay": greenstalk.DEFAULT_DELAY, "ttr": greenstalk.DEFAULT_TTR}
LINE = re.compile(r'^( *-? *)("(?:[^"\\]|\\.)*"|.+?):(?: (.*))?$', re.M)


class ExistsError(greenstalk.BeanstalkdError):
    id = property(lambda self: int(self.args[0][0]))  # of the job that has the key


OURS = {b"EXISTS": ExistsError, b"NOT_TOGETHER": functools.partial(greenstalk.UnknownResponseError, b"NOT_TOGETHER")}
REFUSALS = {**greenstalk.ERROR_RESPONSES, **OURS}


class Client(greenstalk.Client):
    @functools.cached_property
    def capabilities(self):
        """The commands that the server has and beanstalkd has not."""
        try:
            return re.findall(r"^- (\S+)$", self._ask(b"capabilities"), re.M)
        except greenstalk.UnknownCommandError:
            return []

    def auth(self, token):
        self._ask(b"auth " + _escape(token))

    def put_with(self, body, **options):
        """Options: tube, pri, delay, ttr, key, key_for, once, expire, deliveries, wait, tags (a dict)."""
        options = {**DEFAULTS, **options}
        if not self._has("put-with", options):
            return self.put(body, *map(ceil, options.values()))
        return self._ask(b"put-with %d%b" % (len(data := self._encode(body)), _options(options)), data)

    def put_batch(self, jobs, all=False):
        """A job is a body, or (body, options). Returns the ids, or raises the first refusal after all: see its results."""
        jobs = [(job[0], {**DEFAULTS, **job[1]}) if isinstance(job, tuple) else (job, DEFAULTS) for job in jobs]
        has, results = self._has("put-batch", {"all": 1} if all else {}, *(options for _, options in jobs)), []
        parts = [self._part(*job) for job in jobs] if has else jobs
        while len(results) < len(jobs):
            chunk = parts[len(results) :][: 1000 if has else 1]
            fit = sum(size <= 1 << 20 for size in itertools.accumulate(map(len, chunk)))
            chunk = parts if all else chunk[: max(fit, 1)]
            try:
                if has:
                    batch = b"".join(chunk)
                    results += self._ask(b"put-batch %d%b" % (len(batch), b" all=true" if all else b""), batch)
                else:
                    results.append(self.put(chunk[0][0], *map(ceil, chunk[0][1].values())))
            except greenstalk.BeanstalkdError as refusal:
                results += [refusal] * len(chunk)
        for refusal in (result for result in results if isinstance(result, Exception)):
            refusal.results = results
            raise refusal
        return results

    def reserve_batch(self, size, timeout=None):
        """Up to size jobs, or TimedOutError. beanstalkd gives one."""
        if size < 1 or not self._has("reserve-batch"):
            return [self.reserve(timeout and ceil(timeout))] if size > 0 else []
        return self._jobs(b"reserve-batch %d %b" % (min(size, 1000), _escape(2**31 - 1 if timeout is None else timeout)))

    def reserve_with(self, count=1, timeout=None, tags={}):
        """Up to count jobs that have these tags, or TimedOutError. They also have tube, reserves and tags."""
        self._has("reserve-with", {"tags": tags})
        return self._jobs(b"reserve-with" + _options({"count": count, "timeout": timeout, "tags": tags}))

    def list_jobs(self, **options):
        """Yields a dict for each job. Options: tube, state, older, younger, tags, body, bodies, limit (an answer)."""
        self._has("list-jobs", {"tags": {}})
        page = {"cursor": None}
        while "cursor" in page:
            options["cursor"], page, jobs = page["cursor"], {}, []
            for indent, name, text in LINE.findall(self._ask(b"list-jobs" + _options(options))):
                jobs += [{}] if indent == "- " else []
                place = page if indent == "" else jobs[-1]["tags"] if indent == "    " else jobs[-1]
                read = [ast.literal_eval(s) if s[:1] in ('"', "[") or s.isdigit() else s for s in (name, text)]
                place[read[0]] = read[1] if text else {}
            yield from jobs

    def _has(self, verb, *options):
        if verb not in self.capabilities and any(given.keys() - DEFAULTS for given in options):
            raise greenstalk.UnknownCommandError("the server has no " + verb)
        return verb in self.capabilities

    def _encode(self, body):
        return body.encode(self.encoding) if isinstance(body, str) else body

    def _part(self, body, options):
        data, more = self._encode(body), dict(options)
        numbers = [_escape(more.pop(name)) for name in DEFAULTS]
        return b"%b %b %b %d%b\r\n%b\r\n" % (*numbers, len(data), _options(more), data)

    def _jobs(self, line):
        jobs = []
        for words, data in self._ask(line):
            jobs.append(greenstalk.Job(int(words[0]), data.decode(self.encoding, "surrogateescape") if self.encoding else data))
            told = dict(map(unquote, word.decode().split("=", 1)) for word in words[2:])
            jobs[-1].tube, jobs[-1].reserves = told.get("tube"), int(told.get("reserves", 0))
            jobs[-1].tags = {name[4:]: value for name, value in told.items() if name.startswith("tag.")}
        return jobs

    def _ask(self, line, body=None):
        if len(line) > 1024:
            raise greenstalk.BadFormatError("a line of more than 1024 bytes")
        try:
            self._sock.sendall(line + b"\r\n" + (b"" if body is None else body + b"\r\n"))
            answer = self._answer()
        except BaseException:  # also a signal's: the rest of the answer must not be taken for another
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)
            raise
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _answer(self):
        word, *values = _whole(self._reader.readline()).split()
        if word in (b"INSERTED_BATCH", b"RESERVED_BATCH", b"RESERVED_WITH"):
            return [self._answer() for _ in range(int(values[0]))]
        if word in (b"OK", b"RESERVED"):
            size = int(values[word == b"RESERVED"]) + 2
            data = _whole(self._reader.read(size), size)
            return data.decode() if word == b"OK" else (values, data)
        if word in REFUSALS:
            return REFUSALS[word](values)
        if word == b"INSERTED":
            return int(values[0])
        raise greenstalk.UnknownResponseError(word, values)


def _whole(data, size=2):
    if len(data) < size or not data.endswith(b"\r\n"):
        raise ConnectionError("Unexpected EOF")
    return data[:-2]


def _escape(value):
    return quote(str(round(value, 3)) if isinstance(value, (int, float)) else value, safe=",").encode()


def _options(options):
    pairs = [(name.replace("_", "-"), value) for name, value in options.items() if name != "tags" and value is not None]
    pairs += [("tag." + quote(name, safe=""), value) for name, value in options.get("tags", {}).items()]
    return b"".join(b" %b=%b" % (name.encode(), _escape(value)) for name, value in pairs)
