<?php
// Sends messages through Symfony's Messenger as it is: its transport for beanstalkd, a bus, and its worker.
//
//     php symfony.php HOST PORT

use Symfony\Component\Messenger\Bridge\Beanstalkd\Transport\BeanstalkdTransportFactory;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Stamp\TransportMessageIdStamp;
use Symfony\Component\Messenger\Transport\Serialization\PhpSerializer;
use Symfony\Component\Messenger\Worker;

require 'Symfony/Component/Messenger/autoload.php';
require 'Symfony/Component/Messenger/Bridge/Beanstalkd/autoload.php';
require __DIR__ . '/checks.php';

class Message
{
    public function __construct(public string $text)
    {
    }
}

pcntl_alarm(60);
$c = new Checks();
$factory = new BeanstalkdTransportFactory();
$dsn = "beanstalkd://$argv[1]:$argv[2]?tube_name=symfony&timeout=1&ttr=50"; // as MESSENGER_TRANSPORT_DSN
$transport = $factory->createTransport($dsn, [], new PhpSerializer());

$c->section = 'transport';
$c->that('the DSN is taken', $factory->supports($dsn, []), 'no');
$transport->send(new Envelope(new Message("one\r\n\0\xff")));
$transport->send(new Envelope(new Message('late'), [new DelayStamp(100000)]));
$c->equal('count', $transport->getMessageCount(), 1);
[$envelope] = [...$transport->get()];
$c->equal('message', bin2hex($envelope->getMessage()->text), bin2hex("one\r\n\0\xff"));
$transport->ack($envelope);
$transport->send(new Envelope(new Message('two')));
[$envelope] = [...$transport->get()];
$transport->reject($envelope);
$start = hrtime(true) / 1e9;
$c->equal('nothing is left', count([...$transport->get()]), 0);
$c->due('timeout', $start, 1);

$c->section = 'worker';
foreach (['a', 'b', 'c'] as $text) {
    $transport->send(new Envelope(new Message($text)));
}
$done = [];
$handler = function (Message $message) use (&$done, &$worker) {
    $done[] = $message->text;
    $message->text !== 'c' || $worker->stop();
};
$bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([Message::class => [$handler]]))]);
$worker = new Worker(['beanstalkd' => $transport], $bus);
$worker->run();
$c->equal('done', $done, ['a', 'b', 'c']);
$c->equal('left', $transport->getMessageCount(), 0);

$title = 'Symfony ' . trim((string) shell_exec("dpkg-query -W -f '\${Version}' php-symfony-beanstalkd-messenger"));
echo $c->failed ? "FAIL $title: $c->failed of $c->done checks failed\n" : "ok   $title: $c->done checks\n";
exit($c->failed ? 1 : 0);
