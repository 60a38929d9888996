package config

import (
	"strings"

	"beanfield/conn/admin"
	"beanfield/conn/forward"
	"beanfield/conn/queueservice"
	"beanfield/conn/secure"
	"beanfield/conn/slow"
	"beanfield/shard/queue/policy"
)

// table has a line for each key: the key, its kind with bounds or words, the flag that overrides it, its unit, and
// what is allowed; of the last two, what its kind does not say. Behind the kind is the default, unless that is the
// zero of its type. A line begins with "!" if each element of its array must have the key, with "+" if a reload can
// change the value, and with "~" if it can where there is TLS before and after, or neither. The field has the name of
// the key, or stands in parentheses behind it. The lines of @permissions, @tls and @limits are those of each table
// that names them.
const table = `
@permissions.mode                     | mode
@permissions.group                    | group

~ @tls.cert (tls.cert)                | text | | file | a PEM file that the server's user may read; "" for no TLS
~ @tls.key (tls.key)                  | text | | file | a PEM file that the server's user may read; "" for no TLS
~ @tls.client_ca (tls.client_ca)      | text | | file | a PEM file that the server's user may read;
	"" to ask no client for a certificate
~ @tls.client_auth (tls.client_auth)  | word ,required,optional
~ @tls.min_tls (tls.min_tls)          | word ,1.2,1.3

+ @limits.max_length (limits.max_length)     | number 0..1000000000 | | items
+ @limits.max_payload (limits.max_payload)   | size 0..31MiB = 1MiB
+ @limits.max_tags (limits.max_tags)         | size 0..60KiB = 4KiB
+ @limits.max_delivery (limits.max_delivery) | number 0..65535 = 5 | | times
+ @limits.max_idle (limits.max_idle)         | span 0s..8760h
+ @limits.leaving (limits.leaving)           | span 0s..8760h = 15s
+ @limits.dead_letter (limits.dead_letter)   | choice rear,drop,bury
+ @limits.auto_evict (limits.auto_evict)     | truth
+ @limits.max_unsent (limits.max_unsent)     | size 4KiB..1024GiB = 1MiB

! listen.address                       | address | -l, -p
listen.*                             | @permissions
listen.login                         | truth
listen.refuse_http (http)            | not
listen.*                             | @tls

shards                               | number 0..SHARDS | -shards | shards
loops                                | number 0..1024 | | event loops
user                                 | text | -u | name of a user | a user of this machine, or "" to stay who started it
+ limits.max_job_size                | size 0..MOST_JOB_SIZE = JOB_SIZE | -z
+ limits.max_connections             | number 0..10000000 | | connections
+ limits.max_jobs                    | number 0..1000000000 | | jobs
+ limits.max_bytes                   | size 0..1024GiB
+ limits.max_memory                  | size 0..1024GiB
+ limits.handshake_timeout (limits.handshake) | span 100ms..1h = HANDSHAKE
+ limits.handshakes                  | number 0..10000000 | | handshakes
+ memory.garbage_percent             | number 0..1000 = 4 | | percent of the live data
+ memory.garbage_room                | size 1MiB..1024GiB = 32MiB
storage.backend                      | word memory,pebble = memory | -b
storage.path                         | text | -b | directory | an existing directory; "" with backend "memory" only
storage.sync                         | word always,interval,never = always | -f, -F
storage.sync_interval                | span 1ms..1h = 50ms | -f
storage.memory_budget                | size 0..1024GiB
storage.min_free                     | size 0..1024GiB = 256MiB
storage.cache                        | size 1MiB..1024GiB = 32MiB
storage.log_size (storage.log)       | size 1MiB..64GiB = 64MiB
storage.backup_path                  | text | | directory | a directory, which is made if its parent exists;
	"" for one beside the data
+ stats.quote_strings (stats.quoting) | quoting needed,always,never
+ log.level                          | word debug,info,notice,warn,error = notice | -V
log.format                           | word text,json = text
+ log.slow                           | span 0s..1h = SLOW
audit.file                           | text | | file | a file's path, "stderr", or "" for no audit log

queue.listen                         | addresses | -queue | | a list of addresses as in listen.address;
	[] for no queue service
queue.*                              | @permissions
+ queue.default_service              | text | | name of a service | a name as tubes have;
	"" to refuse paths without a service
+ queue.tokens                       | secrets
+ queue.hosts                        | hosts
+ queue.origins                      | origins
+ queue.dead_after                   | span 1s..24h = 30s
+ queue.max_batch                    | size 1KiB..128MiB = BATCH
queue.*                              | @tls
queue.*                              | @limits
! + queue.for.match                    | pattern | | | a queue's name, in which * stands for any characters, also none
queue.for.*                          | @limits

http.listen                          | addresses | -http | | a list of addresses as in listen.address;
	[] for none of this
http.*                               | @permissions
+ http.tokens                        | secrets
+ http.hosts                         | hosts
+ http.pprof                         | truth
+ http.read_only                     | truth
+ http.origins                       | origins
http.*                               | @tls
+ metrics.max_tubes                  | number 0..100000 = TUBES | | tubes
+ metrics.tubes                      | texts | | patterns | a list of patterns, in which * stands for any characters;
	[] for all tubes
+ metrics.aliases                    | aliases
+ metrics.instance                   | text | | host:port | any text; "" for the first TCP address of the server

cluster.name                         | plain | | name | letters, digits, "-" and "_", at most 32; "" for one machine
cluster.node                         | plain | | name of a node | a name in cluster.nodes; "" for that of this machine
cluster.secret                       | secret
cluster.cert                         | text | | file | a PEM file that the server's user may read; "" for no TLS
cluster.key                          | text | | file | a PEM file that the server's user may read; "" for no TLS
cluster.ca                           | text | | file | a PEM file that the server's user may read; "" for no TLS
cluster.replicas                     | replicas = 3
cluster.engine                       | engines
cluster.engine_unsafe                | truth
cluster.warm                         | truth
cluster.prefer                       | truth
cluster.forward (cluster.refuses)    | not
+ cluster.wait                       | span 1s..1h = CLUSTER_WAIT
cluster.nodes                        | nodes

! + tube.match                         | pattern | | | a tube's name, in which * stands for any characters, also none
+ tube.max_jobs (most.0)             | number 0..1000000000 | | jobs
+ tube.max_bytes (most.1)            | size 0..1024GiB
+ tube.max_memory (most.2)           | size 0..1024GiB
+ tube.full                          | choice refuse,oldest,least
+ tube.max_deliveries                | number 0..65535 | | times
+ tube.count                         | choice reserves,timeouts,releases
+ tube.dead_letter ()                | fate = bury
+ tube.retry                         | retry
+ tube.expire                        | span 0s..87600h
+ tube.expire_from (expire_ready)    | choice put,ready
+ tube.expired                       | choice delete,dead_letter
+ tube.max_reserved                  | number 0..1000000000 | | jobs
+ tube.rate                          | number 0..1000000 | | jobs a second
+ tube.burst                         | number 0..1000000 | | jobs
+ tube.weight                        | number 0..WEIGHT | | parts
+ tube.aging                         | span 0s..24h

! + schedule.name                      | name | | name | a name as tubes have, which no other schedule has
! + schedule.cron (rule.cron)          | text | | expression | 5 or 6 fields as of crontab(5),
	or "@hourly", "@daily", "@weekly", "@monthly", "@yearly"
+ schedule.zone (rule.zone)          | text = UTC | | time zone | a name such as "Europe/Berlin", or "UTC"
! + schedule.tube                      | name | | name of a tube | a tube's name
+ schedule.body (text)               | text | | text | any text of at most limits.max_job_size
+ schedule.body_file                 | text | | file | a file's path, or "" if there is none
+ schedule.pri                       | number 0..4294967295 = 1024 | | priority
+ schedule.delay                     | seconds 0s..4294967295s
+ schedule.ttr                       | seconds 1s..4294967295s = 60s
+ schedule.missed                    | choice skip,once,all

+ access.name                        | text | | text | any text; "" for the rule's number
+ access.token (tokens)              | hashes
+ access.subject (holder.subjects)   | holder
+ access.common_name (holder.common_names) | holder
+ access.dns_name (holder.dns_names) | holder
+ access.email (holder.emails)       | holder
+ access.uri (holder.uris)           | holder
+ access.uid (uids)                  | peers
+ access.gid (gids)                  | peers
+ access.network (networks)          | networks
! + access.may                         | rights
+ access.tubes                       | patterns = *
`

