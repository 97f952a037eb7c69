// Package auth knows who is calling and what they may do: actors, roles and the
// one policy; the rules for passwords and time zones; access tokens, refresh
// tokens and API keys. It decides over plain values and touches neither the
// database nor the network.
//
// Entry files: actor.go (Actor, ActorFrom), policy.go (Allow), password.go,
// accesstoken.go, refreshtoken.go, apikey.go, limiter.go.
// Neighbours: authdb stores sessions and keys, authrpc serves the calls and
// puts the actor into the context.
package auth
