module beanfield

go 1.26

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/cespare/xxhash/v2 v2.3.0
	pgregory.net/rapid v1.3.0
)
