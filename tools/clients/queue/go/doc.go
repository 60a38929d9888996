// Command queueclient puts, gets and is pushed items of the queue service on a running server, as the service's Go SDK
// does: HTTP with protobuf, and WebSocket with golang.org/x/net/websocket, which accepts only the exact handshake of
// its RFC, and takes each frame for a message.
//
// It is started by the run script two folders up; alone:
//
//	queueclient HOST PORT QUEUE_PORT
//
// with a server that has the settings of server.toml beside this folder.
package main
