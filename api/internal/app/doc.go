// Package app is the composition root: it reads the configuration once, builds
// everything, knows what runs by itself, and takes it all down again in order.
//
// Entry files: serve.go (start and stop), routes.go (everything that is served),
// loops.go (everything that runs by itself), config.go (everything that can be set).
package app
