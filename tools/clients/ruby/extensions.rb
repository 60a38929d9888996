# Takes the steps of extensions/steps.json with beaneater.
#
#     STEPS=beanfield ruby extensions.rb HOST PORT
require 'json'
require 'timeout'
require_relative 'checks'
require_relative '../extensions/beanfield'

PART = ENV.fetch('STEPS')
TUBE = 'ext-ruby'.freeze

# One step after the other on one client.
class Session
  def initialize(checks, address)
    @c = checks
    @address = address
  end

  def play
    stood(JSON.parse(File.read("#{__dir__}/../extensions/steps.json"))[PART]).each do |step|
      connect if @client.nil? || PART == 'stand-in' && !step['stay']
      @client.connection.transmit('delete 1') if step['own'] # so that it is beaneater who connects again
      @c.section = step.to_json[0, 120]
      take(step)
    end
  end

  private

  def stood(value)
    case value
    when Hash then value.transform_values { |v| stood(v) }
    when Array then value.map { |v| stood(v) }
    when '$tube' then TUBE
    when /\A\$\d+\z/ then 'x' * value[1..].to_i
    else value
    end
  end

  def connect
    @client = Beaneater.new(@address)
    %W[watch\ #{TUBE} ignore\ default].each { |command| @client.connection.transmit(command) }
    @client.tubes.use(TUBE) if PART == 'stand-in' # by its own methods tubes are used for each put
  end

  def take(step)
    start = @c.now
    got, refused, results = [], nil, []
    begin
      got = call(step).map { |answer| plain(answer) }
    rescue Beaneater::TimedOutError
      got = []
    rescue Beaneater::UnexpectedResponse => e
      refused = word(e)
      results = (e.results || []).map { |answer| plain(answer) }
    end
    # beaneater connects again and sends the command again, and the stand-in refuses it then.
    @c.equal('refused', refused, step['refused'] == 'LOST' ? 'OUT_OF_MEMORY' : step['refused'])
    @c.equal('results', results, step['results']) if step['results']
    @c.equal('answer', like(got, step['want']), step['want']) if step['want']
    @c.equal('number', got.size, step['number']) if step['number']
    @c.due('took', start, step['took']) if step['took']
  end

  # Tubes of beaneater have names, so a tube is no option.
  def call(step)
    options = symbols(step['options'] || {})
    case step['call']
    when 'put_with' then [@client.tubes[options.delete(:tube) || TUBE].put_with(bytes(step['body']), **options)]
    when 'put_batch'
      jobs = step['jobs'].map { |body, given| [bytes(body), symbols(given)] }
      @client.tubes[TUBE].put_batch(jobs * (step['times'] || 1), all: step['all'])
    when 'reserve_batch' then @client.tubes.reserve_batch(step['size'], step['timeout'])
    when 'reserve_with' then @client.tubes.reserve_with(count: step['count'] || 1, timeout: step['timeout'], tags: step['tags'] || {})
    when 'list_jobs' then @client.list_jobs(**options).to_a
    when 'auth' then @client.auth(step['token']) && []
    end
  end

  def symbols(options) = options.transform_keys(&:to_sym)
  def bytes(text) = text.encode('ISO-8859-1').b

  # beaneater's own error, as the word of the protocol.
  def word(error)
    error.instance_of?(Beaneater::UnexpectedResponse) || error.class == Beaneater::UnexpectedResponse.from_status(error.status, '').class ? error.status : error.class
  end

  # An answer as it is in the steps. Jobs that were reserved are deleted by beaneater's own command.
  def plain(answer)
    case answer
    when String then 'id'
    when Beaneater::UnexpectedResponse then word(answer)
    when Beaneater::Job
      answer.delete
      body = answer.body.b.force_encoding('ISO-8859-1').encode('UTF-8')
      answer.reserves ? { 'body' => body, 'tube' => answer.tube, 'reserves' => answer.reserves, 'tags' => answer.tags } : body
    else answer
    end
  end

  # Of a listing, only the keys that are wanted are compared, and jobs come in any order.
  def like(got, want)
    return got unless want[0].is_a?(Hash) && want[0]['state']

    got.sort_by { |job| job.values_at('state', 'pri') }.each_with_index.map { |job, i| want[i] ? job.slice(*want[i].keys) : job }
  end
end

title = "beaneater #{Beaneater::VERSION} with extensions, #{PART}"
checks = Checks.new(title)
begin
  Timeout.timeout(60) { Session.new(checks, ARGV.join(':')).play }
rescue StandardError, Timeout::Error => e
  checks.that('unexpected error', false, "#{e.class}: #{e.message} at #{e.backtrace.first(3)}")
end
puts checks.failed.zero? ? "ok   #{title}: #{checks.done} checks" : "FAIL #{title}: #{checks.failed} of #{checks.done} checks failed"
exit checks.failed.zero?
