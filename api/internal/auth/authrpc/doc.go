// Package authrpc serves sign-in, sessions and API keys, and holds the three steps
// that every call passes: who is it (Authenticator), may they (Authorize), and what
// did they change (Audit).
//
// Entry files: authenticate.go, authorize.go, audit.go, auth_service.go (register,
// login, refresh, logout, me), sessions.go, signin_limits.go, api_key_service.go.
// Neighbours: auth decides, authdb stores, signup makes an account.
//
// The order of the steps is part of what they promise:
//
//	steps := []rpcserver.Step{
//		authenticator.Authenticate,         // 401
//		authrpc.Audit(db, logger, storage), // sees refusals too
//		authrpc.Authorize,                  // 403
//		validate,                           // 422
//	}
package authrpc
