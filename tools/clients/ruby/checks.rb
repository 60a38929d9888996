# Counts what was compared. A wrong value is reported and the section goes on;
# an unexpected error ends the section.
class Checks
  attr_accessor :section
  attr_reader :done, :failed

  def initialize(title)
    @title = title
    @done = @failed = 0
  end

  def that(what, ok, got)
    @done += 1
    return if ok

    @failed += 1
    warn "FAIL #{@title}: #{section}: #{what}: got #{got}"
  end

  def equal(what, got, want)
    that(what, got == want, "#{got.inspect}, want #{want.inspect}")
  end

  # beaneater gives ids as strings and bodies as bytes.
  def job(what, got, id, body)
    equal("#{what}: id", got&.id, id)
    show = ->(b) { "#{b.to_s.bytesize} bytes #{b.to_s.b[0, 40].inspect}" }
    that("#{what}: body", got&.body.to_s.b == body.b, "#{show.(got&.body)}, want #{show.(body)}")
  end

  def stats(what, got, want)
    want.each { |key, value| equal("#{what} #{key}", got.to_h[key], value) }
  end

  def refused(what, error)
    yield
    that(what, false, 'no error')
  rescue Beaneater::UnexpectedResponse, Beaneater::InvalidTubeName, Beaneater::JobNotReserved => e
    that(what, e.instance_of?(error), "#{e.class}, want #{error}")
  end

  # More than low and less than low + 4 seconds since start, give or take a clock's tick.
  def due(what, start, low)
    took = now - start
    that(what, took >= low - 0.1 && took < low + 4, "#{took} s")
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
