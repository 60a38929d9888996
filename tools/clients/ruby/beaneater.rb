# Takes jobs through their whole life with beaneater.
#
#     ruby beaneater.rb HOST PORT
#
# in the folder that holds stats-keys.json. The environment: see the README.
require 'beaneater'
require 'etc'
require 'json'
require 'timeout'
require_relative 'checks'

TIME_LIMIT = 60 # seconds, of the whole run
PATIENCE = 10 # seconds, of a reserve that is expected to get a job
SERVER_PID = Integer(ENV.fetch('SERVER_PID')) # without it signals would hit this process
KNOWN = JSON.parse(File.read('stats-keys.json')).transform_values { |keys| keys.map { |key| key.tr('-', '_') } }

# One client that uses and watches one tube alone, and the checks of one section.
class Session
  SECTIONS = %i[tubes order life time pause bodies mistakes deadline waiting hangup all_stats leftovers drain].freeze

  def initialize(checks, address)
    @c = checks
    @address = address
  end

  # Each section has connections and a tube of its own, so that one that broke leaves nothing in the way of the next.
  def play(section)
    @c.section = section
    @name = "ruby-#{section}"
    @open = []
    @client = another
    @tube = @client.tubes[@name]
    send(section)
  rescue Timeout::Error
    raise
  rescue StandardError => e
    @c.that('unexpected error', false, "#{e.class}: #{e.message} at #{e.backtrace.find { |line| line.start_with?(__FILE__) }}")
  ensure
    @open.each(&:close)
  end

  private

  def another
    client = Beaneater.new(@address)
    @open << client
    client.tubes.watch!(@name)
    client.tubes.use(@name)
    client
  end

  def put(body, **options)
    @tube.put(body, **options)[:id]
  end

  def stats_of(id)
    @client.jobs[id].stats
  end

  def tubes
    long = 't' * 200
    @client.tubes.use(long)
    @client.tubes.watch(long)
    @c.equal('list-tube-used', @client.tubes.used.name, long)
    @c.equal('watched', @client.tubes.watched.map(&:name), [@name, long])
    ['default', @name, long].each { |name| @c.equal("list-tubes has #{name} once", @client.tubes.all.count { |t| t.name == name }, 1) }
    @client.tubes.ignore(@name)
    @c.equal('watched', @client.tubes.watched.map(&:name), [long])
    @c.refused('ignore the last', Beaneater::NotIgnoredError) { @client.tubes.ignore(long) }
    @c.refused('use a bad name', Beaneater::InvalidTubeName) { @client.tubes.use('-dash') }
    @c.refused('watch a bad name', Beaneater::InvalidTubeName) { @client.tubes.watch('a b') }
  end

  def order
    a, b, c = put('a', pri: 2000), put('b', pri: 10), put('c', pri: 10)
    @c.equal('ids are dense', [b, c].map(&:to_i), [a.to_i + 1, a.to_i + 2])
    @c.job('peek-ready', @tube.peek(:ready), b, 'b')
    @c.stats('stats-tube', @tube.stats, 'name' => @name, 'current_jobs_ready' => 3, 'current_jobs_urgent' => 2,
                                        'total_jobs' => 3, 'current_using' => 1, 'current_watching' => 1)
    jobs = [@client.tubes.reserve, @client.tubes.reserve(PATIENCE), @client.tubes.reserve(0)]
    [['first', b, 'b'], ['second', c, 'c'], ['third', a, 'a']].zip(jobs) { |(what, id, body), job| @c.job(what, job, id, body) }
    @c.refused('nothing is left', Beaneater::TimedOutError) { @client.tubes.reserve(0) }
    @c.stats('stats-tube', @tube.stats, 'current_jobs_ready' => 0, 'current_jobs_reserved' => 3)
    jobs.each(&:delete)
    @c.stats('stats-tube', @tube.stats, 'current_jobs_reserved' => 0, 'cmd_delete' => 3)
  end

  def life
    id = put('life', pri: 7, ttr: 90)
    @c.stats('stats-job', stats_of(id), 'id' => id.to_i, 'tube' => @name, 'state' => 'ready', 'pri' => 7, 'delay' => 0, 'ttr' => 90, 'time_left' => 0)
    job = @client.tubes.reserve
    @c.job('reserve', job, id, 'life')
    @c.stats('stats-job', job.stats, 'state' => 'reserved', 'reserves' => 1)
    @c.equal('keys of stats-job', job.stats.keys, KNOWN['job'])
    left = job.stats.to_h['time_left']
    @c.that('time-left is the ttr', left > 80 && left <= 90, left)
    @c.equal('touch', job.touch[:status], 'TOUCHED')
    @c.equal('release', job.release(pri: 8)[:status], 'RELEASED')
    @c.stats('stats-job', job.stats, 'state' => 'ready', 'pri' => 8, 'releases' => 1)

    job = @client.tubes.reserve
    @c.job('reserve again', job, id, 'life')
    @c.equal('bury', job.bury(pri: 9)[:status], 'BURIED')
    @c.stats('stats-job', job.stats, 'state' => 'buried', 'pri' => 9, 'buries' => 1, 'reserves' => 2)
    @c.job('peek-buried', @tube.peek(:buried), id, 'life')
    @c.equal('kick a buried job', @tube.kick(10)[:id], '1')
    @c.stats('stats-job', job.stats, 'state' => 'ready', 'kicks' => 1)
    @c.equal('delete', job.delete[:status], 'DELETED')
    @c.equal('it is gone', job.exists?, false)
    delayed
  end

  def delayed
    id = put('later', delay: 3600)
    @c.stats('stats-job', stats_of(id), 'state' => 'delayed', 'delay' => 3600)
    job = @tube.peek(:delayed)
    @c.job('peek-delayed', job, id, 'later')
    @c.equal('kick-job', job.kick[:status], 'KICKED')
    @c.stats('stats-job', stats_of(id), 'state' => 'ready', 'kicks' => 1)
    job = @client.tubes.reserve
    @c.job('reserve', job, id, 'later')
    @c.job('peek at a reserved job of another', another.jobs.find(id), id, 'later')
    job.delete
  end

  # A delay passes, and a touch moves a deadline meanwhile.
  def time
    put('held', ttr: 60)
    held = @client.tubes.reserve
    start = @c.now
    id = put('late', delay: 1)
    late = @client.tubes.reserve(PATIENCE)
    @c.job('a delayed job comes due', late, id, 'late')
    @c.due('its delay', start, 1)

    before = held.stats.to_h['time_left']
    @c.that('time-left goes down', before <= 58, before)
    held.touch
    after = held.stats.to_h['time_left']
    @c.that('touch lifts time-left', after > before, after)

    late.release(pri: 3, delay: 3600)
    @c.stats('stats-job', late.stats, 'state' => 'delayed', 'delay' => 3600, 'pri' => 3, 'releases' => 1)
    late.kick
    late = @client.tubes.reserve
    start = @c.now
    late.release(pri: 3, delay: 1)
    late = @client.tubes.reserve(PATIENCE)
    @c.job('a job released with a delay comes due', late, id, 'late')
    @c.due('its delay', start, 1)
    [held, late].each(&:delete)
  end

  def pause
    id = put('paused')
    @c.equal('pause-tube', @tube.pause(3600)[:status], 'PAUSED')
    @c.refused('reserve from a paused tube', Beaneater::TimedOutError) { @client.tubes.reserve(0) }
    stats = @tube.stats
    @c.stats('stats-tube', stats, 'pause' => 3600, 'cmd_pause_tube' => 1, 'current_jobs_ready' => 1)
    @c.equal('keys of stats-tube', stats.keys, KNOWN['tube'])
    left = stats.to_h['pause_time_left']
    @c.that('pause-time-left', left > 3590 && left <= 3600, left)
    @tube.pause(0)
    job = @client.tubes.reserve
    @c.job('after the pause was lifted', job, id, 'paused')
    job.release
    start = @c.now
    @tube.pause(1)
    job = @client.tubes.reserve(PATIENCE)
    @c.job('when the pause ends by itself', job, id, 'paused')
    @c.due('the pause', start, 1)
    job.delete
  end

  def bodies
    largest = @client.stats.max_job_size
    bodies = {
      'every octet' => (0..255).map(&:chr).join.b, 'empty' => '', 'zero' => '0', 'line ends' => "\r\n\r\nput 0 0 1 1\r\n",
      'unicode' => 'Grüße, 世界 🫘', 'largest' => ("\x00\xff\r\n".b * largest)[0, largest]
    }
    bodies.each do |what, body|
      id = put(body)
      @c.job("peek #{what}", @client.jobs.find(id), id, body)
      job = @client.tubes.reserve
      @c.job(what, job, id, body)
      job.delete
    end
    @c.refused('one octet too many', Beaneater::JobTooBigError) { put('x' * (largest + 1)) }
    id = put('after')
    job = @client.tubes.reserve
    @c.job('the connection goes on', job, id, 'after')
    job.delete
  end

  def mistakes
    id = put('taken')
    job = @client.tubes.reserve
    @c.job('reserve', job, id, 'taken')
    theirs = another.jobs.find(id)
    %i[delete release bury touch].each do |verb|
      @c.refused("#{verb} another's job", Beaneater::NotFoundError) { theirs.send(verb) }
    end
    @c.refused('kick a reserved job', Beaneater::NotFoundError) { job.kick }
    job.delete

    %i[delete kick stats].each { |verb| @c.refused("#{verb} what is gone", Beaneater::NotFoundError) { job.send(verb) } }
    @c.equal('peek at what is gone', @client.jobs.find(id), nil)
    %i[ready delayed buried].each { |state| @c.equal("peek-#{state}", @tube.peek(state), nil) }
    @c.equal('kick nothing', @tube.kick(5)[:id], '0')
    nowhere = @client.tubes['ruby-nowhere']
    @c.refused('stats-tube of no tube', Beaneater::NotFoundError) { nowhere.stats }
    @c.refused('pause no tube', Beaneater::NotFoundError) { nowhere.pause(1) }
    @c.refused('a bad number', Beaneater::BadFormatError) { @tube.kick('x') }
    @c.refused('an unknown command', Beaneater::UnknownCommandError) { @client.connection.transmit(+'nonsense') }
    @c.equal('the connection goes on', @client.tubes.used.name, @name)
  end

  # The last second of a ttr wakes whoever waits for another job.
  def deadline
    put('soon', ttr: 2)
    job = @client.tubes.reserve
    @c.refused('reserve near the deadline', Beaneater::DeadlineSoonError) { @client.tubes.reserve(PATIENCE) }
    job.delete
  end

  # A put wakes a client that waits, for ever or for a time.
  def waiting
    worker = another
    [nil, PATIENCE].each do |timeout|
      woken = Thread.new { worker.tubes.reserve(timeout) }
      woken.report_on_exception = false # value raises it again
      nil until @tube.stats.current_waiting == 1 || !woken.alive?
      id = put('wake up')
      @c.job('the waiter', woken.value, id, 'wake up')
      woken.value.delete
    end
  end

  # What a client held when it left is ready again.
  def hangup
    id = put('orphan', pri: 4, ttr: 3600)
    other = another
    @c.job('reserve', other.tubes.reserve, id, 'orphan')
    other.close
    job = @client.tubes.reserve(PATIENCE)
    @c.job('the orphan comes back', job, id, 'orphan')
    @c.stats('stats-job', job.stats, 'pri' => 4, 'reserves' => 2, 'releases' => 0, 'timeouts' => 0)
    job.delete
  end

  def all_stats
    before = server
    @c.equal('keys of stats', before.keys.first(KNOWN['stats'].size), KNOWN['stats'])
    put('counted')
    @client.tubes.reserve.delete
    after = server
    { 'cmd_put' => 1, 'total_jobs' => 1, 'cmd_reserve' => 1, 'cmd_delete' => 1, 'cmd_stats' => 1, 'cmd_bury' => 0, 'cmd_use' => 0 }.each do |key, more|
      @c.equal("#{key} grew by", after[key] - before[key], more)
    end
    uname = Etc.uname
    @c.stats('stats', after, 'pid' => SERVER_PID, 'draining' => false, 'hostname' => uname[:nodename], 'platform' => uname[:machine],
                             # The kernel's version starts with #: without quotes a comment in YAML.
                             'os' => ENV['QUOTES'] == 'never' ? nil : uname[:version])
    @c.that('id', after['id'].to_s.match?(/\A\h{16}\z/), after['id'])
    @c.that('version is a string', after['version'].is_a?(String) && !after['version'].empty?, after['version'].inspect)
  end

  # Client#stats asks the server anew for every key; this is one answer.
  def server
    @client.connection.transmit(+'stats')[:body].transform_keys { |key| key.tr('-', '_') }
  end

  # The sections before deleted what they put.
  def leftovers
    @c.stats('stats', server, %w[urgent ready reserved delayed buried].to_h { |state| ["current_jobs_#{state}", 0] })
  end

  # SIGUSR1 makes the server refuse new jobs, for ever, and go on with those it has.
  def drain
    id = put('before')
    Process.kill('USR1', SERVER_PID)
    nil until server['draining'] == true
    refused = another # beaneater tries three times, a second apart, and closes its connection
    @c.refused('put', Beaneater::DrainingError) { refused.tubes[@name].put('after') }
    job = @client.tubes.reserve
    @c.job('reserve', job, id, 'before')
    job.delete
  end
end

title = "beaneater #{Beaneater::VERSION}"
checks = Checks.new(title)
begin
  Timeout.timeout(TIME_LIMIT) do
    session = Session.new(checks, "#{ARGV[0]}:#{ARGV[1]}")
    Session::SECTIONS.each { |section| session.play(section) }
  end
rescue Timeout::Error
  checks.that('whole run', false, "not done after #{TIME_LIMIT} s")
end
puts checks.failed.zero? ? "ok   #{title}: #{checks.done} checks" : "FAIL #{title}: #{checks.failed} of #{checks.done} checks failed"
exit checks.failed.zero?
