<?php
// Takes jobs through their whole life with pheanstalk, once over each of its two
// kinds of socket.
//
//     php pheanstalk.php HOST PORT
//
// in the folder that holds stats-keys.json. The environment: see the README.

use Pheanstalk\Connection;
use Pheanstalk\Exception\DeadlineSoonException;
use Pheanstalk\Exception\JobNotFoundException;
use Pheanstalk\Exception\JobTooBigException;
use Pheanstalk\Exception\ServerBadFormatException;
use Pheanstalk\Exception\ServerDrainingException;
use Pheanstalk\Exception\ServerException;
use Pheanstalk\Exception\ServerUnknownCommandException;
use Pheanstalk\Pheanstalk;
use Pheanstalk\SocketFactory;

require 'Pheanstalk/autoload.php';
require __DIR__ . '/checks.php';

const TIME_LIMIT = 60; // seconds, of the whole run
const PATIENCE = 10; // seconds, of a reserve that is expected to get a job
define('SERVER_PID', (int) getenv('SERVER_PID'));

class Session extends Checks
{
    public Pheanstalk $client;
    public string $tube;
    private array $known;
    private int $sockets;

    public function __construct(private string $host, private int $port)
    {
        $this->known = json_decode(file_get_contents('stats-keys.json'), true);
    }

    // Each section has connections and a tube of its own, so that one that broke leaves nothing in the way of the next.
    public function play(string $section, int $sockets): void
    {
        $this->section = $section . ($sockets === SocketFactory::SOCKET ? ', sockets' : ', streams');
        $this->tube = "php-$section-$sockets";
        $this->sockets = $sockets;
        try {
            [$this->client] = $this->another();
            $this->$section();
        } catch (Throwable $e) {
            $here = array_filter($e->getTrace(), fn ($frame) => ($frame['file'] ?? '') === __FILE__);
            $this->that('unexpected error', false, get_class($e) . ': ' . $e->getMessage() . ' at line ' . (reset($here)['line'] ?? $e->getLine()));
        }
    }

    // A client of the section's tube, and its connection, which alone can be closed.
    private function another(): array
    {
        $connection = new Connection(new SocketFactory($this->host, $this->port, 10, $this->sockets));
        return [(new Pheanstalk($connection))->useTube($this->tube)->watchOnly($this->tube), $connection];
    }

    // A string as the server writes it into stats: pheanstalk 4 leaves the quotes on. Of those that come up here, a YAML
    // reader takes for something else what begins with #, and numbers, which the name of a machine may be.
    private function text(string $s): string
    {
        $quotes = getenv('QUOTES');
        $misleading = preg_match('/^(#.*|[0-9.]+(e[0-9]+)?)$/D', $s) === 1;
        return $quotes === 'always' || $quotes === 'needed' && $misleading ? "\"$s\"" : $s;
    }

    public function tubes(): void
    {
        $long = str_repeat('t', 200);
        $this->client->useTube($long)->watch($long);
        $this->equal('list-tube-used', $this->client->listTubeUsed(true), $long);
        $this->equal('watched', $this->client->listTubesWatched(true), [$this->tube, $long]);
        foreach (['default', $this->tube, $long] as $name) {
            $this->equal("list-tubes has $name once", count(array_keys($this->client->listTubes(), $name, true)), 1);
        }
        $this->client->ignore($this->tube);
        $this->equal('watched', $this->client->listTubesWatched(true), [$long]);
        $this->refused('ignore the last', ServerException::class, 'NOT_IGNORED', fn () => $this->client->ignore($long));
    }

