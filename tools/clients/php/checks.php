<?php
// Counts what was compared. A wrong value is reported and the section goes on;
// an unexpected exception ends the section.

use Pheanstalk\Contract\JobIdInterface;
use Pheanstalk\Job;

class Checks
{
    public string $section = '';
    public int $done = 0;
    public int $failed = 0;

    public function that(string $what, bool $ok, $got): void
    {
        $this->done++;
        if (!$ok) {
            $this->failed++;
            fwrite(STDERR, "FAIL pheanstalk: $this->section: $what: got $got\n");
        }
    }

    // As text: pheanstalk hands stats over as strings.
    public function equal(string $what, $got, $want): void
    {
        [$got, $want] = [is_array($got) ? json_encode($got) : (string) $got, is_array($want) ? json_encode($want) : (string) $want];
        $this->that($what, $got === $want, "$got, want $want");
    }

    public function job(string $what, ?Job $got, JobIdInterface $want, string $body): void
    {
        $this->equal("$what: id", $got?->getId(), $want->getId());
        $data = (string) $got?->getData();
        $show = fn ($b) => strlen($b) . ' bytes ' . json_encode(substr($b, 0, 40), JSON_INVALID_UTF8_SUBSTITUTE);
        $this->that("$what: body", $data === $body, $show($data) . ', want ' . $show($body));
    }

    public function stats(string $what, ArrayObject $got, array $want): void
    {
        foreach ($want as $key => $value) {
            $this->equal("$what $key", $got[$key] ?? 'nothing', $value);
        }
    }

    // The exception's class, and the protocol's word where the message has it.
    public function refused(string $what, string $class, string $word, Closure $command): void
    {
        try {
            $command();
            $this->that($what, false, 'no exception');
        } catch (\Pheanstalk\Exception $e) {
            $got = get_class($e) . ': ' . $e->getMessage();
            $this->that($what, $e instanceof $class && ($word === '' || str_contains($got, $word)), "$got, want $class: $word");
        }
    }

    // More than $low and less than $low + 4 seconds since $start, give or take a clock's tick.
    public function due(string $what, float $start, float $low): void
    {
        $took = hrtime(true) / 1e9 - $start;
        $this->that($what, $took >= $low - 0.1 && $took < $low + 4, "$took s");
    }
}
