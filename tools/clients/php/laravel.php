<?php
// Takes jobs through Laravel's queue as it is: its manager, its driver "beanstalkd", and its worker.
//
//     php laravel.php HOST PORT

use Illuminate\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Events\Dispatcher;
use Illuminate\Queue\Capsule\Manager;
use Illuminate\Queue\Worker;
use Illuminate\Queue\WorkerOptions;

require 'Illuminate/Queue/autoload.php';
require 'Illuminate/Events/autoload.php';
require 'Pheanstalk/autoload.php';
require __DIR__ . '/checks.php';
require __DIR__ . '/../extensions/beanfield.php';

// What is pushed: it fails until it has been tried as often as its data says.
class Work
{
    public static array $done = [];

    public function fire($job, array $data): void
    {
        if ($job->attempts() < $data['tries']) {
            throw new RuntimeException('not yet');
        }
        self::$done[] = $data['name'];
        $job->delete();
    }

    public function failed(array $data): void
    {
        self::$done[] = "$data[name] failed";
    }
}

class Handler implements ExceptionHandler
{
    public function report(Throwable $e)
    {
        $e->getMessage() === 'not yet' || $e instanceof Illuminate\Queue\MaxAttemptsExceededException || throw $e;
    }

    public function shouldReport(Throwable $e)
    {
        return true;
    }

    public function render($request, Throwable $e)
    {
    }

    public function renderForConsole($output, Throwable $e)
    {
    }
}

pcntl_alarm(60);
$c = new Checks();
$container = new Container();
$events = new Dispatcher($container);
$container->instance('events', $events);
$container->instance('Illuminate\Contracts\Events\Dispatcher', $events);
$laravel = new Manager($container);
$laravel->addConnection([ // as in config/queue.php
    'driver' => 'beanstalkd', 'host' => $argv[1], 'port' => (int) $argv[2], 'queue' => 'laravel', 'retry_after' => 90, 'block_for' => 0,
]);
$queue = $laravel->getConnection();

$c->section = 'driver';
$id = $queue->push('Work', ['name' => 'a', 'tries' => 1])->getId();
$queue->later(100, 'Work', ['name' => 'late', 'tries' => 1]);
$c->equal('size', $queue->size(), 1);
$job = $queue->pop();
$c->equal('id', $job->getJobId(), $id);
$c->equal('attempts', $job->attempts(), 1);
$stats = $queue->getPheanstalk()->statsJob($job->getPheanstalkJob());
$c->equal('ttr', $stats['ttr'], 90);
$job->release(0);
$job = $queue->pop();
$c->equal('attempts after a release', $job->attempts(), 2);
$c->equal('payload', $job->payload()['data'], ['name' => 'a', 'tries' => 1]);
$job->bury();
$c->equal('buried', $queue->getPheanstalk()->statsTube('laravel')['current-jobs-buried'], 1);
$queue->deleteMessage('laravel', $id);
$c->that('nothing is left', $queue->pop() === null, 'a job');

$c->section = 'worker';
$worker = new Worker($laravel->getQueueManager(), $events, new Handler(), fn () => false);
$queue->push('Work', ['name' => 'first', 'tries' => 1]);
$queue->push('Work', ['name' => 'second', 'tries' => 3]);
$queue->push('Work', ['name' => 'third', 'tries' => 9]);
$worker->daemon('default', 'laravel', new WorkerOptions(backoff: 0, maxTries: 3, stopWhenEmpty: true, sleep: 0));
$c->equal('done', Work::$done, ['first', 'second', 'third failed']);
$stats = $queue->getPheanstalk()->statsTube('laravel');
$c->equal('left', [$stats['current-jobs-ready'], $stats['current-jobs-reserved'], $stats['current-jobs-delayed']], ['0', '0', '1']);

// Laravel's own connection with the extension, and a payload as Laravel makes it.
$c->section = 'extension';
$commands = new Beanfield\Commands($queue->getPheanstalk());
if ($commands->capabilities()) {
    $payload = fn ($name) => json_encode(['job' => 'Work', 'data' => ['name' => $name, 'tries' => 1]]);
    $commands->putBatch([[$payload('x'), 'tube' => 'laravel'], [$payload('y'), 'tube' => 'laravel', 'key' => 'y']]);
    $worker->daemon('default', 'laravel', new WorkerOptions(stopWhenEmpty: true, sleep: 0));
    $c->equal('done', array_slice(Work::$done, 3), ['x', 'y']);
}

$title = 'Laravel ' . trim((string) shell_exec("dpkg-query -W -f '\${Version}' php-illuminate-queue"));
echo $c->failed ? "FAIL $title: $c->failed of $c->done checks failed\n" : "ok   $title: $c->done checks\n";
exit($c->failed ? 1 : 0);