    public function order(): void
    {
        [$a, $b, $c] = [$this->client->put('a', 2000), $this->client->put('b', 10), $this->client->put('c', 10)];
        $this->equal('ids are dense', [$b->getId(), $c->getId()], [$a->getId() + 1, $a->getId() + 2]);
        $this->job('peek-ready', $this->client->peekReady(), $b, 'b');
        $this->stats('stats-tube', $this->client->statsTube($this->tube), [
            'name' => $this->text($this->tube), 'current-jobs-ready' => 3, 'current-jobs-urgent' => 2, 'total-jobs' => 3, 'current-using' => 1, 'current-watching' => 1,
        ]);
        $this->job('first', $this->client->reserve(), $b, 'b');
        $this->job('second', $this->client->reserveWithTimeout(PATIENCE), $c, 'c');
        $this->job('third', $this->client->reserveWithTimeout(0), $a, 'a');
        $this->that('nothing is left', $this->client->reserveWithTimeout(0) === null, 'a job');
        $this->stats('stats-tube', $this->client->statsTube($this->tube), ['current-jobs-ready' => 0, 'current-jobs-reserved' => 3]);
        array_map([$this->client, 'delete'], [$a, $b, $c]);
        $this->stats('stats-tube', $this->client->statsTube($this->tube), ['current-jobs-reserved' => 0, 'cmd-delete' => 3]);
    }

    public function life(): void
    {
        $job = $this->client->put('life', 7, 0, 90);
        $this->stats('stats-job', $this->client->statsJob($job), [
            'id' => $job->getId(), 'tube' => $this->text($this->tube), 'state' => 'ready', 'pri' => 7, 'delay' => 0, 'ttr' => 90, 'time-left' => 0,
        ]);
        $this->job('reserve', $this->client->reserve(), $job, 'life');
        $stats = $this->client->statsJob($job);
        $this->stats('stats-job', $stats, ['state' => 'reserved', 'reserves' => 1]);
        $this->equal('keys of stats-job', array_keys((array) $stats), $this->known['job']);
        $this->that('time-left is the ttr', $stats['time-left'] > 80 && $stats['time-left'] <= 90, $stats['time-left']);
        $this->client->touch($job);
        $this->client->release($job, 8);
        $this->stats('stats-job', $this->client->statsJob($job), ['state' => 'ready', 'pri' => 8, 'releases' => 1]);

        $this->job('reserve again', $this->client->reserve(), $job, 'life');
        $this->client->bury($job, 9);
        $this->stats('stats-job', $this->client->statsJob($job), ['state' => 'buried', 'pri' => 9, 'buries' => 1, 'reserves' => 2]);
        $this->job('peek-buried', $this->client->peekBuried(), $job, 'life');
        $this->equal('kick a buried job', $this->client->kick(10), 1);
        $this->stats('stats-job', $this->client->statsJob($job), ['state' => 'ready', 'kicks' => 1]);
        $this->client->delete($job);

        $job = $this->client->put('later', 0, 3600);
        $this->stats('stats-job', $this->client->statsJob($job), ['state' => 'delayed', 'delay' => 3600]);
        $this->job('peek-delayed', $this->client->peekDelayed(), $job, 'later');
        $this->client->kickJob($job);
        $this->stats('stats-job', $this->client->statsJob($job), ['state' => 'ready', 'kicks' => 1]);
        $this->job('reserve', $this->client->reserve(), $job, 'later');
        $this->job('peek at a reserved job of another', $this->another()[0]->peek($job), $job, 'later');
        $this->client->delete($job);
    }

    // A delay passes, and a touch moves a deadline meanwhile.
    public function time(): void
    {
        $held = $this->client->put('held');
        $this->job('reserve', $this->client->reserve(), $held, 'held');
        $start = hrtime(true) / 1e9;
        $late = $this->client->put('late', 0, 1);
        $this->job('a delayed job comes due', $this->client->reserveWithTimeout(PATIENCE), $late, 'late');
        $this->due('its delay', $start, 1);

        $before = (int) $this->client->statsJob($held)['time-left'];
        $this->that('time-left goes down', $before <= 58, $before);
        $this->client->touch($held);
        $after = (int) $this->client->statsJob($held)['time-left'];
        $this->that('touch lifts time-left', $after > $before, $after);

        $this->client->release($late, 3, 3600);
        $this->stats('stats-job', $this->client->statsJob($late), ['state' => 'delayed', 'delay' => 3600, 'pri' => 3, 'releases' => 1]);
        $this->client->kickJob($late);
        $this->job('a kicked job', $this->client->reserve(), $late, 'late');
        $start = hrtime(true) / 1e9;
        $this->client->release($late, 3, 1);
        $this->job('a job released with a delay comes due', $this->client->reserveWithTimeout(PATIENCE), $late, 'late');
        $this->due('its delay', $start, 1);
        array_map([$this->client, 'delete'], [$held, $late]);
    }

