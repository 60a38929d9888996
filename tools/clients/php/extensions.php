<?php
// Takes the steps of extensions/steps.json with pheanstalk over one kind of socket, SOCKET or STREAM.
//
//     STEPS=beanfield php extensions.php SOCKET HOST PORT
//
// PHEANSTALK may name the folder of another version than Debian's, in which src is.

use Pheanstalk\Connection;
use Pheanstalk\Exception;
use Pheanstalk\Pheanstalk;
use Pheanstalk\SocketFactory;
use Pheanstalk\Values;

if ($folder = getenv('PHEANSTALK')) {
    spl_autoload_register(function ($class) use ($folder) {
        $file = "$folder/src/" . strtr(substr($class, strlen('Pheanstalk\\')), '\\', '/') . '.php';
        !str_starts_with($class, 'Pheanstalk\\') || !is_file($file) || require $file;
    });
} else {
    require 'Pheanstalk/autoload.php';
}
require __DIR__ . '/checks.php';
require __DIR__ . '/../extensions/beanfield.php';

define('PART', getenv('STEPS'));

class Session extends Checks
{
    private const WORDS = [
        'ServerOutOfMemory' => 'OUT_OF_MEMORY', 'ServerInternalError' => 'INTERNAL_ERROR', 'ServerBadFormat' => 'BAD_FORMAT', 'Connection' => 'LOST',
        'ServerUnknownCommand' => 'UNKNOWN_COMMAND', 'ServerDraining' => 'DRAINING', 'JobTooBig' => 'JOB_TOO_BIG', 'JobNotFound' => 'NOT_FOUND',
        'DeadlineSoon' => 'DEADLINE_SOON', 'Exists' => 'EXISTS', 'Socket' => 'LOST',
    ];
    private Pheanstalk $client;
    private Beanfield\Commands $commands;
    private string $tube;

    public function __construct(private string $host, private int $port)
    {
    }

    public function play(string $kind): void
    {
        $this->tube = "ext-php-$kind";
        foreach ($this->stand(json_decode(file_get_contents(__DIR__ . '/../extensions/steps.json'), true)[PART]) as $i => $step) {
            if ($i === 0 || PART === 'stand-in' && !isset($step['stay'])) {
                $this->connect($kind);
            }
            try { // a command of pheanstalk's, so that it is who connects again
                !isset($step['own']) || $this->client->delete(class_exists(Values\JobId::class) ? new Values\JobId('1') : new \Pheanstalk\JobId(1));
            } catch (Exception\ConnectionException) { // pheanstalk 5 and later only close
            }
            !isset($step['stay']) || !class_exists(Values\TubeName::class) || $this->client->useTube(new Values\TubeName($this->tube));
            $this->section = "$kind, " . substr(json_encode($step), 0, 120);
            $this->take($step);
        }
    }

    private function stand(mixed $value): mixed
    {
        return match (true) {
            is_array($value) => array_map([$this, 'stand'], $value),
            $value === '$tube' => $this->tube,
            is_string($value) && preg_match('/^\$\d+$/', $value) === 1 => str_repeat('x', (int) substr($value, 1)),
            default => $value,
        };
    }

    private function connect(string $kind): void
    {
        $new = class_exists(Values\TubeName::class);
        $factory = $new ? new SocketFactory($this->host, $this->port, constant("Pheanstalk\\Values\\SocketImplementation::$kind"))
            : new SocketFactory($this->host, $this->port, 10, constant("Pheanstalk\\SocketFactory::$kind"));
        $this->client = new Pheanstalk(new Connection($factory));
        $this->client->watch($new ? new Values\TubeName($this->tube) : $this->tube);
        $this->client->ignore($new ? new Values\TubeName('default') : 'default');
        $this->client->useTube($new ? new Values\TubeName($this->tube) : $this->tube);
        $this->commands = new Beanfield\Commands($this->client);
    }