// constants are what the table has from elsewhere.
var constants = map[string]int64{
	"SHARDS": maxShards, "MOST_JOB_SIZE": maxJobSizeLimit, "WEIGHT": policy.MostWeight,
	"JOB_SIZE": defaultMaxJobSize, "HANDSHAKE": int64(secure.Timeout), "SLOW": int64(slow.DefaultBound),
	"TUBES": admin.DefaultMaxTubes, "CLUSTER_WAIT": int64(forward.DefaultWait), "BATCH": queueservice.DefaultMaxBatch,
}

// lines are those of the table, without fields.
var lines = readTable(table)

func readTable(text string) (all []setting) {
	shared := map[string][]setting{}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\n\t", " "), "\n") {
		if line == "" {
			continue
		}
		columns := strings.Split(line, "|")
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		columns = append(columns, "", "", "")
		s := setting{flag: columns[2], unit: columns[3], allowed: columns[4]}
		s.key = strings.TrimLeft(columns[0], "!+~ ")
		marks := strings.TrimSuffix(columns[0], s.key)
		s.needed, s.live, s.withTLS = strings.Contains(marks, "!"), strings.ContainsAny(marks, "+~"), marks == "~ "
		table, each := strings.CutSuffix(s.key, ".*")
		if each {
			for _, of := range shared[columns[1]] {
				of.key = table + strings.TrimPrefix(of.key, columns[1])
				if arrayOf(of.key) == "" {
					of.path = table + "." + of.path
				}
				all = append(all, of)
			}
			continue
		}
		s.place()
		s.as(columns[1])
		if s.key[0] == '@' {
			name, _, _ := strings.Cut(s.key, ".")
			shared[name] = append(shared[name], s)
		} else {
			all = append(all, s)
		}
	}
	return all
}
