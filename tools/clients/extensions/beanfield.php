<?php
// What beanfield has and beanstalkd has not, for pheanstalk 4 and later: see the README beside this file.
declare(strict_types=1);
namespace Beanfield;
use Pheanstalk\Exception\{ClientException, ConnectionException, ServerBadFormatException, ServerException, ServerUnknownCommandException, SocketException};
use Pheanstalk\{Socket, Values}; // Values: of pheanstalk 5 and later

final class ExistsException extends ServerException {
    public function __construct(public object $job) { parent::__construct('the job ' . $job->getId() . ' has this key'); }
}
final class Lost { // in the place of pheanstalk 4's socket: at its next command it connects again, uses and watches its tubes
    public function write(): void { throw new SocketException('the connection was lost'); }
    public function disconnect(): void {}
}
final class Commands {
    private const DEFAULTS = ['pri' => 1024, 'delay' => 0, 'ttr' => 60]; // pheanstalk's
    private const REFUSALS = ['BAD_FORMAT' => 'ServerBadFormat', 'BURIED' => 'Client', 'DEADLINE_SOON' => 'DeadlineSoon', 'DRAINING' => 'ServerDraining',
        'EXPECTED_CRLF' => 'Client', 'INTERNAL_ERROR' => 'ServerInternalError', 'JOB_TOO_BIG' => 'JobTooBig', 'NOT_FOUND' => 'JobNotFound',
        'NOT_TOGETHER' => 'Server', 'OUT_OF_MEMORY' => 'ServerOutOfMemory', 'UNKNOWN_COMMAND' => 'ServerUnknownCommand'];
    private const LINE = '/^( *-? *)("(?:[^"\\\\]|\\\\.)*"|.+?):(?: (.*))?$/m'; // of a listing
    public array $results = []; // of the last putBatch(), also if it threw: for each job, its id or the exception
    private mixed $raw; // PHP's socket below that of pheanstalk
    private array $known = [];
    private ?object $asked = null; // the socket that $known came by
    public function __construct(private object $pheanstalk) {} // any Pheanstalk, also that of a framework
    /** The commands that the server has and beanstalkd has not. */
    public function capabilities(): array {
        $socket = fn () => (fn () => $this->socket)->call($this->connection());
        if (!$socket() || $this->asked !== $socket()) {
            $list = $this->answer('capabilities');
            $this->known = $list instanceof ServerUnknownCommandException ? [] : explode("\n- ", trim(substr(self::checked($list), 6)));
            $this->asked = $socket();
        }
        return $this->known;
    }
    public function auth(string $token): void { $this->ask('auth ' . rawurlencode($token)); }
    /** Options: tube, pri, delay, ttr, key, keyFor, once, expire, deliveries, wait, tags (an array). Returns the id. */
    public function putWith(string $data, mixed ...$options): object {
        $with = 'put-with ' . strlen($data) . self::options($options + self::DEFAULTS) . "\r\n$data";
        return $this->ask($this->has('put-with', $options) ? $with : 'put ' . self::part($data, array_map('ceil', $options)));
    }
    /** A job is a string, or [string, 'key' => …] with options. Returns the ids. Throws the first refusal after all were tried: see $results. */
    public function putBatch(array $jobs, bool $all = false): array {
        [$this->results, $parts, $has] = [[], [], false];
        foreach ($jobs as $job) {
            $options = array_slice((array) $job, 1);
            $has = $this->has('put-batch', $options + ($all ? ['all' => true] : []));
            $parts[] = self::part(((array) $job)[0], $has ? $options : array_map('ceil', $options)) . "\r\n";
        }
        while ($chunk = array_slice($parts, count($this->results), $all ? null : ($has ? 1000 : 1))) {
            for (; strlen($batch = implode($chunk)) > 1 << 20 && count($chunk) > 1 && !$all; $chunk = array_slice($chunk, 0, count($chunk) >> 1));
            $answer = $this->answer($has ? 'put-batch ' . strlen($batch) . ($all ? ' all=true' : '') . "\r\n$batch" : 'put ' . substr($batch, 0, -2));
            array_push($this->results, ...(is_array($answer) ? $answer : array_fill(0, count($chunk), $answer)));
        }
        return array_map(fn ($result) => self::checked($result), $this->results);
    }
    /** Up to $size jobs; there may be none. beanstalkd gives one. */
    public function reserveBatch(int $size, float $timeout = 0): array {
        $batch = fn () => $this->ask('reserve-batch ' . min($size, 1000) . ' ' . round($timeout, 3), $timeout);
        $single = fn () => [$this->ask('reserve-with-timeout ' . (int) ceil($timeout), $timeout)];
        return $size < 1 ? [] : array_column($this->has('reserve-batch') ? $batch() : $single(), 'job');
    }
    /** Up to $count of ['job' => …, 'tube' => …, 'reserves' => …, 'tags' => […]]; there may be none. */
    public function reserveWith(int $count = 1, float $timeout = 0, array $tags = []): array {
        $this->has('reserve-with', ['tags' => $tags]);
        return $this->ask('reserve-with' . self::options(['count' => $count, 'timeout' => $timeout, 'tags' => $tags]), $timeout);
    }
    /** An array for each job. Options: tube, state, older, younger, tags, body, bodies, limit (of one answer). */
    public function listJobs(mixed ...$options): \Generator {
        $this->has('list-jobs', ['tags' => []]);
        for ($n = -1, $page = []; !$page || $options['cursor'] = $page['cursor'] ?? null; yield from $jobs) {
            [$jobs, $page] = [[], []];
            preg_match_all(self::LINE, $this->ask('list-jobs' . self::options($options)), $lines, PREG_SET_ORDER | PREG_UNMATCHED_AS_NULL);
            foreach ($lines as [, $indent, $name, $text]) {
                [$name, $value, $n] = [self::scalar($name), self::scalar($text), $n + ($indent === '- ' ? 1 : 0)];
                $indent === '' ? $page[$name] = $value : ($indent === '    ' ? $jobs[$n]['tags'][$name] = $value : $jobs[$n][$name] = $value);
            }
        }
    }
    private function has(string $verb, array $options = []): bool {
        $has = in_array($verb, $this->capabilities(), true);
        return $has || !array_diff_key($options, self::DEFAULTS) ? $has : throw new ServerUnknownCommandException("the server has no $verb");
    }
    private function ask(string $command, float $wait = 0): mixed { return self::checked($this->answer($command, $wait)); }
    private static function checked(mixed $answer): mixed { return $answer instanceof \Throwable ? throw $answer : $answer; }
    private function answer(string $command, float $wait = 0): mixed {
        strcspn($command, "\r") <= 1024 ?: throw new ServerBadFormatException('a line of more than 1024 bytes');
        [$connection, $socket] = [$this->connection(), fn () => $this->getSocket()];
        try {
            !$socket->call($connection) instanceof Lost ?: (fn () => $this->reconnect())->call($this->pheanstalk);
            ($socket = $socket->call($connection))->write("$command\r\n");
            return $this->read($this->line($socket, (int) ceil($wait)));
        } catch (\Throwable $e) { // the rest of the answer must not be taken for another
            $connection->disconnect();
            !method_exists($this->pheanstalk, 'reconnect') ?: (fn () => $this->socket = new Lost())->call($connection);
            throw $e;
        }
    }
    private function connection(): object { return (fn () => $this->connection)->call($this->pheanstalk); }
    private function line(object $socket, int $wait): string {
        $class = $socket instanceof Socket\FileSocket ? Socket\FileSocket::class : $socket::class;
        [$this->raw, $limit] = \Closure::bind(fn () => [$this->socket, $this->receiveTimeout ?? null], $socket, $class)();
        $stream = is_resource($this->raw); // whose getLine() takes half a line for a whole one
        !$stream || !$limit ?: stream_set_timeout($this->raw, $limit->seconds + $wait, $limit->microSeconds);
        return $stream ? $this->bytes() : $socket->getLine(...(class_exists(Values\Timeout::class) ? [new Values\Timeout($wait)] : []));
    }
    private function read(string $line): mixed {
        [$word, $a, $b] = explode(' ', $line) + ['', '', ''];
        $data = fn ($size) => substr($this->bytes((int) $size + 2), 0, -2);
        $id = fn () => class_exists(Values\JobId::class) ? new Values\JobId($a) : new \Pheanstalk\JobId((int) $a);
        $job = fn ($data) => class_exists(Values\Job::class) ? new Values\Job($id(), $data) : new \Pheanstalk\Job((int) $a, $data);
        return match ($word) {
            'INSERTED' => $id(), 'EXISTS' => new ExistsException($id()),
            'OK' => $data($a), 'TIMED_OUT' => [],
            'RESERVED' => ['job' => $job($data($b))] + self::told($line),
            'INSERTED_BATCH', 'RESERVED_BATCH', 'RESERVED_WITH' => array_map(fn () => $this->read($this->bytes()), array_fill(0, (int) $a, 0)),
            default => new ('Pheanstalk\Exception\\' . (self::REFUSALS[$word] ?? throw new ClientException("unknown answer $line")) . 'Exception')($word),
        };
    }
    private static function told(string $line): array {
        $told = array_column(array_map(fn ($word) => array_map('rawurldecode', explode('=', $word)), array_slice(explode(' ', $line), 3)), 1, 0);
        $tags = array_filter($told, fn ($name) => str_starts_with($name, 'tag.'), ARRAY_FILTER_USE_KEY);
        $told = array_diff_key($told, $tags) + ['tags' => array_combine(array_map(fn ($name) => substr($name, 4), array_keys($tags)), $tags)];
        return isset($told['reserves']) ? ['reserves' => (int) $told['reserves']] + $told : $told;
    }
    /** So many bytes, or a line. pheanstalk's own read() does not end if the server is gone, and its getLine() cuts long lines. */
    private function bytes(int $length = 0): string {
        for ($got = ''; $length ? strlen($got) < $length : !str_ends_with($got, "\r\n"); $got .= $more) {
            $want = max(1, $length - strlen($got));
            $more = (string) (is_resource($this->raw) ? fread($this->raw, $want) : @socket_read($this->raw, $want));
            $more !== '' ?: throw new ConnectionException(0, 'the answer ended in the middle');
        }
        return $length ? $got : substr($got, 0, -2);
    }
    private static function part(string $data, array $options): string {
        $numbers = array_map('rawurlencode', array_replace(self::DEFAULTS, array_intersect_key($options, self::DEFAULTS)));
        return implode(' ', $numbers) . ' ' . strlen($data) . self::options(array_diff_key($options, self::DEFAULTS)) . "\r\n$data";
    }
    private static function options(array $options): string {
        $tags = $options['tags'] ?? [];
        $pairs = array_combine(array_map(fn ($tag) => "tag.$tag", array_keys($tags)), $tags) + array_diff_key($options, ['tags' => 0]);
        return strtr(rtrim(' ' . http_build_query($pairs, '', ' ', PHP_QUERY_RFC3986)), [' keyFor=' => ' key-for=', '%2C' => ',']);
    }
    private static function scalar(?string $text): mixed {
        $rune = fn ($m) => strlen($m[1]) > 1 ? mb_chr(hexdec(substr($m[1], 1))) : stripcslashes($m[0]);
        $plain = fn () => $text === null ? [] : (ctype_digit($text) ? (int) $text : $text);
        $quoted = fn () => preg_replace_callback('/\\\\(x..|u.{4}|U.{8}|.)/', $rune, substr($text, 1, -1));
        return match ($text[0] ?? '') { '[' => json_decode($text, true), '"' => $quoted(), default => $plain() };
    }
}