    public function pause(): void
    {
        $job = $this->client->put('paused');
        $this->client->pauseTube($this->tube, 3600);
        $this->that('reserve from a paused tube', $this->client->reserveWithTimeout(0) === null, 'a job');
        $stats = $this->client->statsTube($this->tube);
        $this->stats('stats-tube', $stats, ['pause' => 3600, 'cmd-pause-tube' => 1, 'current-jobs-ready' => 1]);
        $this->equal('keys of stats-tube', array_keys((array) $stats), $this->known['tube']);
        $left = $stats['pause-time-left'];
        $this->that('pause-time-left', $left > 3590 && $left <= 3600, $left);
        $this->client->resumeTube($this->tube);
        $this->job('after the pause was lifted', $this->client->reserve(), $job, 'paused');
        $this->client->release($job);
        $start = hrtime(true) / 1e9;
        $this->client->pauseTube($this->tube, 1);
        $this->job('when the pause ends by itself', $this->client->reserveWithTimeout(PATIENCE), $job, 'paused');
        $this->due('the pause', $start, 1);
        $this->client->delete($job);
    }

    public function bodies(): void
    {
        $largest = (int) $this->client->stats()['max-job-size'];
        $bodies = [
            'every octet' => implode('', array_map('chr', range(0, 255))), 'empty' => '', 'zero' => '0', 'line ends' => "\r\n\r\nput 0 0 1 1\r\n",
            'unicode' => 'Grüße, 世界 🫘', 'largest' => substr(str_repeat("\x00\xff\r\n", $largest), 0, $largest),
        ];
        foreach ($bodies as $what => $body) {
            $job = $this->client->put($body);
            $this->job("peek $what", $this->client->peek($job), $job, $body);
            $this->job($what, $this->client->reserve(), $job, $body);
            $this->client->delete($job);
        }
        $this->refused('one octet too many', JobTooBigException::class, 'JOB_TOO_BIG', fn () => $this->client->put(str_repeat('x', $largest + 1)));
        $job = $this->client->put('after');
        $this->job('the connection goes on', $this->client->reserve(), $job, 'after');
        $this->client->delete($job);
    }

    public function errors(): void
    {
        $job = $this->client->put('taken');
        $this->job('reserve', $this->client->reserve(), $job, 'taken');
        [$other] = $this->another();
        $gone = fn (string $what, Closure $command) => $this->refused($what, JobNotFoundException::class, 'NOT_FOUND', $command);
        $gone("delete another's job", fn () => $other->delete($job));
        $gone("release another's job", fn () => $other->release($job));
        $gone("bury another's job", fn () => $other->bury($job));
        $gone("touch another's job", fn () => $other->touch($job));
        $gone('kick a reserved job', fn () => $this->client->kickJob($job));
        $this->client->delete($job);

        $gone('delete twice', fn () => $this->client->delete($job));
        $gone('peek at what is gone', fn () => $this->client->peek($job));
        foreach (['peekReady', 'peekDelayed', 'peekBuried'] as $peek) {
            $this->that($peek, $this->client->$peek() === null, 'a job');
        }
        $this->equal('kick nothing', $this->client->kick(5), 0);
        $this->refused('stats-job of what is gone', ServerException::class, 'NOT_FOUND', fn () => $this->client->statsJob($job));
        $this->refused('stats-tube of no tube', ServerException::class, 'NOT_FOUND', fn () => $this->client->statsTube('php-nowhere'));
        $this->refused('pause no tube', ServerException::class, 'NOT_FOUND', fn () => $this->client->pauseTube('php-nowhere', 1));
        $this->refused('a bad name', ServerBadFormatException::class, 'BAD_FORMAT', fn () => $this->another()[0]->useTube('-dash'));
        $this->refused('a name with a space', ServerBadFormatException::class, 'BAD_FORMAT', fn () => $this->another()[0]->watch('a b'));
        // A name with a line end is two commands for the server, the second unknown.
        $this->refused('an unknown command', ServerUnknownCommandException::class, 'UNKNOWN_COMMAND', function () {
            [$two] = $this->another();
            $two->watch("$this->tube\r\nnonsense");
            $two->stats();
        });
    }