    private function take(array $step): void
    {
        $start = hrtime(true) / 1e9;
        [$got, $refused, $results] = [[], '', []];
        try {
            $got = array_map([$this, 'plain'], $this->call($step));
        } catch (Exception $e) {
            [$refused, $results] = [$this->plain($e), array_map([$this, 'plain'], $this->commands->results)];
        }
        $this->equal('refused', $refused, $step['refused'] ?? '');
        !isset($step['results']) || $this->equal('results', $results, $step['results']);
        !isset($step['want']) || $this->equal('answer', $this->like($got, $step['want']), $this->sorted($step['want']));
        !isset($step['number']) || $this->equal('number', count($got), $step['number']);
        !isset($step['took']) || $this->due('took', $start, $step['took']);
    }

    private function call(array $step): array
    {
        $options = $step['options'] ?? [];
        if (isset($options['key_for'])) {
            $options = ['keyFor' => $options['key_for']] + array_diff_key($options, ['key_for' => 0]);
        }
        switch ($step['call']) {
            case 'put_with':
                return [$this->commands->putWith($this->bytes($step['body']), ...$options)];
            case 'put_batch':
                $jobs = array_map(fn ($job) => [$this->bytes($job[0])] + $job[1], $step['jobs']);
                return $this->commands->putBatch(array_merge(...array_fill(0, $step['times'] ?? 1, $jobs)), $step['all'] ?? false);
            case 'reserve_batch':
                return $this->commands->reserveBatch($step['size'], $step['timeout']);
            case 'reserve_with':
                return $this->commands->reserveWith($step['count'] ?? 1, $step['timeout'], $step['tags'] ?? []);
            case 'list_jobs':
                return iterator_to_array($this->commands->listJobs(...$options));
        }
        $this->commands->auth($step['token']);
        return [];
    }

    private function bytes(string $text): string
    {
        return mb_convert_encoding($text, 'ISO-8859-1', 'UTF-8');
    }

    // An answer as it is in the steps. Jobs that were reserved are deleted by pheanstalk's own command.
    private function plain(mixed $answer): mixed
    {
        if ($answer instanceof Throwable) {
            $class = preg_replace('/^.*\\\\|Exception$/', '', get_class($answer));
            return self::WORDS[$class] ?? preg_replace('/^unknown answer (\S+).*/', '$1', $answer->getMessage());
        }
        if (is_array($answer) && isset($answer['job'])) {
            return ['body' => $this->plain($answer['job'])] + array_diff_key($answer, ['job' => 0]);
        }
        if (is_object($answer) && method_exists($answer, 'getData')) {
            $this->client->delete($answer);
            return mb_convert_encoding($answer->getData(), 'UTF-8', 'ISO-8859-1');
        }
        return is_object($answer) ? 'id' : $answer;
    }

    // Of a listing, only the keys that are wanted are compared, and jobs come in any order.
    private function like(array $got, array $want): array
    {
        if (isset($want[0]['state'])) {
            usort($got, fn ($a, $b) => [$a['state'], $a['pri']] <=> [$b['state'], $b['pri']]);
            foreach ($want as $i => $job) {
                $got[$i] = array_intersect_key($got[$i] ?? [], $job);
            }
        }
        return $this->sorted($got);
    }

    private function sorted(array $value): array
    {
        array_is_list($value) || ksort($value, SORT_STRING);
        return array_map(fn ($v) => is_array($v) ? $this->sorted($v) : $v, $value);
    }
}

$title = 'pheanstalk ' . (basename(getenv('PHEANSTALK') ?: '') ?: trim((string) shell_exec("dpkg-query -W -f '\${Version}' php-pda-pheanstalk"))) . ' with extensions, ' . PART . ', ' . $argv[1];
pcntl_alarm(60); // its signal ends the process, even in the middle of a read
$session = new Session($argv[2], (int) $argv[3]);
try {
    $session->play($argv[1]);
} catch (Throwable $e) {
    $session->that('unexpected error', false, $e);
}
echo $session->failed ? "FAIL $title: $session->failed of $session->done checks failed\n" : "ok   $title: $session->done checks\n";
exit($session->failed ? 1 : 0);
