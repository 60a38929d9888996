# Reads stats-tube and stats-job of every name in ../names.json, and of every name of one and two characters, with a
# reader of YAML 1.1: each name must come back as that very text, and a usual one must be written without quotes.
#
#     ruby names.rb HOST PORT
#
# in the folder that holds names.json.
require 'json'
require 'socket'
require 'timeout'
require 'yaml'
require_relative 'checks'

TIME_LIMIT = 60 # seconds, of the whole run
TITLE = "psych #{Psych::VERSION}".freeze
KNOWN = JSON.parse(File.read('names.json'))
FIRST = [*'A'..'Z', *'a'..'z', *'0'..'9', *'+/;.$_()'.chars].freeze
NAMES = [*KNOWN['misread'], *KNOWN['plain'], *FIRST.flat_map { |a| [a, *FIRST.map { |b| a + b }, "#{a}-"] }].freeze

# The documents in what the server has sent: each stands behind its length.
def documents(socket)
  found = []
  while (line = socket.gets("\r\n"))
    ok = line.match(/\AOK (\d+)\r\n\z/) or next
    found << socket.read(ok[1].to_i)
    socket.read(2)
  end
  found
end

def check(checks, what, key, name, document)
  checks.equal("#{what} has all keys", document.count("\n"), 15)
  checks.equal("#{what} of #{name}", YAML.load(document)[key], name)
rescue Psych::Exception, StandardError => e
  checks.that("#{what} of #{name}", false, "#{e.class}: #{e.message}")
ensure
  plain = KNOWN['plain'].include?(name)
  checks.that("#{what} of #{name} has no quotes", document.include?("\n#{key}: #{name}\n"), document) if plain
end

def main(checks, host, port)
  socket = TCPSocket.new(host, port)
  Thread.new do
    NAMES.each_with_index { |name, i| socket.write("use #{name}\r\nput 0 0 60 1\r\nx\r\nstats-tube #{name}\r\nstats-job #{i + 1}\r\n") }
    socket.close_write
  end
  all = documents(socket)
  checks.equal('documents', all.size, 2 * NAMES.size)
  NAMES.each_with_index do |name, i|
    check(checks, 'stats-tube', 'name', name, all[2 * i].to_s)
    check(checks, 'stats-job', 'tube', name, all[2 * i + 1].to_s)
  end
end

checks = Checks.new(TITLE)
checks.section = 'names'
Timeout.timeout(TIME_LIMIT) { main(checks, *ARGV) }
puts checks.failed.zero? ? "ok   #{TITLE}: #{checks.done} checks" : "FAIL #{TITLE}: #{checks.failed} of #{checks.done} checks failed"
exit checks.failed.zero? ? 0 : 1