    // The last second of a ttr wakes whoever waits for another job.
    public function deadline(): void
    {
        foreach (['reserve' => [], 'reserveWithTimeout' => [PATIENCE]] as $reserve => $arguments) {
            $job = $this->client->put('soon', 0, 0, 2);
            $this->job('reserve', $this->client->reserve(), $job, 'soon');
            $this->refused("$reserve near the deadline", DeadlineSoonException::class, '', fn () => $this->client->$reserve(...$arguments));
            $this->client->delete($job);
        }
    }

    // What a client held when it left is ready again.
    public function hangup(): void
    {
        $job = $this->client->put('orphan', 4, 0, 3600);
        [$other, $connection] = $this->another();
        $this->job('reserve', $other->reserve(), $job, 'orphan');
        $connection->disconnect();
        $this->job('the orphan comes back', $this->client->reserveWithTimeout(PATIENCE), $job, 'orphan');
        $this->stats('stats-job', $this->client->statsJob($job), ['pri' => 4, 'reserves' => 2, 'releases' => 0, 'timeouts' => 0]);
        $this->client->delete($job);
    }

    public function stats_of_all(): void
    {
        $before = $this->client->stats();
        $this->equal('keys of stats', array_slice(array_keys((array) $before), 0, count($this->known['stats'])), $this->known['stats']);
        $job = $this->client->put('counted');
        $this->job('reserve', $this->client->reserve(), $job, 'counted');
        $this->client->delete($job);
        $after = $this->client->stats();
        foreach (['cmd-put' => 1, 'total-jobs' => 1, 'cmd-reserve' => 1, 'cmd-delete' => 1, 'cmd-stats' => 1, 'cmd-bury' => 0, 'cmd-use' => 0] as $key => $more) {
            $this->equal("$key grew by", (int) $after[$key] - (int) $before[$key], $more);
        }
        $this->stats('stats', $after, [
            'pid' => SERVER_PID, 'draining' => 'false',
            'hostname' => $this->text(php_uname('n')), 'os' => $this->text(php_uname('v')), 'platform' => $this->text(php_uname('m')),
        ]);
        $this->that('id', preg_match('/^[0-9a-f]{16}$/D', $after['id']) === 1, $after['id']);
        $this->that('version is quoted', preg_match('/^".+"$/D', $after['version']) === 1, $after['version']);
    }

    // The sections before deleted what they put.
    public function leftovers(): void
    {
        $none = array_fill_keys(array_map(fn ($s) => "current-jobs-$s", ['urgent', 'ready', 'reserved', 'delayed', 'buried']), 0);
        $this->stats('stats', $this->client->stats(), $none);
    }

    // SIGUSR1 makes the server refuse new jobs, for ever, and go on with those it has.
    public function drain(): void
    {
        $job = $this->client->put('before');
        posix_kill(SERVER_PID, SIGUSR1);
        while ($this->client->stats()['draining'] !== 'true') {
        }
        $this->refused('put', ServerDrainingException::class, 'DRAINING', fn () => $this->client->put('after'));
        $this->job('reserve', $this->client->reserve(), $job, 'before');
        $this->client->delete($job);
    }
}

if (count($argv) !== 3 || SERVER_PID === 0) { // signals to 0 would hit this process
    fwrite(STDERR, "usage: SERVER_PID=N php pheanstalk.php HOST PORT\n");
    exit(2);
}
pcntl_alarm(TIME_LIMIT); // its signal ends the process, even in the middle of a read
$title = 'pheanstalk ' . trim((string) shell_exec("dpkg-query -W -f '\${Version}' php-pda-pheanstalk"));
$session = new Session($argv[1], (int) $argv[2]);
foreach ([SocketFactory::SOCKET, SocketFactory::STREAM] as $sockets) {
    foreach (['tubes', 'order', 'life', 'time', 'pause', 'bodies', 'errors', 'deadline', 'hangup', 'stats_of_all', 'leftovers'] as $section) {
        $session->play($section, $sockets);
    }
}
$session->play('drain', SocketFactory::STREAM);
echo $session->failed ? "FAIL $title: $session->failed of $session->done checks failed\n" : "ok   $title: $session->done checks\n";
exit($session->failed ? 1 : 0);
