module clients

go 1.26.0

require (
	beanfield v0.0.0
	github.com/beanstalkd/go-beanstalk v0.2.0
)

replace beanfield => ../../..
