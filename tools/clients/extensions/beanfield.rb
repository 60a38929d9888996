# What beanfield has and beanstalkd has not, for beaneater 1.1: see the README beside this file.
require 'beaneater'
require 'erb'

class Beaneater
  class ExistsError < UnexpectedResponse; attr_accessor :id; end # the key is taken, by the job with this id
  class UnexpectedResponse; attr_accessor :results; end # of put_batch: for each job, its id or the exception
  class Job; attr_accessor :reserves, :tags; attr_writer :tube; end # from reserve_with

  def capabilities = connection.capabilities # the commands that the server has and beanstalkd has not
  def auth(token) = connection.exchange("auth #{Beanfield.escape(token)}")

  # An Enumerator of a Hash for each job. Options: tube, state, older, younger, tags, body, bodies, limit (of one answer).
  def list_jobs(**options)
    Enumerator.new do |jobs|
      loop do
        page = YAML.safe_load(connection.exchange("list-jobs#{Beanfield.options(options)}", 'list-jobs'))
        page['jobs'].each { |job| jobs << job }
        break unless (options[:cursor] = page['cursor'])
      end
    end
  end

  class Tubes
    # Up to size jobs, or TimedOutError. beanstalkd gives one.
    def reserve_batch(size, timeout = nil)
      return [] if size < 1
      return [reserve(timeout&.ceil)] unless client.capabilities.include?('reserve-batch')
      command = "reserve-batch #{[size, 1000].min} #{Beanfield.escape(timeout || 2_147_483_647)}" # the longest wait that there is
      Beanfield.jobs(client, client.connection.exchange(command, 'reserve-batch'))
    end

    # Up to count jobs that have these tags, or TimedOutError. They know their tube, reserves and tags.
    def reserve_with(count: 1, timeout: nil, tags: {})
      options = Beanfield.options(count: count, timeout: timeout, tags: tags)
      Beanfield.jobs(client, client.connection.exchange("reserve-with#{options}", 'reserve-with'))
    end
  end

  class Tube
    # Options: pri, delay, ttr, key, key_for, once, expire, deliveries, wait, tags (a Hash). Returns the id.
    def put_with(body, **options)
      return put(body, options.transform_values(&:ceil))[:id] unless Beanfield.has?(client, 'put-with', options)
      data = config.job_serializer.call(body)
      options = { tube: name, **Beanfield.defaults, **options }
      client.connection.exchange("put-with #{data.bytesize}#{Beanfield.options(options)}\r\n".b + data.b, 'put-with')
    end

    # A job is a body, or [body, options]. Returns the ids, or raises the first refusal after all have been tried.
    def put_batch(jobs, all: false)
      jobs = jobs.map { |job| job.is_a?(Array) ? job : [job, {}] }
      has = Beanfield.has?(client, 'put-batch', all ? { all: all } : {}, *jobs.map(&:last))
      parts = has ? jobs.map { |body, options| Beanfield.part(config.job_serializer.call(body), { tube: name, **options }) } : jobs
      results = (all ? [parts] : Beanfield.chunks(parts, has ? 1000 : 1)).flat_map do |chunk|
        next put(chunk[0][0], chunk[0][1].transform_values(&:ceil))[:id] unless has
        batch = chunk.join
        client.connection.exchange("put-batch #{batch.bytesize}#{' all=true' if all}\r\n".b + batch, 'put-batch')
      rescue UnexpectedResponse => e
        [e] * chunk.size
      end
      results.grep(UnexpectedResponse).each { |refusal| refusal.results = results }.each { |refusal| raise refusal }
      results
    end
  end

  class Connection
    def capabilities = _with_retry { @mutex.synchronize { known } }
    # Sends a command as transmit does, again if the connection is lost, and returns or raises the answer.
    def exchange(command, verb = nil)
      raise BadFormatError.new('BAD_FORMAT', command) if (command.index("\r\n") || command.size) > 1024
      answer = _with_retry { @mutex.synchronize { !verb || known.include?(verb) ? ask(command) : UnknownCommandError.new('UNKNOWN_COMMAND', verb) } }
      answer.is_a?(UnexpectedResponse) ? raise(answer) : answer
    end
    private
    def known
      return @known.last if @known && @known.first.equal?(connection) # not after it has connected again
      list = ask('capabilities')
      list = '' if list.is_a?(UnknownCommandError)
      (@known = [connection, list.is_a?(String) ? list.scan(/^- (\S+)$/).flatten : raise(list)]).last
    end

    def ask(command)
      connection ? connection.write("#{command}\r\n") : _raise_not_connected!
      answer(command)
    rescue Exception # also Timeout's: beaneater connects again, so that the rest of the answer is not taken for another
      connection&.shutdown rescue nil
      raise
    end

    def answer(command)
      word, *more = whole(connection.readline).split
      case word
      when 'INSERTED' then more[0]
      when 'OK' then whole(connection.read(more[0].to_i + 2), more[0].to_i)
      when 'RESERVED' then { status: word, id: more[0], body: whole(connection.read(more[1].to_i + 2), more[1].to_i), told: more.drop(2) }
      when 'INSERTED_BATCH', 'RESERVED_BATCH', 'RESERVED_WITH' then Array.new(more[0].to_i) { answer(command) }
      when 'EXISTS' then ExistsError.new(word, command).tap { |error| error.id = more[0] }
      when *UnexpectedResponse::ERROR_STATES then UnexpectedResponse.from_status(word, command)
      when 'BURIED', 'NOT_TOGETHER' then UnexpectedResponse.new(word, command)
      else raise UnexpectedResponse.new(word, command)
      end
    end

    def whole(data, size = 0)
      raise EOFError unless data && data.end_with?("\r\n") && data.bytesize >= size + 2
      data[0...-2]
    end
  end

  module Beanfield # what the methods above share
    PLAIN = %i[pri delay ttr].freeze # what beanstalkd can do, too
    def self.has?(client, verb, *options)
      plain = options.all? { |given| (given.keys - PLAIN).empty? }
      client.capabilities.include?(verb) || (plain ? false : raise(UnknownCommandError.new('UNKNOWN_COMMAND', verb)))
    end

    def self.escape(value) = ERB::Util.url_encode(value.is_a?(Float) ? value.round(3) : value).gsub('%2C', ',')
    def self.unescape(text) = text.b.gsub(/%(\h\h)/) { $1.hex.chr }.force_encoding('UTF-8')
    def self.parsed(body) = (Beaneater.configuration.job_parser.call(body) rescue body) # the others must not be lost with it
    def self.defaults = PLAIN.to_h { |name| [name, Beaneater.configuration.send("default_put_#{name}")] }

    def self.options(given)
      pairs = given.except(:tags).compact.map { |name, value| [name.to_s.tr('_', '-'), value] }
      pairs += given.fetch(:tags, {}).map { |tag, value| ["tag.#{escape(tag)}", value] }
      pairs.map { |name, value| " #{name}=#{escape(value)}" }.join
    end

    def self.part(data, options)
      numbers = defaults.merge(options).values_at(*PLAIN).map { |number| escape(number) }
      "#{numbers.join(' ')} #{data.bytesize}#{self.options(options.except(*PLAIN))}\r\n".b + data.b + "\r\n"
    end

    def self.chunks(parts, most)
      count = bytes = 0
      parts.slice_before do |part|
        (count == most || bytes + part.size > 1 << 20).tap { |full| count, bytes = full ? [1, part.size] : [count + 1, bytes + part.size] }
      end
    end

    def self.jobs(client, answers)
      answers.map do |answer|
        told = answer[:told].to_h { |word| word.split('=', 2).map { |text| unescape(text) } }
        Job.new(client, answer.merge(body: parsed(answer[:body]))).tap do |job|
          job.tube, job.reserves = told['tube'], told['reserves']&.to_i
          job.tags = told.select { |name, _| name.start_with?('tag.') }.transform_keys { |name| name[4..] }
        end
      end
    end
  end
end
