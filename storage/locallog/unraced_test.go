//go:build !race

package locallog

const raced = false
